# SPDX-License-Identifier: MIT
"""Results of Paceline as tables and figures, and experiments started from Python.

    results = paceline.load("results/quickstart")
    results.results                     # a pandas table: one line per point and source
    results.figures["throughput"]       # shown by a notebook; .save("throughput.pdf")
    paceline.simulate("experiments/quickstart.yaml", workers=[1, 2, 4])
    paceline.explain("experiments/quickstart.yaml", workers=4)["verdict"]

Every mistake in the input raises paceline.Error, whose text is one line. Tables need pandas, PNG
and PDF need Matplotlib; `plots/draw.py` needs neither for SVG.
"""

from paceline.bad_input import BadInput, Error

__all__ = ["BadInput", "Error", "collective", "compare", "execute", "explain", "fit", "load", "run",
           "simulate"]
__version__ = "0.1.0"


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


def explain(experiment, /, **overrides):
    """What bounds the largest point, where it saturates, what would help: `paceline explain --json`.

    Arguments as of `run`, without output and trace. Returns a dict; times in it are seconds.
    """
    from paceline.program import ask_about
    return ask_about("explain", experiment, overrides)[0]


def compare(experiment, /, **overrides):
    """The machines of an experiment beside each other: `paceline compare --json`, a list of dicts."""
    from paceline.program import ask_about
    return ask_about("compare", experiment, overrides)


def collective(machine, /, **options):
    """Times a collective against its size: `paceline collective --json`, a list of dicts.

    machine: a name, a path or a mapping. options: op="all-gather", algorithm="nccl", ranks=16,
    b="8", e="1G", f=4, against="log.txt"; output: the results folder.
    """
    from paceline.flow_text import flow_text
    from paceline.program import ask
    name = machine if isinstance(machine, str) else flow_text(machine, "machine")
    return ask("collective", ["--no-plot", "--machine", name, *_words(options)])


def fit(times, /, **options):
    """Distributions fitted to measured times: `paceline fit --json`, a dict.

    times: the path of a file. options: column="step_ms", unit="ms", only="source=measured" (a
    string or a list), output: the folder of times, fits and figure; force=True replaces its files.
    """
    from paceline.program import ask
    return ask("fit", [*_words(options), "--", str(times)])


def _words(options):
    """Keyword arguments as options of the command line: a letter as -b, a word as --op."""
    words = []
    for name, value in options.items():
        word = {"output": "-o"}.get(name, f"-{name}" if len(name) == 1 else f"--{name}")
        values = value if isinstance(value, (list, tuple)) else [value]
        for each in values:
            if each is True:
                words.append(word)
            elif each is not None and each is not False:
                words += [word, str(each)]
    return words


def _start(command, experiment, output, trace, overrides):
    from paceline.data_frames import pandas
    from paceline.program import start
    pandas()  # before an experiment runs in vain
    options = (["-o", str(output)] if output is not None else []) + (["--trace"] if trace else [])
    return load(start(command, experiment, options, overrides))
