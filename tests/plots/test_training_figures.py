# SPDX-License-Identifier: MIT
"""The figures of training: the data of the lines, their names, limits and marks."""

import math
import tempfile
import unittest
from pathlib import Path

from sample import blank_row, write_csv  # sets sys.path
from sample_training import (CONSTANT_S, CURVES, MEAN_S, UPDATE_S, Training, write_policies,
                             write_training)

from paceline import agreement
from paceline import bandwidth
from paceline import convergence
from paceline import efficiency
from paceline import iteration
from paceline import palette
from paceline import ratio
from paceline import staleness
from paceline import step_times
from paceline import throughput
from paceline import time_to_target
from paceline import training_panels
from paceline.convergence import LOSS, TIME, UPDATES, join_repeats
from paceline.evaluations import Evaluation
from paceline.points import Point, choose_points
from paceline.results import COLUMNS
from paceline.shapes import MARKS, Area, Line
from paceline.study import Study, read_run


def keys_of(figure):
    return [key.label for key in figure.keys]


def titles_of(figure):
    return [panel.title for panel in figure.panels]


def labels_of(panel):
    return [text for _, text, _, _ in panel.labels]


def lines_of(panel, colour=None):
    return [shape for shape in panel.lines if isinstance(shape, Line)
            and (colour is None or shape.colour == colour)]


def marks_of(panel, shape):
    return [mark for mark in panel.marks if getattr(mark, "shape", "") == shape]


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
        write_csv(Path(folder.name) / "results.csv", [*COLUMNS, *swept], rows)
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
    def test_policies_share_the_panel_of_a_number_of_workers(self):
        figure = convergence.draw(self.training)
        self.assertEqual(titles_of(figure), ["2 workers", "4 workers", "8 workers", "16 workers"])
        for panel in figure.panels:
            self.assertEqual(labels_of(panel), ["sync", "async", "k-async, K=P/2"])
            self.assertEqual([colour for _, _, colour, _ in panel.labels],
                             list(palette.SERIES[:3]))
        self.assertEqual(keys_of(figure), ["predicted", "measured", "lowest to highest repeat",
                                           "error floor", "target"])
        self.assertEqual({(panel.x.low, panel.x.high, panel.y.low, panel.y.high)
                          for panel in figure.panels},
                         {(figure.panels[0].x.low, figure.panels[0].x.high,
                           figure.panels[0].y.low, figure.panels[0].y.high)})
        self.assertTrue(figure.panels[0].x.is_log and figure.panels[0].y.is_log)
        self.assertEqual(figure.panels[0].x_label, "time (s)")

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

    def test_what_has_no_place_is_in_every_panel(self):
        run = Training("adaptive", ["update"])
        run.add("adasync", 8, 1, ("{kind: adasync, k: 1}",))
        for policy in ("k-sync", "k-async"):
            for k in (1, 2, 4, 8):
                run.add(policy, 8, k, (f"{{kind: {policy}, k: {k}}}",))
        run.write(self.root / "adaptive")
        study = Study([read_run(self.root / "adaptive")])
        figure = convergence.draw(study)
        self.assertEqual(titles_of(figure), ["k-sync", "k-async"])
        for panel in figure.panels:
            self.assertEqual(labels_of(panel), ["K 1", "K 2", "K 4", "K 8", "adasync"])
            self.assertTrue(lines_of(panel, training_panels.ALONE[0]))
        panel, = throughput.draw(study).panels
        row = next(row for row in study.rows if row["policy"] == "adasync"
                   and row["source"] == "predicted")
        levels = [line.points for line in lines_of(panel, palette.SERIES[0])
                  if line.points[0] == (panel.x.low, row["throughput"])]
        self.assertEqual(levels, [((panel.x.low, row["throughput"]),
                                   (panel.x.high, row["throughput"]))])
        beyond = [mark.x for mark in marks_of(panel, MARKS[0])]
        self.assertEqual(beyond, [panel.x.high] * 2)  # predicted and measured, beyond the largest K
        self.assertGreater(panel.x.high, 8)

    def several_k(self):
        """The study of five policies of 8 workers, two of which differ in K alone."""
        run = Training("several", ["update"])
        for policy, k, text in (("sync", 8, "sync"), ("k-async", 2, "{kind: k-async, k: 2}"),
                                ("k-async", 4, "{kind: k-async, k: 4}"), ("async", 1, "async"),
                                ("k-sync", 4, "{kind: k-sync, k: 4}")):
            run.add(policy, 8, k, (text,))
        run.write(self.root / "several")
        return Study([read_run(self.root / "several")])

    def test_few_policies_share_one_panel_though_k_varies(self):
        study = self.several_k()
        self.assertEqual(study.axis.column, "k")
        figure = convergence.draw(study)
        panel, = figure.panels
        self.assertEqual(labels_of(panel),
                         ["sync", "k-async, K 2", "k-async, K 4", "async", "k-sync, K 4"])
        colours = [colour for _, _, colour, _ in panel.labels]
        self.assertEqual(colours[1], colours[2])
        self.assertEqual(len(set(colours)), 4)
        opacities = [line.opacity for line in lines_of(panel, colours[1]) if len(line.points) > 3]
        self.assertEqual(opacities, [training_panels.FAINTEST, 1.0])
        self.assertEqual(figure.note, "fainter lines: smaller K")

    def test_a_policy_without_k_is_a_level_across_the_axis_of_k(self):
        panel, = time_to_target.draw(self.several_k()).panels
        levels = {line.colour: line for line in lines_of(panel)
                  if line.points[0][0] == panel.x.low and line.points[-1][0] == panel.x.high}
        self.assertEqual(sorted(levels), sorted(colour for _, text, colour, _ in panel.labels
                                                if text in ("sync", "async")))
        for _, text, colour, x in panel.labels:
            if text in ("sync", "async"):
                self.assertIsNone(x)  # named at the right edge: no leader through the panel

    def test_accuracy_in_per_cent(self):
        figure = convergence.draw_accuracy(self.training)
        self.assertEqual({(panel.y.low, panel.y.high) for panel in figure.panels}, {(0, 101)})
        self.assertNotIn("target", keys_of(figure))  # it is a target of the loss

    def test_at_one_number_of_workers_the_panels_are_the_stragglers(self):
        figure = convergence.draw(self.policies)
        self.assertEqual(titles_of(figure), ["shifted-exponential", "pareto"])
        self.assertEqual(labels_of(figure.panels[0]), ["sync", "async", "ssp, slack 2",
                                                       "ssp, slack 4", "local-sgd", "k-sync, K=4"])

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

    def test_one_series_shares_a_panel_in_ordered_colours(self):
        run = Training("few", ["workers", "update"])
        for workers in (2, 4):
            run.add("sync", workers, workers, (workers, "sync"), repeats=1)
        folder = self.root / "few"
        run.write(folder)
        panel, = convergence.draw(Study([read_run(folder)])).panels
        self.assertEqual(labels_of(panel), ["2 workers", "4 workers"])
        self.assertEqual([colour for _, _, colour, _ in panel.labels], palette.shades(2))

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


class Staleness(Drawn):
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


class StepTimes(Drawn):
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


class Curves(Drawn):
    def rows(self, policy, throughputs, **cells):
        return [blank_row(source="measured", policy=policy, workers=workers, k=1,
                          throughput=throughput, **cells)
                for workers, throughput in throughputs.items()]

    def test_no_exact_line_across_bounds(self):
        rows = [blank_row(source="theory", policy="k-async", workers=workers, k=1,
                          iteration_s_mean=workers, status=status)
                for workers, status in ((1, "ok"), (2, "ok"), (4, "bound"), (8, "ok"))]
        panel, = iteration.draw(self.study(rows)).panels
        self.assertEqual([[x for x, _ in line.points] for line in lines_of(panel)],
                         [[1, 2], [4], [8]])

    def test_series_are_named_at_their_ends_beside_perfect_scaling(self):
        figure = throughput.draw(self.study(self.rows("sync", {1: 100, 8: 400})
                                            + self.rows("async", {1: 104, 8: 800})))
        panel, = figure.panels
        self.assertEqual([(y, text, x) for y, text, _, x in panel.labels],
                         [(400.0, "sync", 8), (800.0, "async", 8)])
        ideal, = lines_of(panel, "muted")  # bases that differ by 4 % share a line
        for x, y in ideal.points:
            self.assertAlmostEqual(y / x, 100)
        self.assertEqual(keys_of(figure), ["measured", "perfect scaling"])
        self.assertLessEqual(panel.y.ticks[0][0], 100)  # a tick at or below the first point

    def test_the_base_lends_its_error_to_the_efficiency(self):
        rows = [blank_row(source="measured", workers=workers, throughput=100 * workers,
                          efficiency=1.0, throughput_stderr=error)
                for workers, error in ((1, 6), (2, 16))]
        panel, = efficiency.draw(self.study(rows)).panels
        bars = [line.points for line in panel.lines if line.source == "measured"
                and len({x for x, _ in line.points}) == 1]
        self.assertEqual([[y for _, y in bar] for bar in bars], [[94.0, 106.0], [90.0, 110.0]])
        self.assertEqual(panel.y.low, 0)


class Collectives(Drawn):
    def test_what_they_are_compared_with_is_not_called_published(self):
        """The log of nccl-tests may be the reader's own."""
        rows = [blank_row(source=source, workers=8, policy="", throughput=rate, busbw=rate,
                          iteration_s_mean=1.0) | {"swept.workload.size": size}
                for size, rate in (("1 MiB", 1e9), ("8 MiB", 4e9))
                for source in ("predicted", "published")]
        study = self.study(rows, swept=["swept.workload.size"])
        figure = bandwidth.draw_bus(study)
        self.assertEqual(keys_of(figure), ["predicted", "nccl-tests"])
        tips = " ".join(mark.tip for mark in figure.panels[0].marks if hasattr(mark, "tip"))
        self.assertNotIn("published", tips)
        self.assertEqual(bandwidth.finding_of_bus(study), "At 8 MiB: 4 GB/s (nccl-tests).")
        self.assertNotIn("published", agreement.draw(study).panels[0].x_label)


class Ratio(Drawn):
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


class TimeToTarget(Drawn):
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


class Dots(Drawn):
    def test_a_row_of_its_own_for_each_series_of_one_point(self):
        panel, = throughput.draw(self.policies).panels
        names = [shape[0].text for shape in panel.marks if isinstance(shape, tuple)]
        self.assertEqual(names, [f"{policy}, {kind}" for kind in ("shifted-exponential", "pareto")
                                 for policy in ("sync", "async", "ssp, slack 2", "ssp, slack 4",
                                                "local-sgd", "k-sync, K=4")])
        self.assertEqual(panel.x_label, "throughput (samples/s)")

    def test_error_bars_are_standard_errors_never_the_jitter(self):
        rows = [blank_row(source="measured", policy=policy, workers=2, throughput=100,
                          throughput_stderr=stderr, throughput_jitter=500)
                for policy, stderr in (("sync", 3), ("async", ""))]
        panel, = throughput.draw(self.study(rows)).panels
        bar, = lines_of(panel)
        self.assertEqual([x for x, _ in bar.points], [97.0, 103.0])


if __name__ == "__main__":
    unittest.main()
