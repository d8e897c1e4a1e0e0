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

    def test_every_bar_is_a_whole_step_with_its_time(self):
        """No part is left out, however large, and steps of any length share an axis."""
        figure = breakdown.draw(self.study([
            blank_row(source="measured", policy="sync", workers=workers,
                      wait_s=length_s * (1 - share), compute_s=length_s * share)
            for workers, length_s, share in ((2, 0.01, 0.88), (4, 0.3, 0.5), (8, 0.01, 0.99))]))
        panel, = figure.panels
        self.assertEqual((panel.x_label, panel.x.low, panel.x.high),
                         ("share of a step (%)", 0, 100))
        ends = [[round(corner, 6) for corner in (area.points[0][0], area.points[2][0])]
                for area in panel.lines]
        self.assertEqual(ends, [[0, 88], [88, 100], [0, 50], [50, 100], [0, 99], [99, 100]])
        self.assertEqual([text for _, text, _, _ in panel.labels],
                         ["10.0 ms", "300 ms", "10.0 ms"])
        inside = [shape[0].text for shape in panel.marks]
        self.assertEqual(inside, ["88 %", "12 %", "50 %", "50 %", "99 %"])  # 1 % has no room
        self.assertEqual(figure.note, "")

    def test_two_sources_are_bars_above_each_other(self):
        figure = breakdown.draw(self.study([
            blank_row(source=source, policy="sync", workers=2, compute_s=compute_s, wait_s=0.001)
            for source, compute_s in (("predicted", 0.009), ("measured", 0.019))]))
        panel, = figure.panels
        upper, lower = [area for area in panel.lines if area.colour == "blue"]
        self.assertLess(upper.points[2][1], lower.points[0][1])
        self.assertEqual([text for _, text, _, _ in panel.labels], ["10.0 ms", "20.0 ms"])
        # words that hold on any background: a pale bar is the darker one on a dark page
        self.assertEqual([key.label for key in figure.keys][-2:],
                         ["upper bar: predicted", "lower bar: measured"])

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
