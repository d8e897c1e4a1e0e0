# SPDX-License-Identifier: MIT
"""Panels and parts that would carry no information are named instead of drawn."""

import tempfile
import unittest
from pathlib import Path

from sample import blank_row, dgx1_rows, write_csv  # sets sys.path
from sample_training import write_training

from paceline import breakdown, convergence, efficiency, step_times, throughput, timeline
from paceline.results import COLUMNS
from paceline.study import Study, read_run

STEPS = ("point", "source", "steps", "mean_s", "cv", "share", "step_s")
STEP = ("point", "source", "worker", "step", "began_s", "delay_s", "compute_s", "exposed_comm_s",
        "wait_s", "end_s", "accepted")
CURVES = ("point", "source", "repeat", "updates", "time_s", "items", "loss", "accuracy")


class Dropped(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "manifest.json").write_text("{}", encoding="utf-8")

    def study(self, rows):
        write_csv(self.root / "results.csv", COLUMNS, rows)
        return Study([read_run(self.root)])

    def test_efficiencies_near_100_are_named(self):
        study = self.study([{**row, "batch": batch} for row in dgx1_rows() for batch in (32, 64)])
        figure = efficiency.draw(study)
        titles = {panel.title for panel in figure.panels}
        self.assertEqual(titles, {"alexnet", "vgg16"})
        self.assertRegex(figure.note, r"^not drawn, 9\d(\.\d)? to 10\d %: inception3; resnet50; "
                                      r"resnet152$")

    def test_colours_are_those_of_the_other_figures(self):
        study = self.study([{**row, "batch": batch} for row in dgx1_rows() for batch in (32, 64)])
        by_title = {panel.title: [colour for _, _, colour, _ in panel.labels]
                    for panel in throughput.draw(study).panels}
        for panel in efficiency.draw(study).panels:
            self.assertEqual([colour for _, _, colour, _ in panel.labels], by_title[panel.title])

    def bars(self, *shares):
        """The figure of steps of 10 ms, of which these shares are compute."""
        return breakdown.draw(self.study([
            blank_row(source="measured", policy="sync", workers=2 ** place, wait_s=0.01 * (1 - share),
                      compute_s=0.01 * share) for place, share in enumerate(shares)]))

    def test_a_part_that_is_most_of_all_steps_is_written(self):
        figure = self.bars(0.88, 0.8, 0.6)
        panel, = figure.panels
        self.assertEqual(panel.x_label, "step time without compute (ms)")
        self.assertEqual({area.colour for area in panel.lines}, {"wait"})
        self.assertEqual([text.replace("\N{NO-BREAK SPACE}", " ") for _, text, _, _ in panel.labels],
                         ["compute 88 % of 10.0 ms", "compute 80 % of 10.0 ms",
                          "compute 60 % of 10.0 ms"])
        self.assertLess(panel.x.high, 5)
        self.assertEqual(figure.note, "compute is left out of the bars and written beside them")

    def test_parts_of_equal_weight_are_all_drawn(self):
        for shares in ((0.6, 0.5, 0.4), (1.0, 1.0)):  # or nothing else is left
            panel, = self.bars(*shares).panels
            self.assertEqual(panel.x_label, "step time (ms)")
            self.assertIn("blue", {area.colour for area in panel.lines})

    def test_bars_of_very_different_lengths_have_axes_of_their_own(self):
        for factor, note in ((3, ""), (30, "each panel has its own axis")):
            figure = breakdown.draw(self.study([
                blank_row(source="measured", policy=policy, workers=2, compute_s=0.01 * times,
                          wait_s=0.01 * times) for policy, times in (("sync", 1), ("async", factor))]))
            self.assertEqual(figure.note, note)

    def step_times(self, *scales_of):
        """The figure of predicted step times of two policies at 1 and 8 workers."""
        rows = [blank_row(source="predicted", policy=policy, workers=workers)
                for policy in ("sync", "async") for workers in (1, 8)]
        write_csv(self.root / "step_times.csv", STEPS,
                  [dict(zip(STEPS, (point, "predicted", 600, scale, 0.3, share, scale * (1 + share))))
                   for point, scale in enumerate(scales_of) for share in (0.0, 0.5, 1.0)])
        return step_times.draw(self.study(rows))

    def test_predictions_that_coincide_are_named(self):
        figure = self.step_times(0.01, 0.02, 0.01, 0.0101)
        self.assertEqual([panel.title for panel in figure.panels], ["sync"])
        self.assertEqual(figure.note, "not drawn, as all curves coincide: async")
        figure = self.step_times(0.01, 0.0101, 0.01, 0.0101)  # then they are the finding
        self.assertEqual(len(figure.panels), 2)

    def losses(self, *factors):
        """The figure of losses of two policies at 1 and 8 workers."""
        rows = [blank_row(source="predicted", policy=policy, workers=workers)
                for workers in (1, 8) for policy in ("sync", "async")]
        write_csv(self.root / "curves.csv", CURVES,
                  [dict(zip(CURVES, (point, "predicted", 0, at, at, "", factor / at, "")))
                   for point, factor in enumerate(factors) for at in (1, 2, 4, 8)])
        return convergence.draw(self.study(rows))

    def test_losses_that_coincide_are_named(self):
        figure = self.losses(1.0, 1.01, 1.0, 0.5)
        self.assertEqual([panel.title for panel in figure.panels], ["8 workers"])
        self.assertEqual(figure.note, "not drawn, as all curves coincide: 1 worker")
        self.assertEqual(len(self.losses(1.0, 1.2, 1.0, 0.5).panels), 2)

    def test_a_timeline_of_one_part_is_not_drawn(self):
        for compute_s, drawn in ((0.0098, False), (0.0090, True)):
            write_csv(self.root / "steps.csv", STEP, [
                dict(zip(STEP, (0, "predicted", worker, 0, 0.0, 0.0, compute_s, 0.0,
                                0.01 - compute_s, 0.01, 1))) for worker in (0, 1)])
            study = self.study([blank_row(source="predicted", policy="sync", workers=2)])
            self.assertEqual(timeline.draw(study) is not None, drawn)

    def test_unequal_axes_are_named(self):
        figure = throughput.draw(self.study(
            [{**row, "batch": batch} for row in dgx1_rows() for batch in (32, 64)]))
        self.assertEqual(figure.note, "each panel has its own axis, over the same factor")

    def test_measurements_keep_their_panels(self):
        write_training(self.root / "training")
        study = Study([read_run(self.root / "training")])
        self.assertNotIn("coincide", step_times.draw(study).note)


if __name__ == "__main__":
    unittest.main()
