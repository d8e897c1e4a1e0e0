# SPDX-License-Identifier: MIT
"""Reads results.csv: one Row per point and source, checked cell by cell.

A blank cell is None (unknown). Columns named `swept.KEY` hold the swept values as text. Other
unknown columns are ignored.
"""

import csv
import math
from contextlib import contextmanager

from paceline.bad_input import BadInput

TEXT = ("experiment", "source", "model", "machine", "device", "policy", "aggregation", "item",
        "target", "layer_times", "status")
COUNTS = ("k", "workers", "batch", "steps", "speedup_base_workers")
NUMBERS = ("updates", "iteration_s_mean", "iteration_s_median", "iteration_s_p95", "step_s_mean",
           "compute_s", "delay_s", "exposed_comm_s", "wait_s", "input_s", "wasted_s",
           "overhead_s", "throughput", "throughput_stderr", "throughput_jitter", "speedup",
           "efficiency", "staleness_mean", "staleness_p95", "utilization", "memory_bytes_peak",
           "epoch_s", "loss_final", "updates_per_s", "idle_share", "wasted_share",
           "staleness_max", "accuracy_final", "time_to_target_s", "time_to_target_stderr",
           "updates_to_target", "loss_floor", "total_h", "cost_to_target", "energy_to_target_j",
           "failures", "injected_share", "server_busy", "busbw", "validation_s", "checkpoint_s")
COLUMNS = TEXT + COUNTS + NUMBERS
SWEPT = "swept."
# results of older versions lack them
NEWEST = ("layer_times", "injected_share", "server_busy", "busbw", "validation_s", "checkpoint_s")
MOST_BYTES = 1 << 30
LARGEST = 1e20  # larger than any time, rate or size of a run
SOURCES = ("theory", "predicted", "measured", "published")


class Row:
    """One line of results.csv: `row["throughput"]` is a float or None, text columns are str."""

    __slots__ = ("cells", "swept", "given", "labels", "line", "written_point", "number", "point",
                 "run",
                 "evaluations", "staleness", "step_times")

    def __init__(self, cells, swept, line):
        self.cells = cells
        self.swept = swept      # dotted path of each swept key -> its text
        self.given = dict(swept)  # as in the file; `swept` is split at maps later
        self.labels = {}        # swept key with maps as values -> short name of the value
        self.line = line
        self.written_point = None  # the column `point`; None in results of older versions
        self.number = 0         # of its point in the run
        self.point = ""         # the name of its point in a page, unique in a study
        self.run = ""           # set only if several runs have the same point
        self.evaluations = []   # a list of Evaluation per repeat
        self.staleness = {}     # staleness -> gradients
        self.step_times = None  # a StepTimes

    def __getitem__(self, column):
        return self.cells[column]

    @property
    def usable(self):
        """True if the row has figures to draw: status ok, bound or diverged (blank: ok)."""
        return self["status"] in ("", "ok", "bound") or self.is_diverged

    @property
    def is_bound(self):
        return self["status"] == "bound"

    @property
    def is_diverged(self):
        """True if the loss diverged; the row's figures cover the time before."""
        return self["status"].startswith("diverged")


@contextmanager
def _opened(path):
    """A file as text; BadInput if it is missing, unreadable, too large or not UTF-8."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadInput(path, f"larger than {MOST_BYTES >> 20} MiB")
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield file
    except FileNotFoundError:
        raise BadInput(path, "no such file") from None
    except OSError as error:
        raise BadInput(path, error.strerror or "cannot be read") from None
    except UnicodeDecodeError:
        raise BadInput(path, "not UTF-8 text", _first_not_utf8(path)) from None


def _first_not_utf8(path):
    """The number of the first line that is not UTF-8."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return None


def read_text(path):
    """The text of a file; BadInput as for `_opened`."""
    with _opened(path) as file:
        return file.read()


def csv_lines(path):
    """Yields (line number, cells) of every non-empty record of a CSV file, the header first."""
    with _opened(path) as file:
        reader = csv.reader(file, strict=True)
        try:
            for cells in reader:
                if cells:
                    yield reader.line_num, cells
        except csv.Error as error:
            raise BadInput(path, f"malformed CSV ({error})", reader.line_num) from None


def number(text, column, path, line):
    """A finite number of plausible size, or None for a blank, `nan` or `inf` cell."""
    if text == "":
        return None
    try:
        value = float("" if "_" in text else text)
    except ValueError:
        raise BadInput(path, f"column '{column}': '{text}' is not a number", line) from None
    if not math.isfinite(value):
        return None
    if abs(value) > LARGEST:
        raise BadInput(path, f"column '{column}': '{text}' is too large", line)
    return value if abs(value) > 1 / LARGEST else 0.0


def whole_number(text, column, path, line):
    """An integer of at least 0, or None as for `number`."""
    value = number(text, column, path, line)
    if value is None:
        return None
    if value != int(value) or value < 0:
        raise BadInput(path, f"column '{column}': '{text}' is not a whole number", line)
    return int(value)


def _check_header(header, path, line):
    for column in COLUMNS:
        if column not in header:
            again = (": an older paceline wrote this file, run the experiment again"
                     if column in NEWEST else "")
            raise BadInput(path, f"column '{column}' is missing{again}", line)
    for place, column in enumerate(header):
        if column == "":
            raise BadInput(path, f"column {place + 1} has no name", line)
        if column in header[:place]:
            raise BadInput(path, f"two columns are named '{column}'", line)


def _printable(text):
    """The text on one line, without characters that figures and pages cannot show."""
    if not text.isprintable():
        text = "".join(each if each.isprintable() else " " for each in text)
    return text.strip()


def _row(header, cells, path, line):
    if len(cells) != len(header):
        raise BadInput(path, f"{len(cells)} cells where the header has {len(header)}", line)
    values, swept = {}, {}
    for column, text in zip(header, cells):
        text = _printable(text)
        if column.startswith(SWEPT):
            swept[column.removeprefix(SWEPT)] = text
        elif column in TEXT:
            values[column] = text
        elif column in COUNTS:
            values[column] = whole_number(text, column, path, line)
        elif column in NUMBERS:
            values[column] = number(text, column, path, line)
    if values["source"] not in SOURCES:
        raise BadInput(path, f"unknown source '{values['source']}' (known: {', '.join(SOURCES)})",
                       line)
    if not values["workers"]:
        raise BadInput(path, "column 'workers': a number of at least 1 is needed", line)
    row = Row(values, swept, line)
    if "point" in header:
        row.written_point = whole_number(cells[header.index("point")], "point", path, line)
    return row


def read_results(path):
    """The rows of one results.csv, in the order of the file."""
    lines = csv_lines(path)
    line, header = next(lines, (1, None))
    if header is None:
        raise BadInput(path, "the file is empty", 1)
    header = [column.strip() for column in header]
    _check_header(header, path, line)
    rows = [_row(header, cells, path, line) for line, cells in lines]
    for number, row in zip(number_points(rows), rows):
        row.number = number
    return rows


def number_points(rows):
    """The index of the point of each row, from 0: the column `point`.

    Results of older versions lack the column. The rows of a point are adjacent; it ends where a
    configuration column changes, or where the order of the sources starts again.
    """
    if all(row.written_point is not None for row in rows):
        return [row.written_point for row in rows]
    index, indices, before = -1, [], None
    for row in rows:
        asked = ([row[column] for column in ("experiment", "model", "machine", "policy", "k",
                                             "aggregation", "workers", "batch")], row.swept)
        place = SOURCES.index(row["source"])
        if before is None or before[0] != asked or before[1] >= place:
            index += 1
        indices.append(index)
        before = (asked, place)
    return indices
