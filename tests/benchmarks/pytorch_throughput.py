#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Training throughput of PyTorch on one GPU, for comparison with `paceline execute` on the same card,
and with predictions for `software: pytorch`.

The networks are those of models/ (pytorch_networks.py). Inputs stay on the GPU. A step is forward,
loss, backward and update: momentum SGD, or Adam for transformers. bf16 means autocast with fp32
weights; fp32 means without TF32. Times are between CUDA events; throughput is the median over
repeats. Prints JSON; exits with 77 where there is no GPU or no PyTorch.
"""

import argparse
import csv
import json
import statistics
import sys

NO_GPU = 77
CASE = ("model", "batch", "precision", "layout", "mode")


class Trainer:
    """One network with its optimizer and a mini-batch that never changes."""

    def __init__(self, torch, model, batch, precision, layout, mode):
        from pytorch_networks import NETWORKS, TRANSFORMERS  # which need PyTorch
        self.torch = torch
        self.precision = precision
        torch.manual_seed(1)
        memory = torch.channels_last if layout == "NHWC" else torch.contiguous_format
        network = NETWORKS[model](mode != "eager").cuda().to(memory_format=memory)
        if model in TRANSFORMERS:
            self.optimizer = torch.optim.Adam(network.parameters(), lr=1e-4, fused=True)
        else:
            self.optimizer = torch.optim.SGD(network.parameters(), lr=1e-3, momentum=0.9, fused=True)
        self.loss = network.loss
        self.inputs, self.targets = network.sample(batch, memory)
        self.network = network if mode == "eager" else torch.compile(
            network, mode=None if mode == "default" else mode)

    def step(self):
        torch = self.torch
        with torch.autocast("cuda", torch.bfloat16, enabled=self.precision == "bf16"):
            loss = self.loss(self.network(self.inputs), self.targets)
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)

    def seconds(self, steps):
        """Of a step, mean over `steps`."""
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(steps):
            self.step()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / 1e3 / steps


def torch_with_gpu(program):
    """PyTorch; None, and why on stderr, where there is none or it sees no GPU."""
    try:
        import torch
    except ImportError:
        print(f"{program}: PyTorch is not installed", file=sys.stderr)
        return None
    if not torch.cuda.is_available():
        print(f"{program}: PyTorch sees no GPU", file=sys.stderr)
        return None
    return torch


def set_arithmetic(torch, precision):
    """Of products and convolutions; the algorithms of these are timed."""
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.benchmark = True


def measure(torch, args, case):
    """The row of a case; its `error` says why there are no figures."""
    row = dict(zip(CASE, case))
    batch = row["batch"]
    set_arithmetic(torch, row["precision"])
    trainer = None
    try:
        trainer = Trainer(torch, *case)
        trainer.seconds(args.warmup)
        times = [trainer.seconds(args.steps) for _ in range(args.repeats)]
        row["step_s"] = statistics.median(times)
        row["throughput"] = batch / row["step_s"]
        row["throughput_repeats"] = [batch / time for time in times]
        row["memory_bytes"] = torch.cuda.max_memory_allocated()
    except Exception as error:  # out of memory; torch.compile without a compiler or Python's headers
        row["error"] = (str(error) or type(error).__name__).splitlines()[0]
    del trainer
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    return row


def cases(args):
    """What to measure: rows of a file, or the cases of experiments/gpu, compiled and not."""
    if args.rows:
        with open(args.rows, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(line for line in file if not line.startswith("#")):
                yield (row["model"], int(row["batch"]), row["precision"], row["layout"], row["mode"])
        return
    wanted = [("resnet50", 256, "bf16", "NHWC"), ("resnet50", 128, "fp32", "NCHW"),
              ("resnet50", 128, "fp32", "NHWC"), ("vgg16", 128, "bf16", "NHWC")]
    for case in wanted:
        if args.only and case[0] + "-" + case[2] not in args.only:
            continue
        for mode in args.modes:
            yield (*case, mode)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=20, help="of a repeat")
    parser.add_argument("--warmup", type=int, default=10, help="steps before the first repeat")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--modes", nargs="+", default=["default"],
                        help="of torch.compile: eager, default, max-autotune, ...")
    parser.add_argument("--only", nargs="+", help="cases, as resnet50-bf16")
    parser.add_argument("--rows", help="a CSV file of cases: " + ",".join(CASE))
    parser.add_argument("-o", "--output", help="write the JSON there (default: stdout)")
    args = parser.parse_args()
    torch = torch_with_gpu("pytorch_throughput")
    if torch is None:
        return NO_GPU
    result = {"gpu": torch.cuda.get_device_name(0), "torch": torch.__version__,
              "cuda": torch.version.cuda, "cudnn": torch.backends.cudnn.version(), "rows": []}
    for case in cases(args):
        row = measure(torch, args, case)
        result["rows"].append(row)
        print(row, file=sys.stderr, flush=True)
        text = json.dumps(result, indent=2) + "\n"
        if args.output:  # after every case: what a time limit cuts off keeps its figures
            with open(args.output, "w", encoding="utf-8") as file:
                file.write(text)
    if not args.output:
        print(json.dumps(result, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
