# SPDX-License-Identifier: MIT
"""The report's tables of training: cells, verdicts and summary lines."""

import html
import re
import tempfile
import unittest
from pathlib import Path

from sample import blank_row, write_csv  # sets sys.path
from sample_training import SHARES, STEP_TIMES, write_policies

from paceline import convergence_table
from paceline import step_times_table
from paceline.results import COLUMNS
from paceline.study import Study, read_run

MINUS, DASH = "\N{MINUS SIGN}", "\N{EN DASH}"


def cells_of(table):
    """The cells of a table's rows as text."""
    return [[html.unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)]
            for row in re.findall(r"<tr>(.*?)</tr>", table) if "<td" in row]


class Table(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def study(self, rows, step_times=()):
        write_csv(self.folder / "results.csv", COLUMNS, rows)
        write_csv(self.folder / "step_times.csv", STEP_TIMES, step_times)
        return Study([read_run(self.folder)])


class Convergence(Table):
    def rows(self, workers, predicted_s, measured_s, **cells):
        return [blank_row(source=source, policy="async", k=1, workers=workers, target="loss 0.1",
                          loss_final=0.09, loss_floor=0.08, **cells)
                | {"time_to_target_s": time_s, "updates_to_target": 1200 if time_s else ""}
                for source, time_s in (("predicted", predicted_s), ("measured", measured_s))]

    def test_cells(self):
        study = self.study(self.rows(2, 11.0, 10.0) + self.rows(4, 6.0, 5.0)
                           + self.rows(8, "", 4.0, status="diverged at update 9 (loss 7.0123)"))
        self.assertEqual(cells_of(convergence_table.convergence_table(study)), [
            ["2 workers", "loss 0.1", "11.0 s", "10.0 s", "+10.0 %", "1,200 / 1,200",
             "0.0900 / 0.0900", "0.0800 / 0.0800", "ok"],
            ["4 workers", "loss 0.1", "6.00 s", "5.00 s", "+20.0 %", "1,200 / 1,200",
             "0.0900 / 0.0900", "0.0800 / 0.0800", "ok"],
            ["8 workers", "loss 0.1", "not reached", "4.00 s", DASH, f"{DASH} / 1,200",
             "0.0900 / 0.0900", "0.0800 / 0.0800", "diverged at update 9 (loss 7.01)"]])
        self.assertEqual(convergence_table.summary(study),
                         "<p><strong>Time to target, predicted against measured, 2 points of 3: "
                         "median difference 15.0 %, worst +20.0 %</strong> (4 workers).</p>")

    def test_nothing_to_compare(self):
        study = self.study(self.rows(2, 11.0, ""))
        self.assertEqual(convergence_table.summary(study),
                         "<p>No point has both a predicted and a measured time to its target; "
                         "1 of 1 reached it on one clock.</p>")

    def test_without_a_target_there_is_no_word_of_one(self):
        study = self.study([row | {"target": "", "updates_to_target": ""}
                            for row in self.rows(2, "", "")])
        self.assertEqual(convergence_table.summary(study), "")
        table = convergence_table.convergence_table(study)
        self.assertNotIn("target", table)
        self.assertEqual(cells_of(table), [["2 workers", "0.0900 / 0.0900", "0.0800 / 0.0800",
                                            "ok"]])

    def test_without_training_there_is_no_table(self):
        study = self.study([blank_row(source="measured", workers=2, throughput=1)])
        self.assertEqual(convergence_table.trained(study), [])

    def test_what_else_was_varied(self):
        write_policies(self.folder)
        study = Study([read_run(self.folder)])
        rows = cells_of(convergence_table.convergence_table(study))
        self.assertEqual(len(rows), 12)
        self.assertEqual([row[:2] for row in (rows[0], rows[3], rows[7])],
                         [["sync, shifted-exponential, 8 workers", "loss 0.05"],
                          ["ssp, slack 4, shifted-exponential, 8 workers", "loss 0.05"],
                          ["async, pareto, 8 workers", "loss 0.05"]])
        self.assertEqual(rows[7][-1], "diverged at update 140 (loss 61)")


class StepTimes(Table):
    def times(self, point, source, steps, cv, factor):
        """Uniform from 1 to 2 s, multiplied by a factor."""
        return [dict(zip(STEP_TIMES, (point, source, steps, 1.5 * factor, cv, share,
                                      factor * (1 + share)))) for share in SHARES]

    def compared(self, *points):
        rows = [blank_row(source=source, workers=2 ** place, policy="sync")
                for place in range(len(points)) for source in ("predicted", "measured")]
        times = [row for place, (steps, cv, factor) in enumerate(points)
                 for row in self.times(place, "predicted", steps, cv, factor)
                 + self.times(place, "measured", steps, cv, 1.0)]
        study = self.study(rows, times)
        return study, step_times_table.comparisons(study)

    def test_many_spread_steps_are_judged_by_the_distance(self):
        study, found = self.compared((500, 0.2, 1.05), (500, 0.2, 1.1))
        # uniform 1.1 to 2.2 against 1 to 2: largest difference at 2, where 9/11 are below
        self.assertEqual(cells_of(step_times_table.step_times_table(study, found)), [
            ["1 worker", "500 / 500", "0.200 / 0.200", "0.095", "+5.0 %", "+5.0 %",
             "ok (KS 0.095)"],
            ["2 workers", "500 / 500", "0.200 / 0.200", "0.182", "+10.0 %", "+10.0 %",
             "KS 0.182, beyond 0.10"]])
        self.assertEqual(step_times_table.summary(study, found),
                         "<p><strong>Step times, predicted against measured, 2 points: KS "
                         "distance 0.139 in the median, worst 0.182</strong> (2 workers); 1 of 2 "
                         "at most 0.10.</p>")

    def test_few_or_even_steps_by_two_quantiles(self):
        study, found = self.compared((499, 0.9, 1.05), (9000, 0.19, 0.9))
        self.assertEqual([row[-1] for row in
                          cells_of(step_times_table.step_times_table(study, found))],
                         ["ok (+5.0 %)", f"{MINUS}10.0 %, beyond 8 %"])
        self.assertEqual(step_times_table.summary(study, found),
                         "<p><strong>Step times, predicted against measured, 2 points: error of "
                         "the median and the 95th percentile 7.5 % in the median, worst "
                         f"{MINUS}10.0 %</strong> (2 workers); 1 of 2 within 8 %.</p>")

    def test_both_sides_are_needed(self):
        study = self.study([blank_row(source="predicted", workers=2)],
                           self.times(0, "predicted", 500, 0.3, 1.0))
        self.assertEqual(step_times_table.comparisons(study), [])


if __name__ == "__main__":
    unittest.main()
