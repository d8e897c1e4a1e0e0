# SPDX-License-Identifier: MIT
"""The trainings of this folder against closed forms of docs/model.md: they are to judge others."""
import unittest

import columns
import delays
import policies_by_definition as comparison
import settings

WORKERS = 6


def setting_of(update, **more):
    """Workers whose mini-batches take an exponential time of mean 1 ms and nothing else."""
    return {"name": "checked", "workers": WORKERS, "batch": 1, "update": update, "arithmetic": 0.0,
            "aggregation": "parameter-server", "options": {},
            "compute": {"kind": "exponential", "mean": 1.0}, **more}


def trained(setting, rounds=3000):
    gradients = settings.gradients_of_update(setting)
    training = settings.training_of(setting, delays.Drawn(setting, 1), 1)
    before = rounds // 10 * WORKERS // gradients * gradients
    training.run(before + rounds * WORKERS // gradients * gradients)
    return columns.columns(training, before, setting)


def harmonic(n):
    return sum(1 / i for i in range(1, n + 1))


class Training(unittest.TestCase):
    def expect(self, setting, iteration_ms, staleness=None, within=0.03):
        got = trained(setting)
        self.assertAlmostEqual(1000 * got["iteration_s_mean"] / iteration_ms, 1, delta=within)
        if staleness is not None:
            self.assertAlmostEqual(got["staleness_mean"], staleness, delta=0.03 * max(staleness, 1))

    def test_times_and_staleness_of_exponential_mini_batches(self):
        last_of = harmonic(WORKERS)
        self.expect(setting_of("sync"), last_of, 0)
        self.expect(setting_of("k-sync", k=2), last_of - harmonic(WORKERS - 2), 0)
        self.expect(setting_of("k-batch-sync", k=4), 4 / WORKERS, 0)
        self.expect(setting_of("async"), 1 / WORKERS, WORKERS - 1)
        self.expect(setting_of("k-async", k=2), last_of - harmonic(WORKERS - 2), WORKERS / 2 - 1)
        self.expect(setting_of("k-batch-async", k=4), 4 / WORKERS, (WORKERS - 1) / 4)
        self.expect(setting_of("ssp", slack=0), last_of / WORKERS, (WORKERS - 1) / 2)
        self.expect(setting_of("downpour", push_every=1, fetch_every=1), 1 / WORKERS,
                    2 * WORKERS - 1)
        self.expect(setting_of("local-sgd", several=1), last_of, 0)

    def test_copies_between_equal_links(self):
        linked = {"arithmetic": 10.0, "compute": {"kind": "constant", "value": 0.0},
                  "gradient_kb": 3000, "link": {"bandwidth": 1000.0, "latency": 0.5}}
        one_way = 2 * 0.5 + WORKERS * 3.0  # all workers at once over the server's link
        self.expect(setting_of("sync", **linked), 10 + 2 * one_way, within=1e-9)
        ring = 2 * (WORKERS - 1) * (2 * 0.5 + 3.0 / WORKERS)
        linked.update(aggregation="allreduce", options={"algorithm": {"kind": "ring"}})
        self.expect(setting_of("sync", **linked), 10 + ring, within=1e-9)

    def test_a_wrong_figure_is_found(self):
        names = ("step_s_mean", "throughput", "wait_s", "exposed_comm_s")
        own = {name: (1.0, 0.0) for name in names}
        row = dict.fromkeys(own, "1.005") | {"status": "ok", "throughput_stderr": "0"}
        self.assertEqual(comparison.differences(own, row), [])
        row["throughput"] = "1.02"
        self.assertEqual([found[0] for found in comparison.differences(own, row)], ["throughput"])


if __name__ == "__main__":
    unittest.main()
