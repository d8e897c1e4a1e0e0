# SPDX-License-Identifier: MIT
"""The explanation of each point in the report: the part of its step that bounds it, the parts that
its sources found, its place in the trace, and the command that says more."""

import os
import urllib.parse

from paceline.breakdown import PARTS
from paceline.explain_command import explain_command
from paceline.html_text import escape, time_text
from paceline.points import point_name
from paceline.sentences import short
from paceline.spans import TRACE

BUSY = 0.9  # a server that is busy for a larger share bounds the throughput
BOUNDS = {"compute_s": ("compute-bound", "is arithmetic"),
          "delay_s": ("straggler-bound", "is injected delay"),
          "exposed_comm_s": ("communication-bound", "waits for communication"),
          "wait_s": ("wait-bound", "waits for other workers"),
          "input_s": ("input-bound", "waits for input"),
          "validation_s": ("validation-bound", "is validation"),
          "checkpoint_s": ("checkpoint-bound", "writes checkpoints")}
MANY = 40  # more explanations are folded as a whole


class Explanations:
    """The explanations of a study's points for a page in the folder `output`."""

    def __init__(self, study, output):
        self.study = study
        self.names, self.rows, self.runs, self.traces, self.processes = {}, {}, {}, {}, {}
        for one in study.series:
            for row in one.rows:
                self.names.setdefault(row.point, point_name(study, one, row))
                self.rows.setdefault(row.point, []).append(row)
        for run in study.runs:
            for row in run.rows:
                self.runs[row.point] = run
            for each in run.processes:
                self.processes.setdefault((id(run), each.point), []).append(each)
            if run.processes:
                path = os.path.relpath(run.directory / TRACE, output)
                self.traces[id(run)] = urllib.parse.quote(path)

    def links(self, row):
        """[(address, text)] for the row's point: its explanation and its trace."""
        links = [(f"#explain-{row.point}", self.names[row.point])]
        if self._processes(row.point):
            links.append((self.traces[id(self.runs[row.point])], "trace"))
        return links

    def section(self):
        """The explanations, folded."""
        told = "\n".join(self._details(point) for point in self.rows)
        if len(self.rows) > MANY:
            told = (f"<details><summary>All {len(self.rows):,} explanations</summary>\n{told}\n"
                    "</details>")
        return ('<p class="note">From the results of this run: the longest part of a worker\'s '
                "step. The command also finds slow workers, busy links and cores, the number of "
                "workers that saturates them, and the change that would help most.</p>\n" + told)

    def _processes(self, point):
        return self.processes.get((id(self.runs[point]), self.rows[point][0].number), [])

    def _details(self, point):
        rows = {row["source"]: row for row in self.rows[point]}
        said = next(filter(None, (bound(rows[source]) for source in ("predicted", "measured")
                                  if source in rows)), "")
        lines = [_parts(rows[source]) for source in ("predicted", "measured") if source in rows]
        processes = self._processes(point)
        if processes:
            names = " and ".join(f"<q>{escape(each.name)}</q>" for each in processes)
            link = escape(self.traces[id(self.runs[point])])
            lines.append(f'<a href="{link}">trace</a>: {names}')
        command = explain_command(self.runs[point], self.rows[point][0])
        if command:
            lines.append(f"<code>{escape(command)}</code>")
        name = escape(self.names[point])
        return (f"<details><summary><b>{name}</b> {escape(said)}</summary>"
                f'<div id="explain-{point}">'
                + "".join(f"<p>{line}</p>" for line in lines if line) + "</div></details>")


def bound(row):
    """The bound of a row in one sentence, as `paceline explain` says it, without full stop; "" if
    the parts of the step are unknown."""
    parts = {column: row[column] for column in BOUNDS if row[column]}
    if not parts or not row["step_s_mean"]:
        return ""
    busy = row["server_busy"]
    server = f"the server is busy {_percent(busy)}" if busy else ""
    if busy and busy >= BUSY:
        return f"server-bound: {server}"
    most = max(parts, key=parts.get)
    name, what = BOUNDS[most]
    said = f"{name}: {_percent(parts[most] / row['step_s_mean'])} of a step {what}"
    return f"{said}; {server}" if server else said


def _parts(row):
    parts = sorted(((row[column], label) for column, label, *_ in PARTS if row[column]),
                   reverse=True)
    if not parts or not row["step_s_mean"]:
        return ""
    shares = ", ".join(f"{label} {time_text(part_s)} ({_percent(part_s / row['step_s_mean'])})"
                       for part_s, label in parts)
    return f"{row['source']}: a step of {time_text(row['step_s_mean'])} is {escape(shares)}"


def _percent(share):
    return f"{short(100 * share)} %"
