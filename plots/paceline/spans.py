# SPDX-License-Identifier: MIT
"""Reads trace.json.gz, the spans of a run with --trace. The file may be missing.

The file has one event per line, so that only the lines of the required processes are parsed: a
trace may have a million spans.
"""

import gzip
import json
import math
import re
import zlib
from collections import namedtuple

from paceline.bad_input import BadInput
from paceline.results import LARGEST

TRACE = "trace.json.gz"
PROCESS = re.compile(r'\{"pid":(\d+),')
LONGEST_LINE = 1 << 16   # characters; an event has a few hundred
MOST_UNPACKED = 1 << 30  # characters; a million spans have a fifth of it
MOST_HELD = 2_000_000    # events of the required processes
# From a process's args: the point that it ran.
KINDS = {"name": str, "experiment": str, "point": int, "source": str, "policy": str, "workers": int}
Process = namedtuple("Process", ("number", *KINDS))
Slice = namedtuple("Slice", "name began_us length_us args")


class ProcessTrace:
    """The trace of one source of one point."""

    def __init__(self):
        self.tracks = {}    # thread's number -> its name
        self.slices = {}    # thread's number -> list of Slice, in temporal order
        self.versions = []  # (number, us) of every update of the model, in order
        self.counters = {}  # name -> list of (us, value), in temporal order


def processes_of(path):
    """The processes of a trace, [] if there is no file."""
    found = []
    for _, line in _lines(path):
        if '"process_name"' not in line:
            continue
        event = _event(path, line)
        args = event.get("args")
        told = [args.get(name) for name in KINDS] if isinstance(args, dict) else []
        if told and all(isinstance(each, kind) for each, kind in zip(told, KINDS.values())):
            found.append(Process(event["pid"], *told))
    return found


def read_processes(path, numbers):
    """Number of a process -> its ProcessTrace, for the given processes."""
    traces = {number: ProcessTrace() for number in numbers}
    held = 0
    for number, line in _lines(path):
        if number not in traces:
            continue
        event, trace = _event(path, line), traces[number]
        held += 1
        if held > MOST_HELD:
            raise BadInput(path, f"a point has more than {MOST_HELD:,} events")
        try:
            if event["ph"] == "X":
                trace.slices.setdefault(int(event["tid"]), []).append(
                    Slice(str(event["name"]), _time(event["ts"]), _time(event["dur"]),
                          dict(event.get("args", {}))))
            elif event["ph"] == "M" and event["name"] == "thread_name":
                trace.tracks[int(event["tid"])] = str(event["args"]["name"])
            elif event["ph"] == "C":
                (value,) = event["args"].values()
                trace.counters.setdefault(str(event["name"]), []).append(
                    (_time(event["ts"]), _time(value)))
            elif event["ph"] == "i" and event["name"].startswith("version "):
                trace.versions.append((int(event["name"].split()[1]), _time(event["ts"])))
        except (AttributeError, IndexError, KeyError, OverflowError, TypeError,
                ValueError) as error:
            raise BadInput(path, f"an event is not as expected: {line.strip()[:80]}") from error
    return traces


def _time(value):
    """A finite time in microseconds, or another finite number."""
    if not math.isfinite(value) or abs(value) > LARGEST:
        raise ValueError
    return float(value)


def _lines(path):
    """(number of the process, line) of every event; a line that no run can write is an error."""
    if not path.is_file():
        return
    unpacked = 0
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            while line := file.readline(LONGEST_LINE):
                unpacked += len(line)
                if len(line) == LONGEST_LINE:
                    raise BadInput(path, f"a line of {LONGEST_LINE >> 10} KiB or more is no event")
                if unpacked > MOST_UNPACKED:
                    raise BadInput(path, f"unpacks to more than {MOST_UNPACKED >> 20} MiB")
                start = PROCESS.match(line)
                if start:
                    yield int(start[1]), line
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise BadInput(path, f"cannot be read: {error}") from error


def _event(path, line):
    try:
        return json.loads(line.rstrip().rstrip(","))
    except (ValueError, RecursionError) as error:
        raise BadInput(path, f"no event: {line.strip()[:80]}") from error
