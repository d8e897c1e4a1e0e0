# SPDX-License-Identifier: MIT
"""Starts the program `paceline` for an experiment."""

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
    words = [program(), command, "--no-plot", *options, *_settings(overrides)]
    with tempfile.TemporaryDirectory() as folder:
        path = _file(experiment, Path(folder))
        done = subprocess.run([*words, "--", str(path)], capture_output=True, text=True,
                              errors="replace", stdin=subprocess.DEVNULL, check=False)
        written = _RESULTS.findall(done.stdout)
        problem = _problem(done.stderr).replace(f"{folder}/", "")
    if not problem and not written:
        raise Error(f"paceline {command}: error: it ended without results")
    if not written or done.returncode not in (0, FAILED):
        raise Error(problem)
    if done.returncode == FAILED:
        warnings.warn(problem or "a point failed", stacklevel=3)
    return Path(written[-1]).parent


def ask(command, words):
    """What `paceline COMMAND --json` prints, as Python values; Error if it fails."""
    done = subprocess.run([program(), command, "--json", *words], capture_output=True, text=True,
                          errors="replace", stdin=subprocess.DEVNULL, check=False)
    problem = _problem(done.stderr)
    if done.returncode not in (0, FAILED) or not done.stdout:
        raise Error(problem or f"paceline {command}: error: it ended without results")
    if done.returncode == FAILED:
        warnings.warn(problem or "a point failed", stacklevel=3)
    return json.loads(done.stdout)


def ask_about(command, experiment, overrides):
    """As `ask`, about an experiment: arguments as of `start`."""
    with tempfile.TemporaryDirectory() as folder:
        path = _file(experiment, Path(folder))
        try:
            return ask(command, [*_settings(overrides), "--", str(path)])
        except Error as error:
            raise Error(str(error).replace(f"{folder}/", "")) from None


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
