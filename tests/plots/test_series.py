# SPDX-License-Identifier: MIT
"""The grouping of rows: series, labels, panels and the axis; and the errors of pairs."""

import unittest

from sample import blank_row, dgx1_rows, quickstart_rows  # sets sys.path

from paceline.axis import WORKERS, choose_axis
from paceline.comparison import pair_up
from paceline.results import COLUMNS, Row, SWEPT, TEXT
from paceline.series import group, panels


def rows_of(dicts):
    """Rows as read from a file."""
    return [Row({key: row[key] if key in TEXT else None if row[key] == "" else row[key]
                 for key in COLUMNS},
                {key.removeprefix(SWEPT): str(value) for key, value in row.items()
                 if key.startswith(SWEPT)}, 0) for row in dicts]


def points(swept=(), **cells):
    """One predicted row; `swept` are pairs of a dotted path and a text."""
    return blank_row(source="predicted", throughput=1.0, **cells) | {
        f"{SWEPT}{key}": text for key, text in swept}


def labels(dicts):
    rows = rows_of(dicts)
    return [one.label for one in group(rows, choose_axis(rows))]


class Grouping(unittest.TestCase):
    def test_quickstart(self):
        rows = rows_of(quickstart_rows())
        found = group(rows, WORKERS)
        self.assertEqual([one.label for one in found],
                         ["sync", "k-sync, K=P/2", "async", "k-async, K=P/2"])
        for one in found:
            self.assertEqual(list(one.by_source), ["theory", "predicted", "measured"])
            self.assertEqual([x for x, _ in one.by_source["measured"]], [1, 2, 4, 8, 16])

    def test_models_name_the_series_though_the_batch_differs_too(self):
        self.assertEqual(labels(dgx1_rows()),
                         ["inception3", "resnet50", "resnet152", "alexnet", "vgg16"])

    def test_one_series_needs_no_label(self):
        self.assertEqual(labels([points(model="m", workers=w) for w in (1, 2)]), [""])

    def test_several_k_at_one_number_of_workers_are_several_series(self):
        self.assertEqual(labels([points(policy="k-sync", workers=w, k=k)
                                 for w in (4, 8) for k in (2, 4)]), ["k-sync, K=2", "k-sync, K=4"])

    def test_numbers_of_ranks_are_series_where_sizes_are_the_axis(self):
        rows = rows_of([points([("workload.size", size), ("workload.algorithm", algorithm)],
                               workers=ranks) for ranks in (2, 8) for size in ("1 KiB", "1 MiB")
                        for algorithm in ("ring", "nccl")])
        found = group(rows, choose_axis(rows))
        self.assertEqual([one.label for one in found],
                         [f"{ranks} ranks, algorithm {algorithm}" for algorithm in ("ring", "nccl")
                          for ranks in (2, 8)])
        for one in found:
            self.assertEqual([x for x, _ in one.by_source["predicted"]], [1024, 1048576])

    def test_shares_of_the_workers(self):
        rows = [points([("update.k", f"{share} %")], policy="k-sync", workers=w, k=k)
                for share, w, k in ((25, 4, 1), (25, 8, 2), (75, 4, 3), (75, 8, 6))]
        self.assertEqual(labels(rows), ["k-sync, K=0.25P", "k-sync, K=0.75P"])

    def test_strong_scaling_is_one_series(self):
        rows = [points([("global_batch", g)], workers=w, batch=g // w)
                for g in (256, 512) for w in (1, 2, 4)]
        self.assertEqual(labels(rows), ["global_batch 256", "global_batch 512"])

    def test_a_swept_key_parts_series(self):
        rows = [points([("stragglers.compute.mean", mean)], policy=policy, workers=w)
                for policy in ("sync", "async") for mean in ("0 ms", "10 ms") for w in (1, 2)]
        self.assertEqual(labels(rows), ["sync, mean 0 ms", "sync, mean 10 ms", "async, mean 0 ms",
                                        "async, mean 10 ms"])

    def test_no_series_is_named_like_the_axis(self):
        rows = [points([("input.decode.workers", count)], workers=w)
                for count in (2, 4) for w in (1, 2)]
        self.assertEqual(labels(rows), ["decode.workers 2", "decode.workers 4"])

    def test_a_swept_key_has_the_shortest_end_that_names_it_alone(self):
        rows = [points([("input.decode.time", first), ("validation.decode.time", second),
                        ("input.prefetch", prefetch)], workers=w)
                for first in ("1 ms", "2 ms") for second in ("1 ms", "2 ms")
                for prefetch in (1, 4) for w in (1, 2)]
        self.assertEqual(labels(rows)[0],
                         "input.decode.time 1 ms, validation.decode.time 1 ms, prefetch 1")

    def test_a_job_is_named_as_in_the_terminal(self):
        """By its own name, whether or not it differs from the others in its model."""
        for models in (("m", "m"), ("m", "n")):
            rows = [points([("job", job), ("fabric", fabric)], model=model, workers=8)
                    for job, model in zip(("night", "day"), models)
                    for fabric in ("alone", "shared")]
            self.assertEqual(labels(rows), ["night, fabric alone", "night, fabric shared",
                                            "day, fabric alone", "day, fabric shared"])

    def test_the_same_point_in_two_runs(self):
        rows = rows_of([points(workers=w) for w in (1, 2)] * 2)
        for row, run in zip(rows, ("old", "old", "new", "new")):
            row.run = run
        self.assertEqual([one.label for one in group(rows, WORKERS)], ["old", "new"])


class Axes(unittest.TestCase):
    def test_workers_first(self):
        rows = rows_of([points(workers=w, batch=b) for w in (1, 2) for b in (1, 2, 3)])
        self.assertEqual(choose_axis(rows), WORKERS)

    def test_k_where_workers_are_fixed(self):
        dicts = [points([("update.k", k)], policy="k-sync", workers=8, k=k) for k in range(1, 9)]
        rows = rows_of(dicts)
        axis = choose_axis(rows)
        self.assertEqual((axis.column, axis.label), ("k", "K"))
        self.assertEqual(len(group(rows, axis)), 1)
        self.assertEqual(axis.point(rows[2]), "K 3")

    def test_a_swept_quantity(self):
        rows = rows_of([points([("stragglers.mean", f"{mean} ms")], workers=8)
                        for mean in (5, 10, 20)])
        axis = choose_axis(rows)
        self.assertEqual((axis.label, axis.value(rows[1])), ("stragglers.mean (ms)", 10.0))
        self.assertEqual(axis.point(rows[1]), "mean 10 ms")


    def test_a_swept_number_of_loaders_is_not_called_workers(self):
        rows = rows_of([points([("input.decode.workers", count)], workers=8)
                        for count in (2, 4, 8)])
        axis = choose_axis(rows)
        self.assertEqual((axis.label, axis.point(rows[0])),
                         ("input.decode.workers", "decode.workers 2"))


class Panels(unittest.TestCase):
    def parted(self, *fields):
        rows = rows_of([points(workers=w, **cells) for cells in fields for w in (1, 2)])
        return [(title, [label for label, _ in members])
                for title, members in panels(group(rows, WORKERS))]

    def test_few_series_share_a_panel(self):
        self.assertEqual(self.parted({"policy": "sync"}, {"policy": "async"}),
                         [("", ["sync", "async"])])

    def test_many_series_get_a_panel_per_model(self):
        cells = [{"model": m, "policy": p} for m in ("a", "b", "c") for p in ("sync", "async")]
        self.assertEqual(self.parted(*cells), [("a", ["sync", "async"]), ("b", ["sync", "async"]),
                                               ("c", ["sync", "async"])])

    def test_a_single_field_gets_a_panel_each(self):
        self.assertEqual(self.parted(*({"model": m} for m in "abcdef")),
                         [(m, [""]) for m in "abcdef"])


class Errors(unittest.TestCase):
    def pairs(self, *dicts):
        rows = rows_of(dicts)
        return pair_up(group(rows, WORKERS), WORKERS)

    def test_known_figures(self):
        found = self.pairs(*(row for w, predicted, measured in
                             ((1, 1.02, 1.0), (2, 0.9, 1.0), (4, 2.1, 2.0), (8, 3.0, 3.0))
                             for row in (points(workers=w) | {"throughput": predicted},
                                         points(workers=w)
                                         | {"source": "measured", "throughput": measured})))
        for pair, error in zip(found, (0.02, -0.1, 0.05, 0.0), strict=True):
            self.assertAlmostEqual(pair.error, error)
            self.assertEqual(pair.quantity, "throughput")

    def test_the_error_has_the_sign_of_the_throughput_that_is_shown(self):
        pair, = self.pairs(points(workers=1, iteration_s_mean=2.0) | {"throughput": 90.0},
                           points(workers=1, iteration_s_mean=1.8)
                           | {"source": "measured", "throughput": 100.0})
        self.assertEqual(pair.quantity, "throughput")
        self.assertAlmostEqual(pair.error, -0.1)
        self.assertEqual(pair.sides("throughput"), (100.0, 90.0))
        self.assertEqual(pair.sides("time per update"), (1.8, 2.0))

    def test_times_where_no_throughput_was_observed(self):
        pair, = self.pairs(points(workers=1, iteration_s_mean=2.0),
                           points(workers=1, iteration_s_mean=1.6)
                           | {"source": "measured", "throughput": ""})
        self.assertEqual(pair.quantity, "time per update")
        self.assertAlmostEqual(pair.error, 0.25)
        self.assertIsNone(pair.sides("throughput"))

    def test_a_row_that_calibrated_the_prediction_is_not_counted(self):
        found = self.pairs(*(row for w, observed in ((1, 100.0), (2, 160.0)) for row in (
            points(workers=w, layer_times="published") | {"throughput": 100.0 * w},
            points(workers=w) | {"source": "published", "throughput": observed})))
        self.assertEqual([pair.is_given for pair in found], [True, False])
        self.assertAlmostEqual(found[1].error, 0.25)

    def test_a_row_of_one_worker_checks_predictions_from_other_layer_times(self):
        for layer_times, given in (("roofline", False), ("published", True), ("", True)):
            pair, = self.pairs(
                points(workers=1, layer_times=layer_times) | {"throughput": 100.0},
                points(workers=1) | {"source": "published", "throughput": 100.0})
            self.assertEqual(pair.is_given, given, layer_times)

    def test_only_the_same_point_is_compared(self):
        other = points(workers=2, iteration_s_mean=1.0) | {"source": "measured"}
        self.assertEqual(self.pairs(points(workers=1, iteration_s_mean=1.0), other), [])


if __name__ == "__main__":
    unittest.main()
