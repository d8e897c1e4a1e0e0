# SPDX-License-Identifier: MIT
"""Writes results folders like those of a run, for tests and to look at the figures.

    python3 tests/plots/sample.py OUTDIR     writes OUTDIR/quickstart and OUTDIR/dgx1
"""

import csv
import json
import math
import random
import sys
from pathlib import Path

from folders import InOneFolder

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "plots"))

from paceline.results import COLUMNS  # noqa: E402

WORKERS = (1, 2, 4, 8, 16)
SHIFT_S, MEAN_S, COMPUTE_S, COMM_S, BATCH = 0.080, 0.020, 0.030, 0.004, 32

# images/s on a DGX-1 with P100, TensorFlow's benchmarks of 2017 (synthetic data), 1, 2, 4, 8 GPUs
DGX1 = {"inception3": (64, (142.0, 284.0, 569.0, 1131.0)),
        "resnet50": (64, (219.0, 422.0, 852.0, 1734.0)),
        "resnet152": (64, (91.8, 181.0, 356.0, 716.0)),
        "alexnet": (512, (2987.0, 5658.0, 10509.0, 17822.0)),
        "vgg16": (64, (154.0, 295.0, 584.0, 1081.0))}
DGX1_PREDICTED = {"inception3": (1.0, 0.993, 0.985, 0.981), "resnet50": (1.0, 1.021, 1.003, 0.968),
                  "resnet152": (1.0, 1.004, 1.012, 0.99), "alexnet": (1.0, 1.037, 1.062, 1.093),
                  "vgg16": (1.0, 1.012, 0.985, 1.041)}


def blank_row(**cells):
    """A row of results.csv, blank except for the given cells."""
    return {**dict.fromkeys(COLUMNS, ""), "status": "ok", **cells}


def write_csv(path, columns, rows):
    """Writes rows (dicts) under a header."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _harmonic(workers, k):
    """The mean of the k-th smallest of `workers` exponentials with mean 1."""
    return sum(1 / (workers - i) for i in range(k))


def _iteration_s(policy, workers, k):
    """(seconds between updates, seconds of delay in a step, seconds of waiting in a step)."""
    once = SHIFT_S + COMPUTE_S + COMM_S * math.log2(2 * workers)
    slowest = once + MEAN_S * _harmonic(workers, k)
    if policy in ("sync", "k-sync"):
        return slowest, SHIFT_S + MEAN_S, max(slowest - once - MEAN_S, 0.0)
    return (once + MEAN_S) * k / workers, SHIFT_S + MEAN_S, 0.002 * (k - 1)


def _quickstart_row(policy, workers, source, draw):
    k = {"sync": workers, "async": 1}.get(policy, math.ceil(workers / 2))
    iteration_s, delay_s, wait_s = _iteration_s(policy, workers, k)
    off = draw.gauss(0.012, 0.015) if source == "measured" else 0.0
    iteration_s *= 1 + off
    comm_s = COMM_S * math.log2(2 * workers)
    items = BATCH * k
    throughput = items / iteration_s
    row = blank_row(experiment="quickstart", source=source, model="mlp", machine="ideal",
                    device="host", policy=policy, k=k, aggregation="parameter-server",
                    workers=workers, batch=BATCH, steps=200, updates=200, item="image",
                    iteration_s_mean=iteration_s, iteration_s_median=iteration_s * 0.98,
                    throughput=throughput, **{"swept.update": policy,
                                                      "swept.workers": workers})
    if source == "theory":
        return row | {"status": "bound" if policy == "k-async" and k > 1 else "ok"}
    return row | {"step_s_mean": COMPUTE_S + delay_s + comm_s + wait_s,
                  "compute_s": COMPUTE_S * (1 + off), "delay_s": delay_s,
                  "exposed_comm_s": comm_s * (1.2 if source == "measured" else 1),
                  "wait_s": wait_s, "input_s": 0.001, "wasted_s": 0.0,
                  "layer_times": "measured" if source == "predicted" else "",
                  "injected_share": delay_s / (COMPUTE_S + delay_s + comm_s + wait_s),
                  "throughput_stderr": throughput * 0.008 if source == "measured" else "",
                  "staleness_mean": 0 if "sync" == policy[-4:] and "a" not in policy else k / 2}


def quickstart_rows():
    """Four policies at five numbers of workers, each from theory, prediction and measurement."""
    draw = random.Random(1)
    rows, base = [], {}
    for policy in ("sync", "k-sync", "async", "k-async"):
        for workers in WORKERS:
            for source in ("theory", "predicted", "measured"):
                row = _quickstart_row(policy, workers, source, draw)
                first = base.setdefault((policy, source), row["throughput"])
                row["speedup"] = row["throughput"] / first
                row["efficiency"] = row["speedup"] / workers
                row["speedup_base_workers"] = 1
                rows.append(row)
    return rows


def quickstart_steps():
    """Twelve steps of each of sixteen workers from both sources, with the same delays."""
    rows = []
    for source, factor in (("predicted", 1.0), ("measured", 1.03)):
        draw = random.Random(2)
        for worker in range(16):
            now_s = 0.0
            for step in range(12):
                delay_s = SHIFT_S + draw.expovariate(1 / MEAN_S)
                compute_s, comm_s = COMPUTE_S * factor, 0.02 * factor
                end_s = now_s + delay_s + compute_s + comm_s
                rows.append({"point": 19, "source": source, "worker": worker, "step": step,
                             "began_s": now_s, "delay_s": delay_s, "compute_s": compute_s,
                             "exposed_comm_s": comm_s, "wait_s": 0, "end_s": end_s,
                             "accepted": int((worker + step) % 5 > 0)})
                now_s = end_s
    return rows


def dgx1_rows():
    """Five networks on 1, 2, 4 and 8 GPUs, predicted and published."""
    rows = []
    for model, (batch, published) in DGX1.items():
        for place, (gpus, figure) in enumerate(zip((1, 2, 4, 8), published)):
            for source in ("predicted", "published"):
                factor = DGX1_PREDICTED[model][place] if source == "predicted" else 1.0
                throughput = figure * factor
                step_s = batch * gpus / throughput
                row = blank_row(experiment="tensorflow-dgx1", source=source, model=model,
                                machine="dgx1-p100", policy="sync", k=gpus,
                                aggregation="parameter-server" if batch == 64
                                and model != "vgg16" else "replicated", workers=gpus, batch=batch,
                                throughput=throughput, item="image",
                                speedup=throughput / published[0],
                                efficiency=throughput / published[0] / gpus,
                                speedup_base_workers=1)
                if source == "predicted":
                    row |= {"layer_times": "published", "iteration_s_mean": step_s,
                            "step_s_mean": step_s, "compute_s": batch / published[0], "delay_s": 0,
                            "exposed_comm_s": max(step_s - batch / published[0], 0), "wait_s": 0,
                            "input_s": 0}
                rows.append(row)
    return rows


MANIFEST = {
    "experiment": "quickstart",
    "findings": ["Fastest at 16 workers: async, 1.31 x sync per sample.",
                 "From 1 to 16 workers async reaches an efficiency of 90 %."],
    "agreement": ["Predicted against measured throughput (20 points): median |error| 1.3 %."],
    "layer_times": ["Layer times: measured on this host."],
    "question": "How do four update policies scale when workers straggle?",
    "yaml": "# How do four update policies scale when workers straggle?\nname: quickstart\n"
            "model: mlp\nworkers: [1, 2, 4, 8, 16]\nupdate: [sync, {kind: k-sync, k: 50 %}]\n",
    "resolved": {"name": "quickstart", "batch": 32, "update": {"kind": "sync"}}, "version": "0.1.0", "git": "0123abc",
    "compiler": "g++ 12.2", "seed": 1, "command": "paceline run experiments/quickstart.yaml",
    "machine": "ideal", "machine_svg": "",
    "machine_text": "worker 0 ---+\nworker 1 ---+--- switch (25 GB/s)\nworker 2 ---+\n",
    "profile_hash": "9f31c0de", "profile": {"decision": "3.1 us"},
    "started": "2026-01-02T03:04:05Z",
    "host": {"cpu": "Xeon <test> & co", "cores": 2, "os": "Debian 12"},
    "fitted_constants": [{"name": "decision latency", "value": 3.1, "unit": "us",
                          "source": "paceline calibrate"}],
    "notes": ["k-async has a closed form for exponential times only; a bound is drawn."]}


def write_quickstart(directory, skipped=True):
    """Writes the 20-point run; by default with one failed point."""
    rows = quickstart_rows()
    if skipped:
        rows.append(blank_row(experiment="quickstart", source="measured", model="mlp",
                              machine="ideal", policy="sync", k=32, workers=32,
                              aggregation="parameter-server", batch=BATCH,
                              status="failed: worker 3 <lost> & gone",
                              **{"swept.update": "sync", "swept.workers": 32}))
    write_csv(directory / "results.csv", [*COLUMNS, "swept.workers", "swept.update"], rows)
    write_csv(directory / "steps.csv", list(quickstart_steps()[0]), quickstart_steps())
    (directory / "manifest.json").write_text(json.dumps(MANIFEST), encoding="utf-8")


def write_many(directory):
    """Writes a sweep of 1,600 points, predicted and measured: 100 batches, 4 policies, and 4
    numbers of workers."""
    some = [row for row in quickstart_rows()
            if row["workers"] < 16 and row["source"] in ("predicted", "measured")]
    rows = [row | {"experiment": "many", "batch": batch, "swept.batch": batch}
            for batch in range(1, 101) for row in some]
    write_csv(directory / "results.csv", [*COLUMNS, "swept.workers", "swept.batch",
                                          "swept.update"], rows)
    (directory / "manifest.json").write_text(json.dumps(MANIFEST | {"experiment": "many"}),
                                             encoding="utf-8")


def write_dgx1(directory):
    """Writes the run of a published table, without steps and without a machine drawing."""
    write_csv(directory / "results.csv", COLUMNS, dgx1_rows())
    (directory / "manifest.json").write_text(json.dumps(
        {"experiment": "tensorflow-dgx1", "question": "Do five networks scale on a DGX-1?",
         "fitted_constants": []}), encoding="utf-8")


class Samples(InOneFolder):
    """Both samples in the folder `root`, written once for each class of tests."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        write_quickstart(cls.root / "quickstart")
        write_dgx1(cls.root / "dgx1")


if __name__ == "__main__":
    write_quickstart(Path(sys.argv[1]) / "quickstart")
    write_dgx1(Path(sys.argv[1]) / "dgx1")
