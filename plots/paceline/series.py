# SPDX-License-Identifier: MIT
"""Groups rows into series: the points joined by one curve, from every source.

Two rows belong to one series if they differ only along the axis. K and the batch may follow from
the workers (k: 50 %, global_batch), so they split a series only if one number of workers has several
of them; where sizes are the axis, so do the workers. A swept key that follows from the other columns
and the axis does not split it.
"""

import itertools
import math
from dataclasses import dataclass, field
from functools import cached_property

from paceline.axis import K_MOVES, quantity, shortest

MOST_IN_A_PANEL = 5
MOST_COLOURS = 7  # of the palette
JOB = "job"  # swept key: the name of one of several jobs, which says more than its model
K_IS_IMPLIED = ("sync", "async", "ssp", "local-sgd")
LABEL_ORDER = ("model", "policy", "aggregation", "batch", "machine", "workers")  # then swept keys, then these:
LABEL_LAST = ("experiment", "run")
COLUMN_OF = {"model": "model", "update": "policy", "aggregation": "aggregation",
             "machine": "machine"}  # swept key -> column of its values' kinds
PANEL_ORDER = ("run", "experiment", "model", "machine", "workers")  # then swept keys, then these:
PANEL_LAST = ("batch", "aggregation", "policy")


@dataclass
class Series:
    """One curve: its rows, and the fields that distinguish it from the others."""
    rows: list
    fields: dict                                  # field -> text, e.g. "batch 64"
    label: str = ""                               # "" if there is only one series
    by_source: dict = field(default_factory=dict)  # source -> [(x, row)] sorted by x
    lacks: dict = field(default_factory=dict)     # swept key -> text for its absence

    @cached_property
    def at(self):
        """x -> {source: row} of every point."""
        found = {}
        for source, rows in self.by_source.items():
            for x, row in rows:
                found.setdefault(x, {})[source] = row
        return found

    def told(self, names):
        """These fields as text; if all are blank, the names of the series' missing keys."""
        said = [self.fields[name] for name in names if self.fields[name]]
        lacking = [self.lacks[name] for name in names if name in self.lacks]
        return ", ".join(said or lacking[:1])


def group(rows, axis):
    """The series of these rows, in the order of the file."""
    named = [key for key in dict.fromkeys(key for row in rows for key in row.labels)
             if not _is_within(axis, key)]
    swept = [key for key in (rows[0].swept if rows else ())
             if key not in (axis.column, "workers", JOB) and _owner(key, named) is None
             and not _follows(key, rows, axis, named)]
    parts = _split([rows], lambda row: (*_fixed(row, named), *(row.swept[key] for key in swept)))
    for column in ("workers", "k", "batch"):
        if column != axis.column:
            parts = [piece for part in parts for piece in _split_where_needed(part, column, axis)]
    all_series = [_series(part, axis, swept, named) for part in parts]
    _name_missing_keys(all_series, swept)
    distinct = distinguishing([one.fields for one in all_series])
    for one in all_series:
        one.label = one.told(distinct)
    return all_series


def _name_missing_keys(all_series, swept):
    """Names keys that only some series have: `schedule none` for a word, `default decay` for a
    number.

    A key that does not apply to the kind (the slack of ssp, for sync) is not missing.
    """
    for key in swept:
        owner = ".".join(key.split(".")[:-2 if key.endswith(".kind") else -1] + ["kind"])
        given = [one.rows[0].swept for one in all_series if one.rows[0].swept[key]]
        words = any(quantity(cells[key])[0] is None for cells in given)
        noun = _noun_of_kind(key) if key.endswith(".kind") else shortest(key, swept)
        for one in all_series:
            cells = one.rows[0].swept
            if not cells[key] and any(each.get(owner) == cells.get(owner) for each in given):
                one.lacks[key] = f"{noun} none" if words else f"default {noun}"


def _owner(key, named):
    """The named key that contains this key or equals it; None if there is none."""
    return next((owner for owner in named if key == owner or key.startswith(f"{owner}.")), None)


def _is_within(axis, key):
    """True if the axis is a part of the key's values, so that their full names would split the
    series."""
    return axis.column.startswith(f"{key}.") or (axis.column == "k" and key == "update")


def _name(row, key):
    return row.labels.get(key, row.swept.get(key, ""))


def _fixed(row, named):
    return tuple([row.run, row.swept.get(JOB, "")] + [row[column] for column in
                              ("experiment", "model", "machine", "policy", "aggregation")]
                 + [_name(row, key) for key in named])


def _follows(key, rows, axis, named):
    """True if the key's text is determined by the fixed columns and the axis."""
    seen = {}
    return all(seen.setdefault((_fixed(row, named), axis.value(row)), row.swept[key])
               == row.swept[key] for row in rows)


def _split(parts, key):
    pieces = []
    for part in parts:
        by_key = {}
        for row in part:
            by_key.setdefault(key(row), []).append(row)
        pieces += by_key.values()
    return pieces


def _split_where_needed(part, column, axis):
    seen = {}
    for row in part:
        seen.setdefault((row["source"], axis.value(row)), set()).add(row[column])
    crowded = any(len(values) > 1 for values in seen.values())
    return _split([part], lambda row: row[column]) if crowded else [part]


def _series(rows, axis, swept, named):
    first = rows[0]
    batches = {row["batch"] for row in rows} - {None}
    fields = {"model": first.swept.get(JOB) or first["model"],
              "policy": first["policy"] + _k_label(rows, axis),
              "aggregation": first["aggregation"],
              "batch": f"batch {batches.pop()}" if len(batches) == 1 else "",
              "machine": first["machine"],
              "workers": "" if axis.is_workers else f"{first['workers']} ranks"}
    for key in named:
        fields[COLUMN_OF.get(key, key)] = _named(key, _name(first, key))
    for key in swept:
        fields[key] = _said(key, first.swept[key], swept)
    fields |= {"experiment": first["experiment"], "run": first.run}
    by_source = {}
    for row in rows:
        if axis.value(row) is not None:
            by_source.setdefault(row["source"], []).append((axis.value(row), row))
    for points in by_source.values():
        points.sort(key=lambda point: point[0])
    return Series(rows, fields, "", by_source)


def _named(key, name):
    return f"no {_noun_of_kind(key)}" if name == "none" and key not in COLUMN_OF else name


def _said(key, text, keys):
    """A swept value in a legend: `slack 2`; for a kind only its name: `exponential`.

    A kind inside another kind is a property of the outer one and includes its noun: `staleness
    average`.
    """
    if not text or not key.endswith(".kind"):
        return f"{shortest(key, keys)} {text}" if text else ""
    noun = _noun_of_kind(key)
    if key.count(".") > 1 and noun != "stragglers":
        return f"{noun} {text}"
    return f"no {noun}" if text == "none" else text


def _noun_of_kind(key):
    """The noun of a kind: `stragglers` for stragglers.compute.kind."""
    parts = key.split(".")
    return parts[0] if parts[0] == "stragglers" or len(parts) == 1 else parts[-2]


def has_no_place(one, axis):
    """True for the only point of a policy without a K of its own where the axis is K."""
    return axis.column == "k" and len(one.at) == 1 and one.rows[0]["policy"] in K_IS_IMPLIED


def _k_label(rows, axis):
    """`, K=4`, `, K=P/2`, or "" if K is implied or is the axis."""
    if rows[0]["policy"] in K_IS_IMPLIED or axis.column == "k":
        return ""
    pairs = {(row["workers"], row["k"]) for row in rows if row["k"] is not None}
    values = {k for _, k in pairs}
    if not pairs:
        return ""
    if len(values) == 1:
        return f", {'from ' if rows[0]['policy'] in K_MOVES else ''}K={values.pop()}"
    if all(k == workers for workers, k in pairs):
        return ", K=P"
    for percent in (50, 25, 75, *range(5, 100, 5)):
        if all(k == math.ceil(workers * percent / 100) for workers, k in pairs):
            return ", K=P/2" if percent == 50 else f", K={percent / 100:g}P"
    return ", K varies"


def _in_order(fields, first, last):
    middle = [name for name in fields if name not in LABEL_ORDER + LABEL_LAST]
    return [*first, *middle, *last]


def distinguishing(all_fields):
    """The fewest fields, taken in order, that distinguish these series."""
    names, seen = [], 1
    if not all_fields:
        return names
    for name in _in_order(all_fields[0], LABEL_ORDER, LABEL_LAST):
        kinds = len({tuple(fields.get(each, "") for each in names + [name])
                     for fields in all_fields})
        if kinds > seen:
            names, seen = names + [name], kinds
    return names


def panels(all_series, most=MOST_IN_A_PANEL):
    """Divides the series into panels of at most `most`: a list of (title, [(label, series)]).

    Few series share one panel without a title. Otherwise the titles are the first field, or the
    first fields, that divide the series into small enough groups, so that compared series stay in
    one panel.
    """
    if len(all_series) <= most:
        return [("", [(one.label, one) for one in all_series])]
    distinct = distinguishing([one.fields for one in all_series])
    candidates = [name for name in _in_order(all_series[0].fields, PANEL_ORDER, PANEL_LAST)
                  if name in distinct]
    for size in range(1, len(candidates) + 1):
        for chosen in itertools.combinations(candidates, size):
            parted = _part(all_series, chosen, distinct)
            labels = {label for _, members in parted for label, _ in members}
            if max(len(members) for _, members in parted) <= most and len(labels) <= MOST_COLOURS:
                return parted
    return [(one.label, [("", one)]) for one in all_series]


def _part(all_series, chosen, distinct):
    parted = {}
    for one in all_series:
        title = one.told([name for name in distinct if name in chosen])
        label = one.told([name for name in distinct if name not in chosen])
        parted.setdefault(title, []).append((label, one))
    return list(parted.items())
