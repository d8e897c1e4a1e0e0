# SPDX-License-Identifier: MIT
"""What is drawn of training: the data of the lines, their names, limits and marks."""

import math
import tempfile
import unittest
from pathlib import Path

from sample import blank_row, write_csv  # sets sys.path
from sample_training import (CURVES, MEAN_S, NEWER_IN_FILE, CONSTANT_S, UPDATE_S, Training,
                             write_policies, write_training)

import convergence
import iteration
import ratio
import staleness
import step_times
import style
import throughput
import time_to_target
import training_panels
from convergence import LOSS, TIME, UPDATES, join_repeats
from evaluations import Evaluation
from points import Point, choose_points
from results import ORDER
from study import Study, read_run


def setUpModule():
    style.apply_style()


def legend_of(figure):
    return [text.get_text() for block in figure.legends for text in block.get_texts()]


def titles_of(figure):
    return [axes.get_title() for axes in figure.axes]


def lines_of(axes, colour=None):
    return [line for line in axes.lines if colour is None or line.get_color() == colour]


def evaluations(*pairs):
    return [Evaluation(place, time_s, 0, loss, None) for place, (time_s, loss) in enumerate(pairs)]


class Drawn(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = Path(folder.name)
        write_training(cls.root / "training")
        write_policies(cls.root / "policies")
        cls.training = Study([read_run(cls.root / "training")])
        cls.policies = Study([read_run(cls.root / "policies")])

    def study(self, rows, swept=(), **files):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        write_csv(Path(folder.name) / "results.csv", [*ORDER, *swept, *NEWER_IN_FILE], rows)
        for name, records in files.items():
            write_csv(Path(folder.name) / f"{name}.csv", list(records[0]), records)
        return Study([read_run(folder.name)])


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


class Convergence(Drawn):
    def test_a_panel_per_policy_and_an_ordered_colour_per_number_of_workers(self):
        figure = convergence.draw(self.training)
        self.assertEqual(titles_of(figure), ["sync", "async", "k-async, K=P/2"])
        self.assertEqual(legend_of(figure), [
            "2 workers", "4 workers", "8 workers", "16 workers", "predicted", "measured",
            "lowest to highest repeat", "error floor", "target"])
        lightness = [sum(colour) for colour in style.shades(4)]
        self.assertEqual(lightness, sorted(lightness))
        self.assertEqual({axes.get_yscale() for axes in figure.axes}, {"log"})
        self.assertEqual(len({axes.get_ylim() for axes in figure.axes}), 1)
        self.assertEqual(figure._supxlabel.get_text(), "time (s)")

    def test_the_lines_are_the_medians(self):
        axes = convergence.draw_by_updates(self.training).axes[1]
        row = next(row for row in self.training.rows if row["workers"] == 8
                   and row["source"] == "predicted" and row["policy"] == "async")
        curve = join_repeats(row.evaluations, LOSS, UPDATES)
        line = lines_of(axes, style.shades(4)[2])[0]
        # the axis is logarithmic: the line comes in where it begins, between 0 and the first
        self.assertEqual((list(line.get_xdata())[1:], list(line.get_ydata())[1:]),
                         (curve.x[1:], curve.middle[1:]))
        self.assertEqual(line.get_xdata()[0], axes.get_xlim()[0])

    def test_the_target_is_a_line(self):
        for axes in convergence.draw(self.training).axes:
            level = [list(line.get_ydata()) for line in axes.lines
                     if list(line.get_xdata()) == [0, 1]]
            self.assertEqual(level, [[0.05, 0.05]])

    def test_against_updates(self):
        figure = convergence.draw_by_updates(self.training)
        self.assertEqual(figure._supxlabel.get_text(), "updates")
        # async makes 8 times more updates with 16 workers than with 2: all become logarithmic
        self.assertEqual({axes.get_xscale() for axes in figure.axes}, {"log"})
        ends = {line.get_xdata()[-1] for line in figure.axes[1].lines}
        self.assertTrue({480, 960, 1920, 3840} <= ends)

    def test_a_floor_is_a_line_beside_the_frame_where_the_curve_is_level(self):
        curves = [dict(zip(CURVES, (point, "predicted", 0, place, place * 1e-3, 0, loss, "")))
                  for point, late in enumerate((lambda place: 0.02 + 0.01 * (place % 2),
                                                lambda place: 0.5 * 0.9 ** place))
                  for place in range(40) for loss in [2.0 if place == 0 else late(place)]]
        figure = convergence.draw(self.study(
            [blank_row(source="predicted", workers=2, policy=policy, loss_floor=floor)
             for policy, floor in (("sync", 0.025), ("async", 0.03))], curves=curves))
        axes, = figure.axes
        floors = [line for line in axes.lines if list(line.get_xdata()) == [0.965, 1.0]]
        self.assertEqual([(line.get_color(), list(line.get_ydata())) for line in floors],
                         [(style.COLOURS[0], [0.025, 0.025])])
        self.assertIn("error floor", legend_of(figure))

    def test_a_curve_that_ends_early_lies_within_the_frame(self):
        curves = [dict(zip(CURVES, (point, source, 0, place, place * 0.05, 0, loss, "")))
                  for point, losses in enumerate(((2.0, 14.0),
                                                  [2.0 * 0.9 ** place for place in range(99)]))
                  for source in ("predicted", "measured") for place, loss in enumerate(losses)]
        figure = convergence.draw(self.study(
            [blank_row(source=source, workers=2, policy=policy, status=status)
             for policy, status in (("sync", "diverged at update 1 (loss 14)"), ("async", "ok"))
             for source in ("predicted", "measured")], curves=curves))
        axes, = figure.axes
        self.assertEqual(axes.get_xscale(), "log")
        crosses = [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "X"]
        self.assertEqual(len(crosses), 2)
        low = axes.get_xlim()[0]
        self.assertTrue(all(1.5 * low < each < 0.05 for each in crosses), (low, crosses))
        measured = next(line for line in axes.lines if line.get_marker() == "o"
                        and len(line.get_xdata()) > 90)
        places = measured.get_markevery()
        self.assertNotIn(0, places)  # where the line comes in, nothing was measured
        marks = [math.log(measured.get_xdata()[place]) for place in places]
        gaps = [after - before for before, after in zip(marks, marks[1:])]
        self.assertLess(max(gaps[2:]), 1.5 * min(gaps[2:]))

    def test_what_has_no_place_is_in_every_panel(self):
        run = Training("adaptive", ["update"])
        run.add("adasync", 8, 1, ("{kind: adasync, k: 1}",))
        for policy in ("k-sync", "k-async"):
            for k in (1, 2, 4):
                run.add(policy, 8, k, (f"{{kind: {policy}, k: {k}}}",))
        run.write(self.root / "adaptive")
        study = Study([read_run(self.root / "adaptive")])
        figure = convergence.draw(study)
        self.assertEqual(titles_of(figure), ["k-sync", "k-async"])
        self.assertEqual(legend_of(figure)[:4], ["K 1", "K 2", "K 4", "adasync"])
        for axes in figure.axes:
            self.assertTrue(lines_of(axes, training_panels.ALONE[0]))
        axes, = throughput.draw(study).axes
        of_series = lines_of(axes, style.COLOURS[0])
        levels = [line for line in of_series if list(line.get_xdata()) == [0, 1]]
        row = next(row for row in study.rows if row["policy"] == "adasync"
                   and row["source"] == "predicted")
        self.assertEqual([line.get_ydata()[0] for line in levels], [row["throughput"]])
        marks = [line.get_xdata()[0] for line in of_series
                 if line.get_marker() == style.SHAPES[0]]
        self.assertEqual(len(marks), 2)  # predicted and measured, beyond the largest K
        self.assertGreater(min(marks), 4)

    def test_accuracy_in_per_cent(self):
        figure = convergence.draw_accuracy(self.training)
        self.assertEqual({axes.get_ylim() for axes in figure.axes}, {(0, 102)})
        self.assertNotIn("target", legend_of(figure))  # it is one of the loss

    def test_at_one_number_of_workers_the_panels_are_the_stragglers(self):
        figure = convergence.draw(self.policies)
        self.assertEqual(titles_of(figure), ["shifted-exponential", "pareto"])
        self.assertEqual(legend_of(figure)[:6], ["sync", "async", "ssp, slack 2", "ssp, slack 4",
                                                 "local-sgd", "k-sync, K=4"])

    def test_what_diverges_ends_in_a_cross_at_the_frame(self):
        figure = convergence.draw(self.policies)
        high = figure.axes[1].get_ylim()[1]
        crosses = [line for line in figure.axes[1].lines if line.get_marker() == "X"]
        self.assertEqual([line.get_ydata()[0] for line in crosses], [high, high])
        self.assertEqual([line for line in figure.axes[0].lines if line.get_marker() == "X"], [])
        self.assertIn("diverged", legend_of(figure))
        row = next(row for row in self.policies.rows if row.is_diverged)
        curve = join_repeats(row.evaluations, LOSS, TIME)
        at = crosses[0].get_xdata()[0]
        before = max(place for place, x in enumerate(curve.x) if x < at)
        self.assertLess(curve.middle[before], high)
        self.assertGreater(curve.middle[before + 1], high)

    def test_few_points_share_a_panel_under_their_names(self):
        run = Training("few", ["workers", "update"])
        for workers in (2, 4):
            run.add("sync", workers, workers, (workers, "sync"), repeats=1)
        folder = self.root / "few"
        run.write(folder)
        figure = convergence.draw(Study([read_run(folder)]))
        self.assertEqual(legend_of(figure), ["2 workers", "4 workers", "predicted", "measured",
                                             "target"])
        self.assertEqual(figure.axes[0].get_xlabel(), "time (s)")

    def test_a_loss_that_hardly_falls_is_drawn_from_zero(self):
        curves = [dict(zip(CURVES, (0, "predicted", 0, place, place * 1e-3, 0, loss, "")))
                  for place, loss in enumerate((2.0, 1.5, 1.0))]
        figure = convergence.draw(self.study([blank_row(source="predicted", workers=2,
                                                        target="loss 1.2")], curves=curves))
        axes, = figure.axes
        self.assertEqual((axes.get_yscale(), axes.get_ylim()[0]), ("linear", 0.0))
        self.assertEqual(axes.get_xlabel(), "time (ms)")
        self.assertEqual(legend_of(figure), ["predicted", "target"])

    def test_nothing_without_curves(self):
        study = self.study([blank_row(source="predicted", workers=2)])
        for draw in (convergence.draw, convergence.draw_by_updates, convergence.draw_accuracy,
                     staleness.draw, step_times.draw, time_to_target.draw, ratio.draw):
            self.assertIsNone(draw(study))


class Staleness(Drawn):
    def test_shares_of_each_source(self):
        counts = [dict(zip(("point", "source", "staleness", "gradients"), each)) for each in
                  ((0, "predicted", 0, 10), (0, "predicted", 1, 30), (0, "measured", 0, 1),
                   (0, "measured", 1, 2), (0, "measured", 2, 1))]
        figure = staleness.draw(self.study(
            [blank_row(source=source, workers=2) for source in ("predicted", "measured")],
            staleness=counts))
        axes, = figure.axes
        heights, edges, _ = axes.patches[0].get_data()
        self.assertEqual(list(heights), [25.0, 75.0, 0.0])
        self.assertEqual(list(edges), [-0.5, 0.5, 1.5, 2.5])
        self.assertEqual(list(axes.lines[0].get_ydata()), [25.0, 50.0, 25.0])
        self.assertEqual(axes.texts[0].get_text(), "mean 0.75 / 1.00")

    def test_points_without_stale_gradients_are_left_out(self):
        self.assertEqual(titles_of(staleness.draw(self.training)),
                         [f"{policy}, {workers} workers" for policy in ("async", "k-async, K=P/2")
                          for workers in (2, 4, 8, 16)])


class StepTimes(Drawn):
    def test_both_distributions_and_their_distance(self):
        figure = step_times.draw(self.training)
        self.assertEqual(len(figure.axes), 12)
        axes = figure.axes[0]
        predicted, measured = axes.lines
        self.assertEqual(predicted.get_ydata()[200], 50.0)
        self.assertAlmostEqual(measured.get_xdata()[0], 1.03 * 1000 * CONSTANT_S)
        self.assertEqual(axes.texts[0].get_text(), "KS 0.024")
        self.assertEqual(figure._supxlabel.get_text(), "step time (ms)")
        self.assertEqual(legend_of(figure), ["predicted", "measured"])
        self.assertLess(figure.get_size_inches()[1], 7.3)

    def test_of_too_many_points_every_series_keeps_as_many(self):
        one, other = object(), object()
        points = [Point(series, x, {}) for series in (one, other) for x in (1, 2, 4, 8, 16, 32)]
        self.assertEqual([(point.series, point.x) for point in choose_points(points, 5)],
                         [(one, 4), (one, 32), (other, 4), (other, 32)])
        self.assertEqual(choose_points(points, 12), points)


class Theory(Drawn):
    def test_no_exact_line_across_bounds(self):
        rows = [blank_row(source="theory", policy="k-async", workers=workers, k=1,
                          iteration_s_mean=workers, status=status)
                for workers, status in ((1, "ok"), (2, "ok"), (4, "bound"), (8, "ok"))]
        axes, = iteration.draw(self.study(rows)).axes
        self.assertEqual([list(line.get_xdata()) for line in axes.lines], [[1, 2], [8], [4]])


class Ratio(Drawn):
    def test_sync_over_async_in_theory(self):
        axes, = ratio.draw(self.training).axes
        theory = next(line for line in axes.lines if line.get_marker() in ("", "None"))
        self.assertEqual(list(theory.get_xdata()), [2, 4, 8, 16])
        harmonic = 1 + 1 / 2 + 1 / 3 + 1 / 4
        self.assertAlmostEqual(theory.get_ydata()[1],
                               (UPDATE_S + CONSTANT_S + MEAN_S * harmonic)
                               / (UPDATE_S + (CONSTANT_S + MEAN_S) / 4))
        self.assertEqual(axes.get_ylabel(), "iteration time, sync / async")

    def test_only_the_same_straggler_is_compared(self):
        rows = [blank_row(source="predicted", policy=policy, workers=workers, k=1,
                          iteration_s_mean=time_s * workers) | {"stragglers.kind": kind}
                for workers in (2, 4)
                for policy, kind, time_s in (("sync", "exponential", 6.0),
                                             ("async", "exponential", 2.0),
                                             ("sync", "pareto", 5.0), ("async", "pareto", 1.0))]
        figure = ratio.draw(self.study(rows, swept=["stragglers.kind"]))
        self.assertEqual(legend_of(figure)[:2], ["exponential", "pareto"])
        self.assertEqual([list(line.get_ydata()) for line in figure.axes[0].lines],
                         [[3.0, 3.0], [5.0, 5.0]])


class TimeToTarget(Drawn):
    def test_points_that_reached_it(self):
        axes, = time_to_target.draw(self.training).axes
        self.assertEqual(axes.get_ylabel(), "time to loss 0.05 (s)")
        reached = [row["workers"] for row in self.training.rows if row["policy"] == "async"
                   and row["source"] == "predicted" and row["time_to_target_s"]]
        line = lines_of(axes, style.COLOURS[1])[0]
        self.assertEqual(list(line.get_xdata()), reached)
        self.assertLess(reached[-1], 16)

    def test_cost_and_energy(self):
        axes, = time_to_target.draw_cost(self.training).axes
        self.assertEqual(axes.get_ylabel(), "cost to loss 0.05 (USD)")
        axes, = time_to_target.draw_energy(self.training).axes
        self.assertEqual(axes.get_ylabel(), "energy to loss 0.05 (Wh)")
        row = next(row for row in self.training.rows if row["policy"] == "async"
                   and row["source"] == "predicted" and row["workers"] == 2)
        line = lines_of(axes, style.COLOURS[1])[0]
        self.assertAlmostEqual(line.get_ydata()[0], row["energy_to_target_j"] / 3600)


class Dots(Drawn):
    def test_a_line_of_its_own_for_each_series_of_one_point(self):
        axes, = throughput.draw(self.policies).axes
        self.assertEqual([text.get_text() for text in axes.get_yticklabels()],
                         [f"{policy}, {kind}" for kind in ("shifted-exponential", "pareto")
                          for policy in ("sync", "async", "ssp, slack 2", "ssp, slack 4",
                                         "local-sgd", "k-sync, K=4")])
        self.assertEqual(axes.get_xlabel(), "throughput (samples/s)")

    def test_error_bars_are_standard_errors_never_the_jitter(self):
        rows = [blank_row(source="measured", policy=policy, workers=2, throughput=100,
                          throughput_stderr=stderr, throughput_jitter=500)
                for policy, stderr in (("sync", 3), ("async", ""))]
        axes, = throughput.draw(self.study(rows)).axes
        bars = [each for each in axes.containers if each.has_xerr]
        self.assertEqual(len(bars), 1)
        self.assertEqual(bars[0].lines[2][0].get_segments()[0][:, 0].tolist(), [97.0, 103.0])


if __name__ == "__main__":
    unittest.main()
