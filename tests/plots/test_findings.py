# SPDX-License-Identifier: MIT
"""The sentences that open captions: a figure's finding in numbers."""

import re
import tempfile
import unittest
from pathlib import Path

from sample import blank_row, write_csv, write_quickstart  # sets sys.path
from sample_training import write_training

from paceline import agreement, breakdown, convergence_finding, iteration, ratio, staleness
from paceline import step_times, time_to_target, timeline
from paceline.figures import FIGURES, draw_all
from paceline.results import COLUMNS
from paceline.sentences import percent, short
from paceline.study import Study, read_run


class Findings(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def study(self, *rows):
        """A study of these rows of two policies and some numbers of workers."""
        write_csv(self.root / "results.csv", COLUMNS, [blank_row(**row) for row in rows])
        (self.root / "manifest.json").write_text("{}", encoding="utf-8")
        return Study([read_run(self.root)])

    def pair(self, column, source="measured", **values):
        """Rows of sync and async at 1 and 8 workers, as sync_8=3.0."""
        return self.study(*({"source": source, "policy": name.split("_")[0],
                             "workers": name.split("_")[1], column: value}
                            for name, value in values.items()))

    def test_ratio_is_that_of_the_most_workers(self):
        study = self.pair("throughput", sync_1=100, async_1=100, sync_8=400, async_8=700)
        self.assertEqual(ratio.finding(study),
                         "At 8 workers sync takes 1.75 x as long per sample as async.")
        predicted = self.pair("throughput", "predicted", sync_1=100, async_1=100, sync_8=400,
                              async_8=700)
        self.assertTrue(ratio.finding(predicted).endswith("as async (predicted)."))
        self.assertEqual(ratio.finding(self.pair("throughput", sync_8=400)), "")

    def test_iteration_names_the_slowest_and_the_fastest_growth(self):
        study = self.pair("iteration_s_mean", sync_1=0.010, sync_8=0.020, async_1=0.010,
                          async_8=0.0012)
        self.assertEqual(iteration.finding(study), "1 worker to 8 workers: an update takes from "
                         "10.0 ms to 20.0 ms (sync) and from 10.0 ms to 1.20 ms (async).")
        self.assertEqual(iteration.finding(self.pair("iteration_s_mean", sync_8=0.02)), "")

    def test_breakdown_names_the_largest_part_and_the_next(self):
        study = self.study(*({"source": "measured", "policy": "sync", "workers": workers,
                              "compute_s": 0.008, "wait_s": wait}
                             for workers, wait in ((1, 0.0), (8, 0.002))))
        self.assertEqual(breakdown.finding(study), "Compute is 80 % to 100 % of a step; waiting "
                                                   "for others up to 20 % (8 workers).")

    def test_time_to_target_names_both_ends(self):
        study = self.pair("time_to_target_s", sync_8=4.0, async_8=2.5, async_1=9.0)
        self.assertEqual(time_to_target.finding(study), "To target, fastest: async, 8 workers, "
                         "2.50 s; slowest: async, 1 worker, 9.00 s.")

    def test_training_compares_at_the_most_workers(self):
        write_training(self.root / "training")
        study = Study([read_run(self.root / "training")])
        for of in (convergence_finding.finding, convergence_finding.finding_of_accuracy,
                   convergence_finding.finding_by_updates):
            self.assertRegex(of(study), r"^.*, 16 workers reaches an? (loss|accuracy) of [\d.]+( %)? "
                                        r"after .*, 16 workers after .*: [\d.]+ x\.$")
        self.assertRegex(staleness.finding(study),
                         r"^Mean staleness: 1\.00 \(.*\) to 15\.0 \(async, 16 workers\)\.$")
        self.assertRegex(step_times.finding(study), r"^KS distance of prediction and measurement, "
                         r"12 points: 0\.\d{3} in the median, at most 0\.\d{3} \(.*\)\.$")

    def test_timeline_shows_both_clocks(self):
        write_quickstart(self.root / "quickstart")
        self.assertRegex(timeline.finding(Study([read_run(self.root / "quickstart")])),
                         r"^k-async, .*: injected delay \d+ % and [a-z ]+ [\d.]+ % of the time of the "
                         r"first steps \(predicted \d+ % and [\d.]+ %\)\.$")

    def test_every_figure_of_a_run_has_one(self):
        write_training(self.root / "training")
        drawn = draw_all(Study([read_run(self.root / "training")]))
        without = {each.row.name for each in drawn if not each.caption.finding}
        self.assertEqual(without, {"throughput", "agreement"})  # sentences of the program

    def test_a_study_without_values_has_none(self):
        study = self.study({"source": "measured", "policy": "sync", "workers": 1})
        self.assertEqual({row.said(study) for row in FIGURES if row.said}, {""})

    def test_numbers_are_short(self):
        self.assertEqual([percent(0.481), percent(0.0052), percent(1.0)], ["48 %", "0.52 %", "100 %"])
        self.assertEqual([short(1234.5), short(0.01234)], ["1,230", "0.0123"])


class NamesInAgreement(unittest.TestCase):
    def test_the_largest_errors_are_named_where_all_have_no_room(self):
        with tempfile.TemporaryDirectory() as folder:
            models = [f"a network with a name of several words and number {place}"
                      for place in range(6)]
            write_csv(Path(folder) / "results.csv", COLUMNS, [
                blank_row(experiment="e", source=source, model=model, machine="ideal",
                          policy="sync", workers=workers, batch=1, throughput=throughput)
                for place, model in enumerate(models) for workers in (2, 4)
                for source, throughput in (("predicted", 100 * workers * (1 + place / 20)),
                                           ("measured", 100 * workers))])
            figure = agreement.draw(Study([read_run(Path(folder))]))
        said = [text for _, text, _, _ in figure.panels[0].labels]
        self.assertEqual([re.search(r"number (\d)", text)[1] for text in said], ["5", "4", "3"])


if __name__ == "__main__":
    unittest.main()
