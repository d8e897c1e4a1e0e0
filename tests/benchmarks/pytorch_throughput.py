#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Training throughput of PyTorch on one GPU, for comparison with `paceline execute` on the same card.

The networks are those of models/: ResNet-50 v1 (stride on the first 1x1 convolution of a stage, 1001
classes) and VGG-16. Inputs stay on the GPU. A step is forward, loss, backward and momentum SGD; bf16
means autocast with fp32 weights; fp32 means without TF32. Times are between CUDA events; throughput
is the median over repeats. Prints JSON; exits with 77 where there is no GPU or no PyTorch.
"""

import argparse
import json
import statistics
import sys

NO_GPU = 77


def bottleneck(nn, before, inner, after, stride):
    """The three convolutions of a residual unit."""
    return nn.Sequential(
        nn.Conv2d(before, inner, 1, stride, bias=False), nn.BatchNorm2d(inner), nn.ReLU(True),
        nn.Conv2d(inner, inner, 3, 1, 1, bias=False), nn.BatchNorm2d(inner), nn.ReLU(True),
        nn.Conv2d(inner, after, 1, bias=False), nn.BatchNorm2d(after))


def resnet50(nn):
    """ResNet-50 v1 as models/resnet50.yaml has it."""

    class Unit(nn.Module):
        def __init__(self, before, inner, after, stride):
            super().__init__()
            self.body = bottleneck(nn, before, inner, after, stride)
            self.short = nn.Identity()
            if before != after:
                self.short = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False),
                                           nn.BatchNorm2d(after))
            self.relu = nn.ReLU(True)

        def forward(self, x):
            return self.relu(self.body(x) + self.short(x))

    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(True),
              nn.MaxPool2d(3, 2)]
    before = 64
    for stage, (units, inner) in enumerate([(3, 64), (4, 128), (6, 256), (3, 512)]):
        for unit in range(units):
            stride = 2 if stage > 0 and unit == 0 else 1
            layers.append(Unit(before, inner, 4 * inner, stride))
            before = 4 * inner
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, 1001))


def vgg16(nn):
    """VGG-16, configuration D, as models/vgg16.yaml has it."""
    layers = []
    before = 3
    for times, channels in [(2, 64), (2, 128), (3, 256), (3, 512), (3, 512)]:
        for _ in range(times):
            layers += [nn.Conv2d(before, channels, 3, padding=1), nn.ReLU(True)]
            before = channels
        layers.append(nn.MaxPool2d(2))
    layers.append(nn.Flatten())
    for inputs in (512 * 7 * 7, 4096):
        layers += [nn.Linear(inputs, 4096), nn.ReLU(True), nn.Dropout(0.5)]
    return nn.Sequential(*layers, nn.Linear(4096, 1001))


NETWORKS = {"resnet50": resnet50, "vgg16": vgg16}


class Trainer:
    """One network with its optimizer and a mini-batch that never changes."""

    def __init__(self, torch, model, batch, precision, channels_last, mode):
        self.torch = torch
        self.precision = precision
        torch.manual_seed(1)
        layout = torch.channels_last if channels_last else torch.contiguous_format
        network = NETWORKS[model](torch.nn).cuda().to(memory_format=layout)
        self.optimizer = torch.optim.SGD(network.parameters(), lr=1e-3, momentum=0.9, fused=True)
        self.network = network if mode == "eager" else torch.compile(
            network, mode=None if mode == "default" else mode)
        self.inputs = torch.randn(batch, 3, 224, 224, device="cuda").to(memory_format=layout)
        self.targets = torch.randint(0, 1001, (batch,), device="cuda")

    def step(self):
        torch = self.torch
        with torch.autocast("cuda", torch.bfloat16, enabled=self.precision == "bf16"):
            loss = torch.nn.functional.cross_entropy(self.network(self.inputs), self.targets)
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


def measure(torch, args, case):
    """The row of a case; its `error` says why there are no figures."""
    model, batch, precision, channels_last, mode = case
    row = {"model": model, "batch": batch, "precision": precision,
           "layout": "NHWC" if channels_last else "NCHW", "mode": mode}
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.benchmark = True
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
    """What to measure: the cases of experiments/gpu, compiled and not."""
    wanted = [("resnet50", 256, "bf16", True), ("resnet50", 128, "fp32", False),
              ("resnet50", 128, "fp32", True), ("vgg16", 128, "bf16", True)]
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
    parser.add_argument("-o", "--output", help="write the JSON there (default: stdout)")
    args = parser.parse_args()
    try:
        import torch
    except ImportError:
        print("pytorch_throughput: PyTorch is not installed", file=sys.stderr)
        return NO_GPU
    if not torch.cuda.is_available():
        print("pytorch_throughput: PyTorch sees no GPU", file=sys.stderr)
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
