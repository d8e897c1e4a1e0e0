# SPDX-License-Identifier: MIT
"""The traced point that figures show, and the time that they show of it: the same updates of all
its sources."""

from bisect import bisect_left

from paceline.spans import TRACE, read_processes
from paceline.timeline import SOURCES


def choose(runs):
    """(run, point, source -> ProcessTrace, mean step in s) of the first run with a trace."""
    for run in runs:
        points = {}
        for process in run.processes:
            row = _row_of(run, process)
            if row is not None and row["step_s_mean"]:
                points.setdefault(process.point, {})[process.source] = (process, row)
        if not points:
            continue
        best = max(points.values(), key=lambda sources: (
            len(sources), max(row["workers"] or 0 for _, row in sources.values())))
        numbers = {source: best[source][0].number for source in SOURCES if source in best}
        traces = read_processes(run.directory / TRACE, set(numbers.values()))
        step_s = max(row["step_s_mean"] for _, row in best.values())
        point = next(iter(best.values()))[0].point
        return (run, point, {source: traces[number] for source, number in numbers.items()},
                step_s)
    return None


def _row_of(run, process):
    """The row of results.csv of a process; None if the trace is from another run."""
    return next((row for row in run.rows
                 if (row.number, *(row[column] for column in ("experiment", "source", "policy",
                                                          "workers")))
                 == (process.point, process.experiment, process.source, process.policy,
                     process.workers)), None)


def versions_shown(traces, step_s, steps=1):
    """(first, last) version of about `steps` steps in the middle of the versions in all traces."""
    common = set.intersection(*({version for version, _ in trace.versions}
                                for trace in traces.values()))
    times = sorted((at, version) for version, at in next(iter(traces.values())).versions
                   if version in common)
    for first in (len(times) // 2, 0):
        begin_us = times[first][0] if times else 0.0
        last = bisect_left(times, (begin_us + 0.95e6 * steps * step_s,), first + 1)
        if last < len(times):
            return times[first][1], times[last][1]
    return None
