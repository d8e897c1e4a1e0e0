# SPDX-License-Identifier: MIT
"""Which curves of training share a panel, in which colours."""

import unittest

from sample_training import Training
from training_studies import Studies, keys_of, labels_of, lines_of, marks_of, titles_of

from paceline import convergence
from paceline import palette
from paceline import throughput
from paceline import time_to_target
from paceline import training_panels
from paceline.shapes import MARKS
from paceline.study import Study, read_run


class TrainingPanels(Studies):
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

    def test_at_one_number_of_workers_the_panels_are_the_stragglers(self):
        figure = convergence.draw(self.policies)
        self.assertEqual(titles_of(figure), ["shifted-exponential", "pareto"])
        self.assertEqual(labels_of(figure.panels[0]), ["sync", "async", "ssp, slack 2",
                                                       "ssp, slack 4", "local-sgd", "k-sync, K=4"])

    def test_one_series_shares_a_panel_in_ordered_colours(self):
        run = Training("few", ["workers", "update"])
        for workers in (2, 4):
            run.add("sync", workers, workers, (workers, "sync"), repeats=1)
        folder = self.root / "few"
        run.write(folder)
        panel, = convergence.draw(Study([read_run(folder)])).panels
        self.assertEqual(labels_of(panel), ["2 workers", "4 workers"])
        self.assertEqual([colour for _, _, colour, _ in panel.labels], palette.shades(2))


if __name__ == "__main__":
    unittest.main()
