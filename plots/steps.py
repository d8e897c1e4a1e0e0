# SPDX-License-Identifier: MIT
"""Reads steps.csv: when each worker began and ended each of its steps. The file may be missing."""

from collections import namedtuple

from bad_input import BadInput
from results import csv_lines, number

Step = namedtuple("Step", "point source worker step began_s delay_s compute_s exposed_comm_s "
                          "wait_s end_s accepted")


def read_steps(path):
    """Every step of the run as a list of Step, [] where there is no file or no header."""
    if not path.exists():
        return []
    lines = csv_lines(path)
    line, header = next(lines, (1, None))
    if header is None:
        return []
    for column in Step._fields:
        if column not in header:
            raise BadInput(path, f"column '{column}' is missing", line)
    place = [header.index(column) for column in Step._fields]
    return [_step(header, place, cells, path, line) for line, cells in lines]


def _step(header, place, cells, path, line):
    if len(cells) != len(header):
        raise BadInput(path, f"{len(cells)} cells where the header has {len(header)}", line)
    point, source, *figures, accepted = (cells[at] for at in place)
    values = []
    for column, text in zip(Step._fields[2:-1], figures):
        value = number(text, column, path, line)
        if value is None and column in ("worker", "step", "began_s", "end_s"):
            raise BadInput(path, f"column '{column}': a number is needed", line)
        values.append(value or 0.0)
    return Step(point, source, int(values[0]), int(values[1]), *values[2:],
                accepted.strip().lower() in ("1", "true", "yes"))
