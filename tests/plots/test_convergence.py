# SPDX-License-Identifier: MIT
"""The figure of convergence: joined repeats, floors, targets, divergence and the limits of axes."""

import math
import unittest

from sample import blank_row  # sets sys.path
from sample_training import CURVES
from training_studies import Studies, keys_of, lines_of, marks_of

from paceline import convergence
from paceline import palette
from paceline import ratio
from paceline import staleness
from paceline import step_times
from paceline import time_to_target
from paceline.convergence import LOSS, TIME, UPDATES, join_repeats
from paceline.evaluations import Evaluation


def evaluations(*pairs):
    return [Evaluation(place, time_s, 0, loss, None) for place, (time_s, loss) in enumerate(pairs)]


class Repeats(unittest.TestCase):
    def test_one_repeat_is_itself(self):
        curve = join_repeats([evaluations((0, 4), (1, 2), (3, 1))], LOSS, TIME)
        self.assertEqual((curve.x, curve.middle), ([0, 1, 3], [4, 2, 1]))
        self.assertEqual((curve.low, curve.high), (curve.middle, curve.middle))

    def test_several_are_median_lowest_and_highest_as_far_as_all_reach(self):
        curve = join_repeats([evaluations((0, 4), (2, 2)), evaluations((0, 6), (4, 2)),
                              evaluations((0, 5), (1, 1), (4, 0))], LOSS, TIME)
        self.assertEqual(curve.x, [0, 1, 2])
        self.assertEqual(curve.low[:2], [4, 1])
        self.assertAlmostEqual(curve.low[2], 2 / 3)
        self.assertEqual(curve.middle, [5, 3, 2])
        self.assertEqual(curve.high, [6, 5, 4])

    def test_unknown_losses_are_passed_over(self):
        curve = join_repeats([evaluations((0, 4), (1, None), (2, 2))], LOSS, UPDATES)
        self.assertEqual((curve.x, curve.middle), ([0, 2], [4, 2]))
        self.assertIsNone(join_repeats([evaluations((0, None))], LOSS, TIME))
        self.assertIsNone(join_repeats([], LOSS, TIME))


class Convergence(Studies):
    def test_the_lines_are_the_medians(self):
        panel = convergence.draw_by_updates(self.training).panels[2]
        row = next(row for row in self.training.rows if row["workers"] == 8
                   and row["source"] == "predicted" and row["policy"] == "async")
        curve = join_repeats(row.evaluations, LOSS, UPDATES)
        line = next(line for line in lines_of(panel, palette.SERIES[1]) if len(line.points) > 3)
        # the axis is logarithmic: the line enters at its left edge, between 0 and the first
        begin = sum(x < panel.x.low for x in curve.x)
        self.assertEqual(list(line.points[1:]), list(zip(curve.x, curve.middle))[begin:])
        self.assertEqual(line.points[0][0], panel.x.low)

    def test_the_target_is_a_line(self):
        for panel in convergence.draw(self.training).panels:
            self.assertEqual([line.points for line in lines_of(panel, "ink")],
                             [((panel.x.low, 0.05), (panel.x.high, 0.05))])

    def test_a_floor_is_a_line_at_the_edge_where_the_curve_is_level(self):
        curves = [dict(zip(CURVES, (point, "predicted", 0, place, place * 1e-3, 0, loss, "")))
                  for point, late in enumerate((lambda place: 0.02 + 0.01 * (place % 2),
                                                lambda place: 0.5 * 0.9 ** place))
                  for place in range(40) for loss in [2.0 if place == 0 else late(place)]]
        figure = convergence.draw(self.study(
            [blank_row(source="predicted", workers=2, policy=policy, loss_floor=floor)
             for policy, floor in (("sync", 0.025), ("async", 0.03))], curves=curves))
        panel, = figure.panels
        floors = [line for line in lines_of(panel) if len(line.points) == 2]
        self.assertEqual([(line.colour, [y for _, y in line.points]) for line in floors],
                         [(palette.SERIES[0], [0.025, 0.025])])
        self.assertIn("error floor", keys_of(figure))

    def test_a_curve_that_ends_early_lies_within_the_frame(self):
        curves = [dict(zip(CURVES, (point, source, 0, place, place * 0.05, 0, loss, "")))
                  for point, losses in enumerate(((2.0, 14.0),
                                                  [2.0 * 0.9 ** place for place in range(99)]))
                  for source in ("predicted", "measured") for place, loss in enumerate(losses)]
        figure = convergence.draw(self.study(
            [blank_row(source=source, workers=2, policy=policy, status=status)
             for policy, status in (("sync", "diverged at update 1 (loss 14)"), ("async", "ok"))
             for source in ("predicted", "measured")], curves=curves))
        panel, = figure.panels
        self.assertTrue(panel.x.is_log)
        crosses = marks_of(panel, "x")
        self.assertEqual([cross.y for cross in crosses], [panel.y.high] * 2)
        measured = [mark.x for mark in marks_of(panel, "circle")
                    if mark.colour == palette.SERIES[1]]
        self.assertGreater(measured[0], panel.x.low)  # no evaluation where the line enters
        gaps = [math.log(after / before) for before, after in zip(measured, measured[1:])]
        self.assertLess(max(gaps[2:]), 1.5 * min(gaps[2:]))

    def test_accuracy_in_per_cent(self):
        figure = convergence.draw_accuracy(self.training)
        self.assertEqual({(panel.y.low, panel.y.high) for panel in figure.panels}, {(0, 101)})
        self.assertNotIn("target", keys_of(figure))  # it is a target of the loss

    def test_what_diverges_ends_in_a_cross_at_the_frame(self):
        figure = convergence.draw(self.policies)
        high = figure.panels[1].y.high
        crosses = marks_of(figure.panels[1], "x")
        self.assertEqual([cross.y for cross in crosses], [high, high])
        self.assertEqual(marks_of(figure.panels[0], "x"), [])
        self.assertIn("diverged", keys_of(figure))
        row = next(row for row in self.policies.rows if row.is_diverged)
        curve = join_repeats(row.evaluations, LOSS, TIME)
        before = max(place for place, x in enumerate(curve.x) if x < crosses[0].x)
        self.assertLess(curve.middle[before], high)
        self.assertGreater(curve.middle[before + 1], high)

    def test_a_loss_that_hardly_falls_is_drawn_from_zero(self):
        curves = [dict(zip(CURVES, (0, "predicted", 0, place, place * 1e-3, 0, loss, "")))
                  for place, loss in enumerate((2.0, 1.5, 1.0))]
        figure = convergence.draw(self.study([blank_row(source="predicted", workers=2,
                                                        target="loss 1.2")], curves=curves))
        panel, = figure.panels
        self.assertEqual((panel.y.is_log, panel.y.low), (False, 0.0))
        self.assertEqual(panel.x_label, "time (ms)")
        self.assertEqual(keys_of(figure), ["predicted", "target"])

    def test_nothing_without_curves(self):
        study = self.study([blank_row(source="predicted", workers=2)])
        for draw in (convergence.draw, convergence.draw_by_updates, convergence.draw_accuracy,
                     staleness.draw, step_times.draw, time_to_target.draw, ratio.draw):
            self.assertIsNone(draw(study))


if __name__ == "__main__":
    unittest.main()
