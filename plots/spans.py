# SPDX-License-Identifier: MIT
"""Reads trace.json.gz, the spans of a run with --trace. The file may be missing.

It has an event a line, so that only the processes asked for need to be taken apart: a trace may
hold a million spans.
"""

import gzip
import json
import re
from collections import namedtuple

from bad_input import BadInput

PROCESS = re.compile(r'\{"pid":(\d+),')
Process = namedtuple("Process", "number experiment point source policy workers")
Slice = namedtuple("Slice", "name began_us length_us args")


class ProcessTrace:
    """What one source of one point did."""

    def __init__(self):
        self.tracks = {}    # thread's number -> its name
        self.slices = {}    # thread's number -> a list of Slice, in order of time
        self.versions = []  # (number, us) of every update of the model, in order


def processes_of(path):
    """The processes of a trace, [] where there is no file."""
    found = []
    for _, line in _lines(path):
        if '"process_name"' not in line:
            continue
        event = _event(path, line)
        args = event.get("args", {})
        told = [args.get(name) for name in Process._fields[1:]]
        if None not in told:
            found.append(Process(event["pid"], *told))
    return found


def read_processes(path, numbers):
    """The number of a process -> its ProcessTrace, of those asked for."""
    traces = {number: ProcessTrace() for number in numbers}
    for number, line in _lines(path):
        if number not in traces:
            continue
        event, trace = _event(path, line), traces[number]
        try:
            if event["ph"] == "X":
                trace.slices.setdefault(event["tid"], []).append(
                    Slice(event["name"], event["ts"], event["dur"], event.get("args", {})))
            elif event["ph"] == "M" and event["name"] == "thread_name":
                trace.tracks[event["tid"]] = event["args"]["name"]
            elif event["ph"] == "i" and event["name"].startswith("version "):
                trace.versions.append((int(event["name"].split()[1]), event["ts"]))
        except (KeyError, TypeError, ValueError) as error:
            raise BadInput(path, f"an event is not as expected: {line.strip()[:80]}") from error
    return traces


def _lines(path):
    """(number of the process, line) of every event."""
    if not path.is_file():
        return
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                start = PROCESS.match(line)
                if start:
                    yield int(start[1]), line
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise BadInput(path, f"cannot be read: {error}") from error


def _event(path, line):
    try:
        return json.loads(line.rstrip().rstrip(","))
    except ValueError as error:
        raise BadInput(path, f"no event: {line.strip()[:80]}") from error
