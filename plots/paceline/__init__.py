# SPDX-License-Identifier: MIT
"""Results of Paceline as tables and figures, and experiments started from Python.

    results = paceline.load("results/quickstart")
    results.results                     # a pandas table: one line per point and source
    results.figures["throughput"]       # shown by a notebook; .save("throughput.pdf")
    paceline.simulate("experiments/quickstart.yaml", workers=[1, 2, 4])

Every mistake in the input raises paceline.Error, whose text is one line. Tables need pandas, PNG
and PDF need Matplotlib; `plots/draw.py` needs neither for SVG.
"""

from paceline.bad_input import BadInput, Error

__all__ = ["BadInput", "Error", "execute", "load", "run", "simulate"]


def load(*directories):
    """The results in a folder, or of several folders together."""
    from paceline.loaded import load as read  # drawing alone does not wait for these modules
    return read(*directories)


def run(experiment, /, *, output=None, trace=False, **overrides):
    """Predicts, executes what this computer allows, and returns the results.

    experiment: the path of a file, a mapping, or YAML text. output: the results folder (default:
    results/NAME). trace: record spans. All other keywords are keys of the experiment, `__` for a
    dot: workers=[1, 2], stragglers__compute__mean="20 ms".
    """
    return _start("run", experiment, output, trace, overrides)


def simulate(experiment, /, *, output=None, trace=False, **overrides):
    """Predicts every point; arguments as of `run`."""
    return _start("simulate", experiment, output, trace, overrides)


def execute(experiment, /, *, output=None, trace=False, **overrides):
    """Executes every point on this computer; arguments as of `run`."""
    return _start("execute", experiment, output, trace, overrides)


def _start(command, experiment, output, trace, overrides):
    from paceline.data_frames import pandas
    from paceline.program import start
    pandas()  # before an experiment runs in vain
    options = (["-o", str(output)] if output is not None else []) + (["--trace"] if trace else [])
    return load(start(command, experiment, options, overrides))
