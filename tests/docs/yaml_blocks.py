"""The fenced YAML of the pages, and the command that must accept each.

A block is a whole experiment (it has `name` and `model`), a machine (`gpus` and `links`), a GPU
(`fp32` and `sms`), a network (`blocks`, or a `kind` of network), or some keys of an experiment,
which are added to a minimal one. A block that is none of these opens with ```yaml excerpt.
"""
import collections
import re

Block = collections.namedtuple("Block", "page line text")
FENCE = re.compile(r"^```yaml *\n(.*?)^```$", re.MULTILINE | re.DOTALL)
KEY = re.compile(r"^([a-z_0-9]+):", re.MULTILINE)

EXPERIMENT = "name: t\nmodel: {model}\nmachine: {machine}\n"
MINIMAL = {"name": "t", "model": "{kind: synthetic}", "machine": "ideal"}
MACHINE_OF_GPU = """gpus: [{model: ./block.yaml, count: 2}]
host: {cores: 8, memory_bandwidth: 50 GB/s}
link_types: {slot: {kind: pcie, bandwidth: 15 GB/s, source: a test}}
links: [{type: slot, from: cpu0, to: [gpu0, gpu1]}]
"""


def blocks_of(page, text):
    for found in FENCE.finditer(text):
        yield Block(page, text.count("\n", 0, found.start()) + 1, found[1])


def files_of(block):
    """The files, by name, of an experiment `experiment.yaml` that loads the block."""
    keys = set(KEY.findall(block.text))
    if {"gpus", "links"} <= keys:
        return {"block.yaml": block.text,
                "experiment.yaml": EXPERIMENT.format(model="{kind: synthetic}",
                                                     machine="./block.yaml")}
    if {"fp32", "sms"} <= keys:
        return {"block.yaml": block.text, "machine.yaml": MACHINE_OF_GPU,
                "experiment.yaml": EXPERIMENT.format(model="{kind: synthetic}",
                                                     machine="./machine.yaml")}
    if "blocks" in keys or ("kind" in keys and "name" not in keys):
        return {"block.yaml": block.text,
                "experiment.yaml": EXPERIMENT.format(model="./block.yaml", machine="ideal")}
    given = keys | ({"model"} if keys & {"workload", "jobs"} else set())
    added = "".join(f"{key}: {value}\n" for key, value in MINIMAL.items() if key not in given)
    if "processes" in keys or "devices" in keys:
        added = added.replace("ideal", "this" if "processes" in keys else "h200")
    return {"experiment.yaml": added + block.text}
