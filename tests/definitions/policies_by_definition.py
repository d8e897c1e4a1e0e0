# SPDX-License-Identifier: MIT
"""Trains by docs/policies.md, event by event, and compares the columns of `paceline simulate`.

    PACELINE=build/release/paceline python3 -B policies_by_definition.py [--settings N] [--seed N]

Each setting is a random one: policy, aggregation, unequal workers, delays, deaths, copies. Both
sides draw random numbers of their own, over equally many rounds and repeats. A column agrees if the
difference is at most 1 %, or 4 standard errors of both together. A setting that differs is repeated
with other draws and four times as many rounds, and printed if it differs again. Exit code: 0 where
all agree, 1 where one differs.
"""
import argparse
import csv
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import columns
import delays
import experiment_file
import settings
import training

REPEATS = 12
SAME = 0.01          # relative difference that is allowed
STANDARD_ERRORS = 4
OF_STEP = 0.001      # of a step: parts that differ by less are equal
FLOORS = {"staleness_mean": 0.01, "throughput": 0, "utilization": 0}  # of what is no part of a step


def own_means(setting, steps, warmup, seed):
    """{column: (mean, standard error)} over repeats of our own training."""
    gradients, workers = settings.gradients_of_update(setting), setting["workers"]
    runs, repeats = [], setting.get("repeats", REPEATS)
    for repeat in range(repeats):
        own_seed = f"{seed} {repeat}"
        trained = settings.training_of(setting, delays.Drawn(setting, own_seed), own_seed)
        if setting["aggregation"] == "independent":
            window = trained.run_rounds(warmup, steps)
            runs.append(columns.of_window(trained, *window, [], setting))
            continue
        after = steps * workers
        if setting["update"] == "downpour":
            after = max(after, workers * gradients)
        trained.run(warmup * workers + after)
        runs.append(columns.columns(trained, warmup * workers, setting))
    result = {}
    for name in runs[0]:
        values = [run[name] for run in runs]
        mean = sum(values) / repeats
        spread = math.sqrt(sum((value - mean) ** 2 for value in values) / (repeats - 1))
        result[name] = mean, spread / math.sqrt(repeats)
    return result


def program_rows(program, folder, names):
    """The predicted row of every setting."""
    files = [str(folder / f"{name}.yaml") for name in names]
    command = [program, "simulate", "--quiet", "--no-plot", *files, "-o", str(folder / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    rows = {}
    for table in (folder / "out").rglob("results.csv"):
        for row in csv.DictReader(table.open(encoding="utf-8")):
            if row["source"] == "predicted":
                rows[row["experiment"]] = row
    if done.returncode not in (0, 1):  # 1: a point has failed, as some are to
        print(done.stderr, done.stdout, sep="\n")
    return rows


def waits_are_defined(setting):
    """Whether a page says which part of the time that a worker stands still is `wait_s`: of groups,
    staged weights and outputs put together none does."""
    kind = setting["aggregation"]
    return (kind in ("allreduce", "peer-to-peer", "independent")
            or kind == "parameter-server" and "gpus_per_worker" not in setting["options"])


def with_idle(figures):
    """The figures, with the time that workers stand still as one."""
    wait, comm = figures["wait_s"], figures["exposed_comm_s"]
    return dict(figures, idle=(wait[0] + comm[0], math.hypot(wait[1], comm[1])))


def status_of_too_few(setting):
    """What the program says where too few workers are left."""
    died = r"failed: worker \d+ died \(its lifetime was over\), "
    if setting["update"] == "downpour":
        return died + f"none of {setting['workers']} is left"
    return died + rf"\d+ of {setting['workers']} are left and an update takes gradients of \d+"


def differences(own, row, with_waits=True):
    """(column, ours, the program's, allowed) of each column that differs."""
    if row is None or row["status"] != "ok":
        return [("status", "ok", row and row["status"], "")]
    row = dict(row, idle=float(row["wait_s"]) + float(row["exposed_comm_s"]))
    step = own["step_s_mean"][0]
    found = []
    for name, (value, error) in with_idle(own).items():
        if name in ("wait_s", "exposed_comm_s") and not with_waits:
            continue
        if row[name] == "":
            found.append((name, value, "blank", ""))
            continue
        # our error stands for the program's too: its rounds and repeats are as many
        its_error = float(row["throughput_stderr"] or 0) if name == "throughput" else error
        allowed = max(SAME * abs(value), STANDARD_ERRORS * math.hypot(error, its_error),
                      FLOORS.get(name, OF_STEP * step))
        if not abs(float(row[name]) - value) <= allowed:
            found.append((name, value, float(row[name]), allowed))
    return found


def compared(program, tried, rounds, seed):
    """[(setting, its file, its differences)] of the settings that differ."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        plans, texts = {}, {}
        for setting in tried:
            own_rounds = setting.get("rounds", rounds)
            steps = settings.rounds_like(setting, own_rounds)
            warmup = settings.rounds_like(setting, own_rounds / 10)
            plans[setting["name"]] = steps, warmup
            repeats = setting.get("repeats", REPEATS)
            text = experiment_file.yaml_of(setting, folder, steps, warmup, repeats, seed)
            texts[setting["name"]] = text
            (folder / f"{setting['name']}.yaml").write_text(text, encoding="utf-8")
        rows = program_rows(program, folder, list(plans))
        found = []
        for setting in tried:
            row = rows.get(setting["name"])
            try:
                own = own_means(setting, *plans[setting["name"]], seed)
                differs = differences(own, row, waits_are_defined(setting))
            except training.TooFewLeft:
                expected, got = status_of_too_few(setting), row and row["status"]
                differs = [] if re.fullmatch(expected, got or "") else [
                    ("status", expected, got, "")]
            if differs:
                found.append((setting, texts[setting["name"]], differs))
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--settings", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=120)
    asked = parser.parse_args()
    program = os.environ.get("PACELINE", "build/release/paceline")
    rng = random.Random(asked.seed)
    tried = settings.slow_worker_settings(rng)
    tried += [settings.random_setting(rng, f"setting-{i}") for i in range(asked.settings)]
    first = compared(program, tried, asked.rounds, asked.seed)
    doubtful = [setting for setting, _, _ in first]
    again = compared(program, doubtful, 4 * asked.rounds, asked.seed + 1)
    for _, text, differs in again:
        for name, ours, theirs, allowed in differs:
            print(f"{name}: by definition {ours}, predicted {theirs}, allowed {allowed}")
        print(text)
    print(f"{len(tried)} settings, {len(first)} tried again, {len(again)} differ")
    sys.exit(1 if again else 0)


if __name__ == "__main__":
    main()
