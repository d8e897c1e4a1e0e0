# SPDX-License-Identifier: MIT
"""Starts the program `paceline` and reads what it prints."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import warnings
from pathlib import Path

from paceline.bad_input import Error
from paceline.flow_text import flow_text

FAILED = 1  # exit code of a run in which points failed; the others have results
_RESULTS = re.compile(r"^results: (.+)$", re.MULTILINE)


def program():
    """The path of the program: $PACELINE, that of this installation or source folder, or PATH's."""
    here = Path(__file__).resolve()
    places = [os.environ.get("PACELINE"), here.parents[4] / "bin" / "paceline",
              here.parents[2] / "build" / "release" / "paceline"]
    for place in filter(None, places):
        if os.access(place, os.X_OK) and Path(place).is_file():
            return str(Path(place).resolve())
    found = shutil.which("paceline")
    if not found:
        raise Error("paceline: error: the program was not found (build it, put it on PATH, or set "
                    "PACELINE to its path)")
    return found


def start(command, experiment, options, overrides):
    """Runs `paceline COMMAND` and returns the folder of the results; Error if there are none.

    experiment: a path, YAML text of several lines, or a mapping. overrides: key -> value; `__` in
    a key stands for a dot.
    """
    output = _about(command, ["--no-plot", *options], experiment, overrides, _RESULTS.search)
    return Path(_RESULTS.findall(output)[-1]).parent


def ask(command, words):
    """What `paceline COMMAND --json` prints, as Python values; Error if it fails."""
    return json.loads(_output(command, ["--json", *words], bool))


def ask_about(command, experiment, overrides):
    """As `ask`, about an experiment: arguments as of `start`."""
    return json.loads(_about(command, ["--json"], experiment, overrides, bool))


def _about(command, options, experiment, overrides, has_results):
    """Runs a command on an experiment, which is written to a temporary file unless it is a path.
    Returns what `_output` does."""
    with tempfile.TemporaryDirectory() as folder:
        path = _file(experiment, Path(folder))
        return _output(command, [*options, *_settings(overrides), "--", str(path)], has_results,
                       f"{folder}/")


def _output(command, words, has_results, hidden=""):
    """What the program prints; warns if points failed.

    Error if the command failed, or if `has_results` is false of the output. hidden: text left out
    of the messages.
    """
    done = subprocess.run([program(), command, *words], capture_output=True, text=True,
                          errors="replace", stdin=subprocess.DEVNULL, check=False)
    problem = _problem(done.stderr).replace(hidden, "")
    if done.returncode not in (0, FAILED) or not has_results(done.stdout):
        if not problem:
            raise Error(f"paceline {command}: error: it ended without results")
        raise Error(problem)
    if done.returncode == FAILED:
        warnings.warn(problem or "a point failed", stacklevel=3)
    return done.stdout


def _settings(overrides):
    """Keys of an experiment as options: `__` in a key stands for a dot."""
    words = []
    for key, value in overrides.items():
        key = key.replace("__", ".")
        words += ["--set", f"{key}={flow_text(value, key)}"]
    return words


def _file(experiment, folder):
    """The path of the experiment's file, which is written if the experiment is not a path."""
    if isinstance(experiment, dict):
        text = flow_text(experiment) + "\n"
    elif isinstance(experiment, str) and "\n" in experiment:
        text = experiment
    elif isinstance(experiment, (str, os.PathLike)):
        return Path(experiment)
    else:
        raise Error(f"experiment: error: a path, a mapping or YAML text is needed, "
                    f"not {type(experiment).__name__}")
    (folder / "experiment.yaml").write_text(text, encoding="utf-8")
    return folder / "experiment.yaml"


def _problem(text):
    """The first error among the lines of the program and how many others there are, or ""."""
    lines = [line.strip() for line in re.split(r"[\r\n]+", text) if line.strip()]
    errors = [line for line in lines if "error: " in line] or lines[-1:]
    if not errors:
        return ""
    more = len(errors) - 1
    return errors[0] + (f" (and {more} more error{'s' if more > 1 else ''})" if more else "")
