# SPDX-License-Identifier: MIT
"""Reading the files of training and joining them to the rows of their point and source."""

import tempfile
import unittest
from pathlib import Path

from sample import blank_row, write_csv  # sets sys.path
from sample_training import CURVES, STEP_TIMES, write_policies, write_training

from paceline.bad_input import BadInput
from paceline.distributions import StepTimes, ks_distance, read_step_times
from paceline.evaluations import Evaluation, read_evaluations
from paceline.results import COLUMNS, number_points, read_results
from paceline.study import Study, read_run


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def results(self, *rows, swept=()):
        write_csv(self.folder / "results.csv", [*COLUMNS, *swept], rows)

    def assert_bad(self, message, name):
        with self.assertRaises(BadInput) as caught:
            read_run(self.folder)
        self.assertEqual(str(caught.exception), f"{self.folder / name}{message}")


class Rows(Folder):
    def test_diverged_rows_hold_figures(self):
        self.results(blank_row(source="measured", workers=4,
                               status="diverged at update 12 (loss 900)"))
        study = Study([read_run(self.folder)])
        self.assertEqual((len(study.rows), study.skipped), (1, []))
        self.assertTrue(study.rows[0].is_diverged)


class PointNumbers(Folder):
    def numbers(self, *rows, swept=()):
        self.results(*rows, swept=swept)
        return number_points(read_results(self.folder / "results.csv"))

    def test_sources_of_a_point_stand_together(self):
        rows = [blank_row(source=source, workers=workers) for workers in (1, 2)
                for source in ("theory", "predicted", "measured")]
        self.assertEqual(self.numbers(*rows), [0, 0, 0, 1, 1, 1])

    def test_a_source_that_comes_again_is_the_next_point(self):
        rows = [blank_row(source="predicted", workers=1)] * 3
        self.assertEqual(self.numbers(*rows), [0, 1, 2])

    def test_points_with_different_sources(self):
        rows = [blank_row(source="theory", workers=2) | {"swept.update": "sync"},
                blank_row(source="measured", workers=2) | {"swept.update": "async"}]
        self.assertEqual(self.numbers(*rows, swept=["swept.update"]), [0, 1])


class Joining(Folder):
    def test_every_row_gets_what_is_of_its_point_and_source(self):
        write_training(self.folder)
        run = read_run(self.folder)
        self.assertEqual(len(run.rows), 36)
        self.assertEqual([row.evaluations for row in run.rows if row["source"] == "theory"],
                         [[]] * 12)
        row = next(row for row in run.rows if row["source"] == "measured" and row["workers"] == 8
                   and row["policy"] == "async")
        self.assertEqual(len(row.evaluations), 3)
        self.assertEqual(row.evaluations[0][-1].updates, 240 * 8)
        self.assertEqual(row.step_times.steps, 2000)
        self.assertAlmostEqual(sum(s * n for s, n in row.staleness.items())
                               / sum(row.staleness.values()), 7, places=2)

    def test_maps_become_a_key_for_each_entry(self):
        write_policies(self.folder)
        run = read_run(self.folder)
        told = {row["policy"]: row.swept for row in run.rows[:18]}
        self.assertEqual(told["ssp"]["update.slack"], "4")
        self.assertEqual(told["sync"]["update.slack"], "")
        self.assertEqual(told["sync"]["update.kind"], "sync")
        self.assertEqual(told["ssp"]["stragglers.compute.mean"], "18 ms")

    def test_a_file_of_other_points(self):
        self.results(blank_row(source="measured", workers=4))
        write_csv(self.folder / "curves.csv", CURVES, [dict.fromkeys(CURVES, 1) |
                                                       {"source": "measured"}])
        self.assert_bad(": error: results.csv has no point 1, measured", "curves.csv")

    def test_bad_cells(self):
        self.results(blank_row(source="measured", workers=4))
        good = dict.fromkeys(CURVES, 0) | {"source": "measured"}
        for cells, message in (
                ({"time_s": ""}, ":3: error: column 'time_s': a number is needed"),
                ({"point": "-1"}, ":3: error: column 'point': '-1' is not a whole number"),
                ({"source": "guess"}, ":3: error: unknown source 'guess' (known: theory, "
                                      "predicted, measured, published)"),
                ({"loss": "low"}, ":3: error: column 'loss': 'low' is not a number")):
            write_csv(self.folder / "curves.csv", CURVES, [good, good | cells])
            self.assert_bad(message, "curves.csv")

    def test_a_column_that_lacks(self):
        self.results(blank_row(source="measured", workers=4))
        (self.folder / "staleness.csv").write_text("point,source,staleness\n")
        self.assert_bad(":1: error: column 'gradients' is missing", "staleness.csv")

    def test_quantiles_must_rise(self):
        self.results(blank_row(source="measured", workers=4))
        row = dict(zip(STEP_TIMES, (0, "measured", 10, 1.0, 0.5, 0, 2.0)))
        write_csv(self.folder / "step_times.csv", STEP_TIMES,
                  [row, row | {"share": 1, "step_s": 1.5}])
        self.assert_bad(": error: point 0, measured: the quantiles do not rise from share 0 to "
                        "share 1", "step_times.csv")


class Evaluations(Folder):
    def test_repeats_in_order_of_time(self):
        path = self.folder / "curves.csv"
        path.write_text("point,source,repeat,updates,time_s,items,loss,accuracy\n"
                        "0,measured,1,5,2.5,160,0.25,\n0,measured,0,5,2.0,160,0.5,0.75\n"
                        "0,measured,1,0,0,0,nan,\n")
        self.assertEqual(read_evaluations(path), {(0, "measured"): [
            [Evaluation(5, 2.0, 160, 0.5, 0.75)],
            [Evaluation(0, 0.0, 0, None, None), Evaluation(5, 2.5, 160, 0.25, None)]]})
        self.assertEqual(read_evaluations(self.folder / "none.csv"), {})


def uniform(low, high):
    return StepTimes(1000, (low + high) / 2, 0.3, (0.0, 0.5, 1.0), (low, (low + high) / 2, high))


class Distances(Folder):
    def test_quantiles_and_shares(self):
        times = StepTimes(4, 1.0, 0.1, (0.0, 0.25, 0.5, 0.75, 1.0), (1.0, 2.0, 2.0, 2.0, 4.0))
        self.assertEqual([times.quantile(share) for share in (0, 0.125, 0.5, 0.875, 1)],
                         [1.0, 1.5, 2.0, 3.0, 4.0])
        self.assertEqual([times.share_below(at) for at in (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 9.0)],
                         [0.0, 0.0, 0.125, 0.75, 0.875, 1.0, 1.0])

    def test_known_distances(self):
        self.assertEqual(ks_distance(uniform(0, 1), uniform(0, 1)), 0.0)
        self.assertAlmostEqual(ks_distance(uniform(0, 1), uniform(0.25, 1.25)), 0.25)
        self.assertAlmostEqual(ks_distance(uniform(0, 1), uniform(0, 2)), 0.5)
        self.assertEqual(ks_distance(uniform(0, 1), uniform(2, 3)), 1.0)

    def test_below_a_jump(self):
        # Half of one's steps are at 1; just below, the other has 90 % of its steps.
        jump = StepTimes(9, 1, 0.1, (0.0, 0.5, 1.0), (1.0, 1.0, 2.0))
        other = StepTimes(9, 1, 0.1, (0.0, 0.9, 1.0), (0.0, 1.0, 2.0))
        self.assertAlmostEqual(ks_distance(jump, other), 0.9)
        self.assertEqual(ks_distance(jump, other), ks_distance(other, jump))

    def test_of_the_sample(self):
        write_training(self.folder)
        found = read_step_times(self.folder / "step_times.csv")
        # F(x) = 1 - exp(-(x - 8 ms) / 10 ms) against the same times 1.03: largest at the start
        self.assertAlmostEqual(ks_distance(found[0, "predicted"], found[0, "measured"]),
                               1 - 2.718281828 ** -0.024, places=3)


if __name__ == "__main__":
    unittest.main()
