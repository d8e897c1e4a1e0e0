# SPDX-License-Identifier: MIT
"""The figures of training beside convergence: staleness, step times, ratios, time to a target."""

import unittest

from sample import blank_row  # sets sys.path
from sample_training import CONSTANT_S, MEAN_S, UPDATE_S, Training
from training_studies import Studies, keys_of, labels_of, lines_of, titles_of

from paceline import convergence
from paceline import palette
from paceline import ratio
from paceline import staleness
from paceline import step_times
from paceline import time_to_target
from paceline.points import Point, choose_points
from paceline.shapes import Area
from paceline.study import Study, read_run


class Staleness(Studies):
    def test_shares_of_each_source(self):
        counts = [dict(zip(("point", "source", "staleness", "gradients"), each)) for each in
                  ((0, "predicted", 0, 10), (0, "predicted", 1, 30), (0, "measured", 0, 1),
                   (0, "measured", 1, 2), (0, "measured", 2, 1))]
        figure = staleness.draw(self.study(
            [blank_row(source=source, workers=2) for source in ("predicted", "measured")],
            staleness=counts))
        panel, = figure.panels
        predicted, measured = panel.lines
        self.assertIsInstance(predicted, Area)
        self.assertEqual(predicted.points[1:-1], ((-0.5, 25.0), (0.5, 25.0), (0.5, 75.0),
                                                  (1.5, 75.0), (1.5, 0.0)))
        self.assertEqual([y for _, y in measured.points[1:-2:2]], [25.0, 50.0, 25.0])
        self.assertEqual(panel.notes, [("mean 0.75 / 1.00", "upper right")])

    def test_points_without_stale_gradients_are_left_out(self):
        figure = staleness.draw(self.training)
        self.assertEqual(titles_of(figure),
                         [f"{policy}, {workers} workers" for workers in (2, 4, 8, 16)
                          for policy in ("async", "k-async, K=P/2")])
        # the same number of workers, the same axes
        self.assertEqual([panel.y.high for panel in figure.panels[::2]],
                         [panel.y.high for panel in figure.panels[1::2]])


class StepTimes(Studies):
    def test_workers_of_a_policy_share_a_panel_and_all_panels_their_axes(self):
        figure = step_times.draw(self.training)
        self.assertEqual(titles_of(figure), ["sync", "async", "k-async, K=P/2"])
        panel = figure.panels[0]
        self.assertEqual(labels_of(panel), [f"{workers} workers KS 0.024"
                                            for workers in (2, 4, 8, 16)])
        self.assertEqual(len(panel.lines), 8)
        predicted, measured = panel.lines[:2]
        self.assertEqual(predicted.points[200][1], 50.0)
        self.assertAlmostEqual(measured.points[0][0], 1.03 * 1000 * CONSTANT_S)
        self.assertEqual(panel.x_label, "step time (ms)")
        self.assertEqual(keys_of(figure), ["predicted", "measured"])
        self.assertEqual(len({(each.x.low, each.x.high) for each in figure.panels}), 1)

    def test_a_prediction_alone_is_drawn_only_if_its_steps_vary(self):
        for cv, drawn in ((0.001, False), (0.3, True)):
            times = [dict(zip(("point", "source", "steps", "mean_s", "cv", "share", "step_s"),
                              (0, "predicted", 9, 1.0, cv, share, 1 + share))) for share in (0, 1)]
            figure = step_times.draw(self.study([blank_row(source="predicted", workers=2)],
                                                step_times=times))
            self.assertEqual(figure is not None, drawn, cv)

    def test_of_too_many_places_some_are_shown_to_the_last(self):
        run = Training("many", ["workers", "update"])
        for workers in range(1, 31):
            for policy, k in (("sync", workers), ("async", 1)):
                run.add(policy, workers, k, (workers, policy), repeats=1)
        run.write(self.root / "many")
        study = Study([read_run(self.root / "many")])
        labels = [label.split()[0] for label in labels_of(step_times.draw(study).panels[0])]
        self.assertEqual(len(labels), 9)
        self.assertEqual(labels[-1], "30")
        figure = convergence.draw(study)
        self.assertEqual((len(figure.panels), figure.panels[-1].title, figure.note),
                         (12, "30 workers", "12 of 30 panels shown"))

    def test_of_too_many_points_every_series_keeps_as_many(self):
        one, other = object(), object()
        points = [Point(series, x, {}) for series in (one, other) for x in (1, 2, 4, 8, 16, 32)]
        self.assertEqual([(point.series, point.x) for point in choose_points(points, 5)],
                         [(one, 4), (one, 32), (other, 4), (other, 32)])
        self.assertEqual(choose_points(points, 12), points)


class Ratio(Studies):
    def test_sync_over_async_per_sample_in_theory(self):
        panel, = ratio.draw(self.training).panels
        theory = next(line for line in lines_of(panel, palette.SERIES[0]) if line.dash)
        self.assertEqual([x for x, _ in theory.points], [2, 4, 8, 16])
        harmonic = 1 + 1 / 2 + 1 / 3 + 1 / 4
        # a sync update has four gradients, an async update has one
        self.assertAlmostEqual(theory.points[1][1], (UPDATE_S + CONSTANT_S + MEAN_S * harmonic)
                               / 4 / (UPDATE_S + (CONSTANT_S + MEAN_S) / 4))
        self.assertEqual(panel.y_label, "time per sample, sync / async")

    def test_only_the_same_straggler_is_compared(self):
        rows = [blank_row(source="predicted", policy=policy, workers=workers, k=1,
                          throughput=rate * workers) | {"swept.stragglers.kind": kind}
                for workers in (2, 4)
                for policy, kind, rate in (("sync", "exponential", 2.0),
                                           ("async", "exponential", 6.0),
                                           ("sync", "pareto", 1.0), ("async", "pareto", 5.0))]
        panel, = ratio.draw(self.study(rows, swept=["swept.stragglers.kind"])).panels
        self.assertEqual([(text, y) for y, text, _, _ in panel.labels],
                         [("exponential", 3.0), ("pareto", 5.0)])


class TimeToTarget(Studies):
    def test_points_that_reached_it(self):
        panel, = time_to_target.draw(self.training).panels
        self.assertEqual(panel.y_label, "time to loss 0.05 (s)")
        reached = [row["workers"] for row in self.training.rows if row["policy"] == "async"
                   and row["source"] == "predicted" and row["time_to_target_s"]]
        line = lines_of(panel, palette.SERIES[1])[0]
        self.assertEqual([x for x, _ in line.points], reached)
        self.assertLess(reached[-1], 16)

    def test_cost_and_energy(self):
        panel, = time_to_target.draw_cost(self.training).panels
        self.assertEqual(panel.y_label, "cost to loss 0.05 (USD)")
        panel, = time_to_target.draw_energy(self.training).panels
        self.assertEqual(panel.y_label, "energy to loss 0.05 (Wh)")
        row = next(row for row in self.training.rows if row["policy"] == "async"
                   and row["source"] == "predicted" and row["workers"] == 2)
        line = lines_of(panel, palette.SERIES[1])[0]
        self.assertAlmostEqual(line.points[0][1], row["energy_to_target_j"] / 3600)


if __name__ == "__main__":
    unittest.main()
