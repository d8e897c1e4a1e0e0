# SPDX-License-Identifier: MIT
"""Maps in flow style, as in results.csv, are split into entries."""

import unittest

from test_series import points, rows_of

from paceline.axis import choose_axis
from paceline.flow import flow_map, spread_maps
from paceline.series import group


class Flow(unittest.TestCase):
    def test_maps(self):
        for text, found in (
                ("sync", {}), ("50 %", {}), ("[1, 2]", {}), ("{}", {"": ""}),
                ("{kind: ssp, slack: 2}", {"kind": "ssp", "slack": "2"}),
                ("{kind: sgd, schedule: {kind: step, at: [1, 2]}, learning_rate: 0.1}",
                 {"kind": "sgd", "schedule.kind": "step", "schedule.at": "[1, 2]",
                  "learning_rate": "0.1"}),
                ('{path: "a, b: {c}", quote: "say \\"so\\""}',
                 {"path": "a, b: {c}", "quote": 'say "so"'})):
            self.assertEqual(flow_map(text), found, text)

    def test_bare_names_are_kinds_among_maps(self):
        rows = rows_of([points([("update", text), ("batch_rule", "x")], workers=2)
                        for text in ("sync", "{kind: ssp, slack: 2}", "")])
        spread_maps(rows)
        self.assertEqual([row.swept for row in rows], [
            {"update.kind": "sync", "update.slack": "", "batch_rule": "x"},
            {"update.kind": "ssp", "update.slack": "2", "batch_rule": "x"},
            {"update.kind": "", "update.slack": "", "batch_rule": "x"}])

    def test_bare_names_are_kinds_among_nested_maps(self):
        rows = rows_of([points([("optimizer", text)], workers=2) for text in (
            "{kind: sgd, staleness: average}", "{kind: sgd, staleness: {kind: distance, c: 1}}")])
        spread_maps(rows)
        self.assertEqual([row.swept for row in rows], [
            {"optimizer.kind": "sgd", "optimizer.staleness.kind": "average",
             "optimizer.staleness.c": ""},
            {"optimizer.kind": "sgd", "optimizer.staleness.kind": "distance",
             "optimizer.staleness.c": "1"}])

    def test_keys_without_maps_stay(self):
        rows = rows_of([points([("update", text)], workers=2) for text in ("sync", "async")])
        spread_maps(rows)
        self.assertEqual([row.swept["update"] for row in rows], ["sync", "async"])


class Names(unittest.TestCase):
    def labels(self, *swept, short=None, **cells):
        rows = rows_of([points(each, workers=workers, **cells) for each in swept
                        for workers in (1, 2)])
        spread_maps(rows, short)
        return [one.label for one in group(rows, choose_axis(rows))]

    def test_maps_of_one_kind_are_parted_by_their_short_names(self):
        ring, nccl = ("{kind: allreduce, algorithm: ring}", "{kind: allreduce, algorithm: nccl}")
        swept = [[("aggregation", text), ("workers", "")] for text in (ring, nccl)]
        names = {"aggregation": {ring: "allreduce ring", nccl: "allreduce nccl"}}
        self.assertEqual(self.labels(*swept, short=names, aggregation="allreduce"),
                         ["allreduce ring", "allreduce nccl"])
        # Without names in the manifest, maps are split as well.
        self.assertEqual(self.labels(*swept, aggregation="allreduce"),
                         ["algorithm ring", "algorithm nccl"])

    def test_models_and_updates_too(self):
        short, long = ("{kind: synthetic, compute: 10 ms}", "{kind: synthetic, compute: 40 ms}")
        self.assertEqual(self.labels([("model", short)], [("model", long)], model="synthetic",
                                     short={"model": {short: "synthetic 10 ms",
                                                      long: "synthetic 40 ms"}}),
                         ["synthetic 10 ms", "synthetic 40 ms"])
        half = "{kind: k-sync, k: 50 %}"
        rows = rows_of([points([("update", text)], policy=policy, workers=workers, k=k)
                        for text, policy in (("sync", "sync"), (half, "k-sync"))
                        for workers, k in ((2, 1), (4, 2))])
        spread_maps(rows, {"update": {"sync": "sync", half: "k-sync 50 %"}})
        self.assertEqual([one.label for one in group(rows, choose_axis(rows))],
                         ["sync", "k-sync 50 %"])

    def test_an_axis_through_the_maps_is_not_parted_by_their_names(self):
        texts = [f"{{kind: ssp, slack: {slack}}}" for slack in (0, 2, 8)]
        rows = rows_of([points([("update", text)], policy="ssp", workers=4, k=1)
                        for text in texts])
        spread_maps(rows, {"update": {text: f"ssp {text[-2]}" for text in texts}})
        self.assertEqual(len(group(rows, choose_axis(rows))), 1)

    def test_kinds_by_their_names(self):
        self.assertEqual(self.labels([("stragglers.compute", "none")],
                                     [("stragglers.compute", "{kind: pareto, shape: 2}")]),
                         ["no stragglers", "pareto"])

    def test_as_few_keys_as_tell_them_apart(self):
        self.assertEqual(self.labels(
            [("stragglers.compute", "{kind: exponential, mean: 5 ms}")],
            [("stragglers.compute", "{kind: exponential, mean: 9 ms}")],
            [("stragglers.compute", "{kind: pareto, minimum: 5 ms, shape: 2}")]),
            ["exponential, mean 5 ms", "exponential, mean 9 ms", "pareto"])

    def test_nested_kinds(self):
        self.assertEqual(self.labels(
            [("optimizer", "{kind: sgd, schedule: {kind: staleness}}")],
            [("optimizer", "{kind: sgd, schedule: {kind: none}}")]),
            ["schedule staleness", "schedule none"])

    def test_what_a_series_lacks_beside_others(self):
        self.assertEqual(self.labels(
            [("optimizer", "{kind: sgd, learning_rate: 0.3}")],
            [("optimizer", "{kind: sgd, learning_rate: 0.3, staleness: average}")],
            [("optimizer", "{kind: sgd, learning_rate: 0.3, staleness: {kind: distance, c: 1}}")]),
            ["staleness none", "staleness average", "staleness distance"])
        self.assertEqual(self.labels(
            [("optimizer", "{kind: sgd}")], [("optimizer", "{kind: sgd, decay: 0.1}")]),
            ["default decay", "decay 0.1"])

    def test_a_key_of_another_kind_is_not_lacking(self):
        rows = rows_of([points([("update", text)], policy=policy, workers=2)
                        for policy, text in (("sync", "sync"), ("ssp", "{kind: ssp, slack: 2}"),
                                             ("ssp", "{kind: ssp, slack: 4}"))])
        spread_maps(rows)
        found = group(rows, choose_axis(rows))
        self.assertEqual([one.label for one in found], ["sync", "ssp, slack 2", "ssp, slack 4"])
        self.assertEqual([one.lacks for one in found], [{}, {}, {}])

    def test_slack_along_the_axis(self):
        rows = rows_of([points([("update", f"{{kind: ssp, slack: {slack}}}")], policy="ssp",
                               workers=4, k=1) for slack in (0, 2, 8)])
        spread_maps(rows)
        axis = choose_axis(rows)
        self.assertEqual((axis.column, axis.label, [axis.value(row) for row in rows]),
                         ("update.slack", "slack", [0.0, 2.0, 8.0]))

    def test_a_k_that_moves_has_no_one_place(self):
        rows = rows_of([points(policy="adasync", workers=8, k=1),
                        *(points(policy="k-async", workers=8, k=k) for k in (1, 2, 4))])
        axis = choose_axis(rows)
        self.assertEqual([axis.point(row) for row in rows], ["from K 1", "K 1", "K 2", "K 4"])
        self.assertEqual([axis.is_loose(row) for row in rows], [True, False, False, False])
        self.assertEqual(choose_axis(rows_of([points(policy="adasync", workers=8, k=k)
                                              for k in (1, 2)])).loose, ())

    def test_sync_and_async_do_not_lie_along_k(self):
        rows = rows_of([points(policy=policy, workers=4, k=k)
                        for policy, k in (("sync", 4), ("async", 1), ("k-sync", 2))])
        self.assertEqual(choose_axis(rows).column, "workers")


if __name__ == "__main__":
    unittest.main()
