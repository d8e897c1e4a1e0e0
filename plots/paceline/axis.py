# SPDX-License-Identifier: MIT
"""Chooses the horizontal axis: the number of workers, or else the swept number.

An experiment with a fixed number of workers that sweeps a number (K, the batch, a mean delay) is
drawn over that number.
"""

import re
from dataclasses import dataclass

from paceline.scales import plain

K_MOVES = ("adasync",)  # policies that change K during training; `k` is the first value

_QUANTITY = re.compile(r"^\s*([+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)\s*([^\d\s].*)?$")


@dataclass(frozen=True)
class Axis:
    """A column of the results as an axis; `column` is a fixed column or a swept key."""
    column: str
    label: str
    noun: str  # "workers", as in the name of a point "8 workers"
    loose: tuple = ()  # policies without a fixed position, drawn across the axis

    @property
    def is_workers(self):
        return self.column == "workers"

    def value(self, row):
        """The row's position on the axis; None if unknown."""
        if self.column in ("workers", "k", "batch"):
            return row[self.column]
        if self.column == SIZE:
            return bytes_of(row)
        return quantity(row.swept.get(self.column, ""))[0]

    def tick(self, value):
        """The text of a position."""
        return size_text(value) if self.column == SIZE else plain(value)

    def is_loose(self, row):
        """True if the row has no fixed position on the axis; value() is then the first position."""
        return row["policy"] in self.loose

    def point(self, row):
        """The row's position as text: `8 workers`, `mean 10 ms`; `from K 1` if it varies."""
        if self.is_workers:
            return f"{row['workers']} worker" + ("s" if row["workers"] != 1 else "")
        if self.column in ("k", "batch"):
            return f"{'from ' if self.is_loose(row) else ''}{self.noun} {row[self.column]}"
        return f"{self.noun} {row.swept.get(self.column, '')}"


COLUMNS = ("workers", "batch")  # of every row: no end of another key is so named
VAGUE = ("kind", "value")            # ends that say nothing alone
SIZE = "workload.size"  # swept key: the bytes of a collective
BYTE_UNITS = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
              "KiB": 2.0 ** 10, "MiB": 2.0 ** 20, "GiB": 2.0 ** 30, "TiB": 2.0 ** 40}


def bytes_of(row):
    """The bytes of the row's collective; None if they are not swept."""
    number, unit = quantity(row.swept.get(SIZE, ""))
    return None if number is None or unit not in BYTE_UNITS else number * BYTE_UNITS[unit]


def size_text(size):
    """`64 KiB`, or the bytes of a size that is no whole number of such units."""
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        if size >= BYTE_UNITS[unit] and size % BYTE_UNITS[unit] == 0:
            return f"{plain(size / BYTE_UNITS[unit])} {unit}"
    return f"{plain(size)} B"


WORKERS = Axis("workers", "workers", "workers")


def quantity(text):
    """(number, unit) of `10 ms`, `25 %` or `8`; (None, None) if the text is not a quantity."""
    match = _QUANTITY.match(text)
    return (float(match[1]), (match[2] or "").strip()) if match else (None, None)


def shortest(key, keys):
    """The shortest end of a dotted path that names neither another of these keys nor a column of
    the results: `mean`, `decode.workers`."""
    parts = key.split(".")
    least = 2 if parts[-1] in VAGUE or (parts[-1] in COLUMNS and key != parts[-1]) else 1
    for count in range(least, len(parts)):
        end = ".".join(parts[-count:])
        if not any(other != key and f".{other}".endswith(f".{end}") for other in keys):
            return end
    return key


def _most_values(rows, column):
    """The most values of a column within one policy. Between sync and async K differs, but not
    along an axis."""
    values = {}
    for row in rows:
        if row["source"] != "theory" and row[column] is not None:
            values.setdefault(row["policy"], set()).add(row[column])
    return max(map(len, values.values()), default=0)


def _loose(rows):
    """The policies with a varying K, if other policies have a fixed K."""
    policies = {row["policy"] for row in rows}
    return K_MOVES if policies - set(K_MOVES) else ()


def choose_axis(rows):
    """The axis over which these rows are drawn."""
    if len({bytes_of(row) for row in rows} - {None}) > 1:
        return Axis(SIZE, "size", "size")
    if len({row["workers"] for row in rows}) > 1 or not rows:
        return WORKERS
    best, most = WORKERS, 1
    for column, label in (("batch", "batch per worker"), ("k", "K")):
        count = _most_values(rows, column)
        if count > most:
            loose = _loose(rows) if column == "k" else ()
            best, most = Axis(column, label, label.split()[0], loose), count
    for column in rows[0].swept:
        quantities = [quantity(row.swept.get(column, "")) for row in rows]
        values = {value for value, _ in quantities}
        units = {unit for _, unit in quantities}
        if None not in values and len(units) == 1 and len(values) > most:
            unit = units.pop()
            label, name = shortest(column, rows[0].swept), column.removeprefix("update.")
            best = Axis(column, f"{name} ({unit})" if unit else name, label)
            most = len(values)
    return best
