#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernels that PyTorch runs on one GPU in a training step, as evidence for the figures in
training/experiment/software/: which operations a stack computes by kernels of their own, on how
many bytes, and how long they take.

Cases and steps are those of pytorch_throughput.py. A CSV row is one kind of kernel of one
operation with one set of shapes: how often it runs in a step, and its mean time. The profiler takes
time too, so steps take longer than without it, and kernels do not. Exits with 77 where there is no
GPU or no PyTorch.
"""

import argparse
import collections
import csv
import json
import sys

from pytorch_throughput import CASE, NO_GPU, Trainer, cases, set_arithmetic, torch_with_gpu

NAME = 60  # characters of a kernel's name that are kept
COLUMNS = (*CASE, "operation", "shapes", "kernel", "per_step", "mean_us")


def kernels_of(torch, trainer, steps):
    """(operation, shapes, kernel): [count, sum of times in us], of `steps` steps."""
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities, record_shapes=True) as profile:
        for _ in range(steps):
            trainer.step()
        torch.cuda.synchronize()
    found = collections.defaultdict(lambda: [0, 0.0])
    for event in profile.events():
        for kernel in getattr(event, "kernels", ()):
            entry = found[event.name, json.dumps(event.input_shapes), kernel.name]
            entry[0] += 1
            entry[1] += kernel.duration
    return found


def rows_of(torch, args, case):
    row = dict(zip(CASE, case))
    set_arithmetic(torch, row["precision"])
    trainer = Trainer(torch, *case)
    trainer.seconds(args.warmup)
    print(row, f"{trainer.seconds(args.steps) * 1e3:.3f} ms", file=sys.stderr, flush=True)
    kernels = kernels_of(torch, trainer, args.steps)
    for (operation, shapes, kernel), (count, total) in sorted(
            kernels.items(), key=lambda item: -item[1][1]):
        yield {**row, "operation": operation, "shapes": shapes,
               "kernel": kernel.removeprefix("void ")[:NAME],
               "per_step": f"{count / args.steps:g}", "mean_us": f"{total / count:.2f}"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=4, help="that are recorded")
    parser.add_argument("--warmup", type=int, default=6)
    parser.add_argument("--rows", required=True, help="a CSV file of cases: " + ",".join(CASE))
    parser.add_argument("-o", "--output", required=True, help="write the CSV there")
    args = parser.parse_args()
    torch = torch_with_gpu("pytorch_kernels")
    if torch is None:
        return NO_GPU
    with open(args.output, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        for case in cases(args):
            writer.writerows(rows_of(torch, args, case))
            file.flush()  # what a time limit cuts off keeps its figures
            torch.cuda.empty_cache()
    return 0


if __name__ == "__main__":
    sys.exit(main())
