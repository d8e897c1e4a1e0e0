# SPDX-License-Identifier: MIT
"""Draws one quantity of every series against the axis, in panels, with a mark for each source.

Throughput, efficiency and time per update differ only in `value`.
"""

import itertools
import math
from dataclasses import dataclass

from paceline import palette
from paceline.dots import draw_dots
from paceline.figure import MOST_PANELS, Figure, columns_of, left_out, size_of
from paceline.marks import add_source, line_key, source_key
from paceline.panel import Panel
from paceline.results import SOURCES
from paceline.scales import Linear, Log, Values
from paceline.sentences import short
from paceline.series import has_no_place, panels
from paceline.shapes import MARKS, Line
from paceline.tips import standard_error, tip

LOG_FROM = 4.0  # a larger range of values gets a logarithmic axis
APART_FROM = 2.5  # panels are far apart if the range of all is this multiple of one
ROOM = 1.3        # margin above and below the values of such a panel
SAME_BASE = 0.15  # bases within this relative difference share an ideal line
IDEAL_DASH = (2, 2)
LEVEL_DASH = (7, 3)  # of a point without a curve
FLAT = 0.06       # curves this close to the level show nothing


@dataclass(frozen=True)
class Quantity:
    """The quantity of the vertical axis; value(row) is None if the row does not have it."""
    label: str
    value: object
    spread: object = lambda row: None  # the standard error of a measured value
    unit: str = ""                     # after a number in a tip
    ideal: bool = False                # with a line of perfect scaling
    level: float = None                # with a line at this value
    from_zero: bool = False            # on a linear axis that begins at 0


def draw_curves(study, quantity):
    """The figure, or None if no row has a value."""
    value = quantity.value
    drawn = [one for one in study.series
             if any(value(row) is not None for points in one.by_source.values()
                    for _, row in points)]
    if not drawn:
        return None
    if len({x for one in drawn for points in one.by_source.values() for x, _ in points}) == 1:
        return draw_dots(study, drawn, quantity)
    every_panel = panels(drawn)
    looks = _looks(every_panel)  # alike in all figures of a study
    everything, flat = _without_flat(every_panel, quantity)
    parted = everything[:MOST_PANELS]
    across = _across(drawn, study.axis)
    scales = _scales([_values([one for _, one in members], value) for _, members in parted],
                     quantity)
    made, used = [], set()
    for (title, members), upwards in zip(parted, scales):
        panel = Panel(across, upwards, study.axis.label, quantity.label, title,
                      **size_of(len(parted)))
        if quantity.level is not None:
            panel.add(Line(((across.low, quantity.level), (across.high, quantity.level)),
                           "muted", 1))
        if quantity.ideal and study.axis.is_workers and across.is_log:
            used |= _draw_ideals(panel, members, value)
        for label, one in members:
            is_level = _is_level(one, members, study.axis)
            used |= _draw_series(panel, one, looks[label], quantity, study, is_level)
            _label(panel, one, label, looks[label], quantity, is_level)
        made.append(panel)
    unequal = "each panel has its own axis, over the same factor" \
        if len({(scale.low, scale.high) for scale in scales}) > 1 else ""
    notes = [unequal, flat, left_out(len(made), len(everything))]
    return Figure(made, _keys(used, study), "; ".join(filter(None, notes)), columns_of(len(made)))


def _without_flat(parted, quantity):
    """(the panels in which a curve leaves the level, a note on the others); all if all are flat."""
    if quantity.level is None:
        return parted, ""
    ranges = [_values([one for _, one in members], quantity.value) for _, members in parted]
    is_flat = [max(abs(each / quantity.level - 1) for each in values) <= FLAT for values in ranges]
    names = [title for (title, _), flat in zip(parted, is_flat) if flat]
    if not names or all(is_flat):
        return parted, ""
    within = [each for values, flat in zip(ranges, is_flat) if flat for each in values]
    return ([part for part, flat in zip(parted, is_flat) if not flat],
            f"not drawn, {short(min(within))} to {short(max(within))} {quantity.unit}: "
            f"{'; '.join(names)}")


def _looks(parted):
    """label -> (colour, shape), the same in every panel."""
    labels = dict.fromkeys(label for _, members in parted for label, _ in members)
    return {label: (palette.SERIES[place % len(palette.SERIES)], MARKS[place % len(MARKS)])
            for place, label in enumerate(labels)}


def _values(drawn, value):
    found = (value(row) for one in drawn for points in one.by_source.values() for _, row in points)
    return [each for each in found if each is not None]


def _across(drawn, axis):
    """The horizontal scale; rows without a fixed position are drawn beyond the others."""
    rows = [(x, row) for one in drawn for points in one.by_source.values() for x, row in points]
    placed = {x for x, row in rows if not axis.is_loose(row)}
    loose = any(axis.is_loose(row) for _, row in rows)
    return Values(placed or {x for x, _ in rows}, beyond=0.1 if loose else 0.0,
                  text=axis.tick)


def _scales(values_of, quantity):
    """The vertical scale of each panel: one for all, or, if the panels are far apart, one per
    panel, from its lowest value over the same factor, so that slopes can still be compared."""
    every = [each for values in values_of for each in values]
    factors = [max(values) / min(values) if min(values) > 0 else math.inf for values in values_of]
    whole = max(every) / min(every) if min(every) > 0 else 0.0
    if quantity.from_zero or whole < max(LOG_FROM, APART_FROM * max(factors)):
        return [_upwards(every, quantity)] * len(values_of)
    return [Log(min(values) / ROOM, min(values) * max(factors) * ROOM, to_ticks=False)
            for values in values_of]


def _upwards(values, quantity):
    positive = [each for each in values if each > 0]
    if not quantity.from_zero and positive and max(positive) > LOG_FROM * min(positive):
        return Log(min(positive), max(positive))
    return Linear(min(0.0, min(values)), max(values) * 1.02 or 1.0, to_ticks=True)


def _is_level(one, members, axis):
    """True for a point without a place on the axis beside curves: it is drawn as a level."""
    return has_no_place(one, axis) and any(len(other.at) > 1 for _, other in members)


def _draw_series(panel, one, look, quantity, study, is_level):
    """Draws the sources of a series; returns the kinds of marks used, as (source, bound)."""
    used = set()
    for source in SOURCES:
        rows = [(x, row) for x, row in one.by_source.get(source, [])
                if quantity.value(row) is not None]
        for bound, members in itertools.groupby(
                rows, lambda each: each[1].is_bound and source == "theory"):
            members = list(members)
            used.add((source, bound))
            loose = study.axis.is_loose(members[0][1])
            points = [(panel.x.high if loose else x, quantity.value(row),
                       standard_error(row, quantity), tip(study, one, x, row, quantity),
                       row.point) for x, row in members]
            if loose and source == "predicted" or is_level and source == _leading(one, quantity):
                for _, y, *_ in points:
                    panel.add(Line(((panel.x.low, y), (panel.x.high, y)), look[0],
                                   1.6 if loose else 1.1, () if loose else LEVEL_DASH))
            joined = source in ("measured", "published") and "predicted" not in one.by_source
            add_source(panel, source, points, look, bound, joined)
    return used


def _leading(one, quantity):
    """The source with the most informative line of a series; None without values."""
    return next((source for source in ("predicted", "measured", "published", "theory")
                 if any(quantity.value(row) is not None
                        for _, row in one.by_source.get(source, []))), None)


def _label(panel, one, label, look, quantity, is_level):
    """Names the series at the end of its most informative line, a level at the right edge."""
    x, y = [(x, quantity.value(row)) for x, row in one.by_source[_leading(one, quantity)]
            if quantity.value(row) is not None][-1]
    if is_level:
        panel.label(y, label, look[0])
    elif not panel.label_inside(x, y, label, look[0]):
        panel.label(y, label, look[0], min(x, panel.x.high))


def _draw_ideals(panel, members, value):
    """One line of perfect scaling for each distinct base of these series."""
    bases = []
    for _, one in members:
        for source in ("measured", "published", "predicted", "theory"):
            points = [(x, value(row)) for x, row in one.by_source.get(source, [])
                      if value(row) is not None]
            if points:
                x, y = points[0]
                if all(abs(math.log(y / x / each)) > SAME_BASE for each in bases):
                    bases.append(y / x)
                break
    low, high = panel.x.low, panel.x.high
    for base in bases:
        panel.add(Line(tuple((at, base * at) for at in (low * (high / low) ** (place / 24)
                                                        for place in range(25))),
                       "muted", 1.2, IDEAL_DASH, source="ideal"))
    return {("ideal", False)} if bases else set()


def _keys(used, study):
    keys = [source_key(source, bound, name=study.source_name(source)) for source in SOURCES
            for bound in (False, True) if (source, bound) in used]
    if ("ideal", False) in used:
        keys.append(line_key("perfect scaling", "muted", 1.2, IDEAL_DASH, source="ideal"))
    return keys
