# SPDX-License-Identifier: MIT
"""Reads the optional files beside results.csv: steps, curves, histograms.

A reader passes its columns and a function that reads the cells of each. This module finds the
columns in the header, checks every cell, and reports the line of an error. Files of a million lines
are common: the cells of a column are read in one call where all are plain.
"""

import math
from itertools import islice

from paceline.bad_input import BadInput
from paceline.results import LARGEST, SOURCES, csv_lines, number, whole_number

AT_ONCE = 256  # lines; more do not fit a core's cache


def read_records(path, columns, newer=()):
    """Yields a tuple per line of the file, in the order of `columns`; none if there is no file.

    columns: name -> read(text, column, path, line). The file may have other columns, and lack those
    in `newer`: their cells are blank.
    """
    if not path.exists():
        return
    lines = csv_lines(path)
    line, header = next(lines, (1, None))
    if header is None:
        return
    for column in columns:
        if column not in header and column not in newer:
            raise BadInput(path, f"column '{column}' is missing", line)
    places = [(header.index(column) if column in header else None, column, read)
              for column, read in columns.items()]
    while some := list(islice(lines, AT_ONCE)):
        yield from _plain_records(some, len(header), places) or [
            _record(line, cells, len(header), places, path) for line, cells in some]


def _record(line, cells, width, places, path):
    if len(cells) != width:
        raise BadInput(path, f"{len(cells)} cells where the header has {width}", line)
    return tuple([read("" if at is None else cells[at], column, path, line)
                  for at, column, read in places])


def _plain_records(lines, width, places):
    """The records of some lines; None if a cell is not plain."""
    if any(len(cells) != width for _, cells in lines):
        return None
    columns = list(zip(*(cells for _, cells in lines)))
    read = [PLAIN[read](columns[at]) if at is not None and read in PLAIN else None
            for at, _, read in places]
    return None if None in read else list(zip(*read))


def _plain_numbers(cells):
    different = dict.fromkeys(cells)
    joined = ",".join(different)
    if "_" in joined or "e-" in joined or "E" in joined:  # perhaps very small
        return None
    try:
        values = list(map(float, different))
    except ValueError:
        return None
    if not (math.isfinite(sum(values)) and max(map(abs, values)) <= LARGEST
            and len(joined) < 25 * len(values)):
        return None
    return _each(different, values, cells)


def _plain_counts(cells):
    different = dict.fromkeys(cells)
    return (_each(different, map(int, different), cells) if all(cell.isdecimal() and len(cell) < 18
                                                for cell in different) else None)


def _each(different, values, cells):
    """The values of all cells, from those of the different ones."""
    if len(different) == len(cells):
        return values
    return list(map(dict(zip(different, values)).__getitem__, cells))


def _plain_flags(cells):
    return [cell == "1" for cell in cells] if set(cells) <= {"0", "1"} else None


def _plain_sources(cells):
    return cells if set(cells) <= set(SOURCES) else None


def known_source(text, column, path, line):
    """One of SOURCES."""
    if text not in SOURCES:
        raise BadInput(path, f"unknown source '{text}' (known: {', '.join(SOURCES)})", line)
    return text


def given(read):
    """As `read`, but a blank (or non-finite) cell is an error."""
    def read_given(text, column, path, line):
        value = read(text, column, path, line)
        if value is None:
            raise BadInput(path, f"column '{column}': a number is needed", line)
        return value
    return read_given


def or_zero(text, column, path, line):
    """A number, 0 if the cell is blank."""
    return number(text, column, path, line) or 0.0


def flag(text, _column, _path, _line):
    """The cell as a truth value."""
    return text.strip().lower() in ("1", "true", "yes")


A_COUNT = given(whole_number)
A_NUMBER = given(number)
PLAIN = {A_COUNT: _plain_counts, A_NUMBER: _plain_numbers, or_zero: _plain_numbers,
         number: _plain_numbers, whole_number: _plain_counts, known_source: _plain_sources,
         flag: _plain_flags}
