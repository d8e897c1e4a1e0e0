# SPDX-License-Identifier: MIT
"""Curves over the axis and rows of dots: lines, names, error bars and keys."""

import unittest

from sample import blank_row  # sets sys.path
from training_studies import Studies, keys_of, lines_of

from paceline import agreement
from paceline import bandwidth
from paceline import efficiency
from paceline import iteration
from paceline import throughput


class Curves(Studies):
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


class Collectives(Studies):
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


class Dots(Studies):
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
