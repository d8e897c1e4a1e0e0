# SPDX-License-Identifier: MIT
"""Reads the optional files beside results.csv: steps, curves, histograms.

A reader passes its columns and a function that reads the cells of each. This module finds the
columns in the header, checks every cell, and reports the line of an error.
"""

from paceline.bad_input import BadInput
from paceline.results import SOURCES, csv_lines, number, whole_number


def read_records(path, columns, newer=()):
    """One tuple per line of the file, in the order of `columns`; [] if there is no file.

    columns: name -> read(text, column, path, line). The file may have other columns, and lack those
    in `newer`: their cells are blank.
    """
    if not path.exists():
        return []
    lines = csv_lines(path)
    line, header = next(lines, (1, None))
    if header is None:
        return []
    for column in columns:
        if column not in header and column not in newer:
            raise BadInput(path, f"column '{column}' is missing", line)
    places = [(header.index(column) if column in header else None, column, read)
              for column, read in columns.items()]
    records = []
    for line, cells in lines:
        if len(cells) != len(header):
            raise BadInput(path, f"{len(cells)} cells where the header has {len(header)}", line)
        records.append(tuple([read("" if at is None else cells[at], column, path, line)
                              for at, column, read in places]))
    return records


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
