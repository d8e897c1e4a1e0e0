# SPDX-License-Identifier: MIT
"""Writes results folders of runs with training: curves, staleness and step times in addition.

    python3 tests/plots/sample_training.py OUTDIR    writes OUTDIR/training and OUTDIR/policies
"""

import math
import random
import sys
from pathlib import Path

from sample import blank_row, write_csv  # sets sys.path

from paceline.results import COLUMNS

SHARES = [place / 400 for place in range(401)]
TARGET = 0.05
FACTORS = {"predicted": 1.0, "measured": 1.03}
CONSTANT_S, MEAN_S, UPDATE_S, BATCH = 0.008, 0.010, 0.001, 32
CURVES = ("point", "source", "repeat", "updates", "time_s", "items", "loss", "accuracy")
STEP_TIMES = ("point", "source", "steps", "mean_s", "cv", "share", "step_s")


class Training:
    """One results folder under construction."""

    def __init__(self, experiment, swept):
        self.experiment, self.columns = experiment, [f"swept.{key}" for key in swept]
        self.rows, self.curves, self.staleness, self.step_times = [], [], [], []
        self.points = 0

    def add(self, policy, workers, k, texts, kind="shifted-exponential", repeats=3, rate=0.01,
            diverges=False):
        """Adds a point from theory, prediction and measurement; `texts` are the swept keys' cells.
        """
        point, self.points = self.points, self.points + 1
        waits = policy in ("sync", "k-sync")
        harmonic = sum(1 / (workers - i) for i in range(k))
        step_s = CONSTANT_S + MEAN_S
        iteration_s = UPDATE_S + (CONSTANT_S + MEAN_S * harmonic if waits else step_s * k / workers)
        for source in ("theory", *FACTORS):
            factor = FACTORS.get(source, 1.0)
            row = blank_row(experiment=self.experiment, source=source, model="mlp", machine="this",
                            device="host", policy=policy, k=k, aggregation="parameter-server",
                            workers=workers, batch=BATCH, item="sample",
                            iteration_s_mean=iteration_s * factor,
                            throughput=BATCH * k / iteration_s / factor) | dict(
                                zip(self.columns, texts))
            if source == "theory":
                self.rows.append(row)
                continue
            row |= self._train(point, source, policy, workers, k, iteration_s * factor, repeats,
                               rate, diverges)
            self.rows.append(row)
            self._write_step_times(point, source, kind, factor)

    def _train(self, point, source, policy, workers, k, iteration_s, repeats, rate, diverges):
        """Adds curves and staleness; returns the cells of the row."""
        draw = random.Random(f"{source} {point}")
        stale = 0.0 if policy in ("sync", "k-sync") else (workers - 1) / k
        updates = 240 * workers // k
        floor = 0.004 * (1 + stale) / k
        reached = []
        for repeat in range(repeats):
            pace = draw.gauss(1.0, 0.02)
            hit = None
            for place in range(41):
                done = updates * place // 40
                loss = floor + 2.3 * math.exp(-rate * k ** 0.5 * done / (1 + stale / 6))
                loss *= math.exp(draw.gauss(0, 0.12 if done else 0))
                if diverges:
                    loss = 2.3 * math.exp((done / updates) ** 2 * 9)
                    if done > 0.6 * updates:
                        break
                time_s = done * iteration_s * pace
                if hit is None and loss <= TARGET:
                    hit = (time_s, done)
                self.curves.append(dict(zip(CURVES, (
                    point, source, repeat, done, time_s, done * k * BATCH, loss,
                    max(0.1, 0.97 - 0.4 * loss)))))
            reached.append(hit)
        if stale:
            for staleness, share in _poisson(stale):
                self.staleness.append({"point": point, "source": source, "staleness": staleness,
                                       "gradients": round(5000 * share)})
        row = {"updates": updates, "staleness_mean": stale, "loss_floor": floor, "target":
               f"loss {TARGET:g}", "loss_final": floor, "idle_share": 0.1, "failures": 0}
        if diverges:
            return row | {"status": "diverged at update 140 (loss 61)"}
        if all(reached):
            time_s = sum(hit[0] for hit in reached) / repeats
            row |= {"time_to_target_s": time_s, "time_to_target_stderr": 0.01 * time_s,
                    "updates_to_target": sum(hit[1] for hit in reached) / repeats,
                    "cost_to_target": workers * time_s / 3600 * 2.0,
                    "energy_to_target_j": workers * time_s * 300}
        return row

    def _write_step_times(self, point, source, kind, factor):
        quantile = {"shifted-exponential": lambda q: CONSTANT_S - MEAN_S * math.log(1 - q),
                    "constant": lambda q: CONSTANT_S + MEAN_S * (1 + 0.001 * q),
                    "pareto": lambda q: CONSTANT_S + 0.005 * (1 - q) ** -0.5}[kind]
        cv = {"shifted-exponential": 0.55, "constant": 0.001, "pareto": 0.9}[kind]
        for share in SHARES:
            self.step_times.append(dict(zip(STEP_TIMES, (
                point, source, 2000, (CONSTANT_S + MEAN_S) * factor, cv, share,
                factor * quantile(min(share, 0.9995))))))

    def write(self, directory):
        """Writes the four files."""
        write_csv(directory / "results.csv", [*COLUMNS, *self.columns], self.rows)
        write_csv(directory / "curves.csv", CURVES, self.curves)
        write_csv(directory / "staleness.csv", ("point", "source", "staleness", "gradients"),
                  self.staleness)
        write_csv(directory / "step_times.csv", STEP_TIMES, self.step_times)


def _poisson(mean):
    """(value, share) for all shares that are not negligible."""
    share, found = math.exp(-mean), []
    for value in range(int(mean + 8 * math.sqrt(mean)) + 2):
        found.append((value, share))
        share *= mean / (value + 1)
    return found


def write_training(directory):
    """Three policies at four numbers of workers."""
    run = Training("training", ["workers", "update"])
    for workers in (2, 4, 8, 16):
        for policy, k, text in (("sync", workers, "sync"), ("async", 1, "async"),
                                ("k-async", workers // 2, "{kind: k-async, k: 50 %}")):
            run.add(policy, workers, k, (workers, text))
    run.write(directory)


def write_policies(directory):
    """Policies with their own keys under two kinds of straggler, at one number of workers."""
    run = Training("policies", ["update", "stragglers.compute"])
    for kind, text in (("shifted-exponential", "{kind: shifted-exponential, shift: 8 ms, "
                                               "mean: 18 ms}"), ("pareto", "{kind: pareto, "
                                               "minimum: 5 ms, shape: 2}")):
        for policy, k, update in (("sync", 8, "sync"), ("async", 1, "async"),
                                  ("ssp", 1, "{kind: ssp, slack: 2}"),
                                  ("ssp", 1, "{kind: ssp, slack: 4}"),
                                  ("local-sgd", 8, "{kind: local-sgd, every: 4}"),
                                  ("k-sync", 4, "{kind: k-sync, k: 4}")):
            run.add(policy, 8, k, (update, text), kind,
                    diverges=policy == "async" and kind == "pareto")
    run.write(directory)


if __name__ == "__main__":
    write_training(Path(sys.argv[1]) / "training")
    write_policies(Path(sys.argv[1]) / "policies")
