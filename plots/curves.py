# SPDX-License-Identifier: MIT
"""Draws one figure of every series against the axis, in panels, each source with its own mark.

Throughput, efficiency and iteration time differ only in what `value` makes of a row.
"""

import itertools
import math

import style
from dots import draw_dots
from results import SOURCES
from series import panels

LOG_FROM = 4.0  # a vertical axis whose values span more than this factor is logarithmic


def draw_curves(study, ylabel, value, spread=None, logarithmic=None, prepare=None):
    """The figure, or None where no row has a value.

    value(row) is what is drawn, or None. spread(row) is the standard error of a measured value.
    prepare(axes, values) sets the vertical axis's limits instead of the common rule.
    """
    drawn = [one for one in study.series
             if any(value(row) is not None for points in one.by_source.values()
                    for _, row in points)]
    if not drawn:
        return None
    if len({x for one in drawn for points in one.by_source.values() for x, _ in points}) == 1:
        return draw_dots(drawn, ylabel, value, spread)
    everything = panels(drawn)
    parted = everything[:style.MOST_PANELS]
    looks = _looks(parted)
    rows, columns = style.grid_of(len(parted))
    single = len(parted) == 1
    figure = style.new_figure(style.ONE_COLUMN if single else style.TWO_COLUMNS,
                              2.3 if single else 1.75 * rows + 0.25)
    all_values = _values(drawn, value)
    log = _span(all_values) > LOG_FROM if logarithmic is None else logarithmic
    shared = single or _span(all_values) < 20 or not log
    used = set()
    for place, (title, members) in enumerate(parted):
        axes = figure.add_subplot(rows, columns, place + 1)
        style.panel_title(axes, title, columns)
        right = _horizontal(axes, drawn, study.axis)
        for label, one in members:
            used |= _draw_series(axes, one, looks[label], value, spread, study.axis, right)
        values = all_values if shared else _values([one for _, one in members], value)
        if prepare:
            prepare(axes, values)
        else:
            _vertical(axes, values, log)
        if single:
            axes.set_ylabel(ylabel)
            axes.set_xlabel(study.axis.label)
    if not single:
        style.shared_labels(figure, study.axis.label, ylabel, len(parted), len(everything))
    return style.finish(figure, _series_handles(looks), _source_handles(used))


def _looks(parted):
    """label -> (colour, shape), the same in every panel."""
    labels = dict.fromkeys(label for _, members in parted for label, _ in members)
    return {label: (style.COLOURS[place % len(style.COLOURS)],
                    style.SHAPES[place % len(style.SHAPES)]) for place, label in enumerate(labels)}


def _values(drawn, value):
    found = (value(row) for one in drawn for points in one.by_source.values() for _, row in points)
    return [each for each in found if each is not None]


def _span(values):
    positive = [value for value in values if value > 0]
    return max(positive) / min(positive) if positive else 1.0


def _draw_series(axes, one, look, value, spread, axis, right):
    """Draws a series' sources; returns the kinds of marks used, as (source, bound).

    A series that has no one place on the axis is a level line, its marks beyond the others.
    """
    colour, shape = look
    used = set()
    for source in SOURCES:
        for bound in (False, True):
            points = [(x, value(row), row) for x, row in one.by_source.get(source, [])
                      if value(row) is not None and row.is_bound == bound]
            if not points:
                continue
            used.add((source, bound and source == "theory"))
            loose = axis.is_loose(points[0][2])
            x = [right if loose else point[0] for point in points]
            y = [point[1] for point in points]
            mark = style.source_mark(source, colour, shape, bound)
            if loose:
                if source == "predicted":
                    for level in y:
                        axes.axhline(level, color=colour, linewidth=mark["linewidth"], zorder=2.5)
                mark["linestyle"] = ""
            if source == "theory":
                _draw_theory(axes, [(at, row) for at, row in one.by_source[source]
                                    if value(row) is not None], value, bound, mark)
            else:
                axes.plot(x, y, **mark)
            if source in ("measured", "published") and "predicted" not in one.by_source:
                axes.plot(x, y, color=colour, linewidth=0.7, alpha=0.6, zorder=2)
            if source == "measured" and spread:
                errors = [abs(spread(row) or 0.0) for _, _, row in points]
                axes.errorbar(x, y, yerr=errors, fmt="none", ecolor=style.darker(colour, 0.8),
                              elinewidth=0.8, capsize=2.0, capthick=0.8, zorder=7)
    return used


def _draw_theory(axes, rows, value, bound, mark):
    """A line through what is exact, or a bound, but none across places that are the other."""
    stretches = [list(members) for is_bound, members in
                 itertools.groupby(rows, lambda each: each[1].is_bound) if is_bound == bound]
    for members in stretches:
        alone = {"marker": "_", "markersize": 9} if len(members) == 1 else {}  # no line would show
        axes.plot([x for x, _ in members], [value(row) for _, row in members], **mark | alone)


def _horizontal(axes, drawn, axis):
    """Sets limits and ticks; returns the place beyond the others' of what has none on the axis."""
    rows = [(x, row) for one in drawn for points in one.by_source.values() for x, row in points]
    xs = {x for x, row in rows if not axis.is_loose(row)} or {x for x, _ in rows}
    if min(xs) <= 0:
        return max(xs)
    axes.set_xscale("log", base=2)
    style.ticks_at(axes.xaxis, xs)
    margin = max(math.log2(max(xs) / min(xs)) * 0.06, 0.2)
    beyond = 1.5 * margin if any(axis.is_loose(row) for _, row in rows) else 0.0
    axes.set_xlim(min(xs) * 2 ** -margin, max(xs) * 2 ** (margin + beyond))
    return max(xs) * 2 ** beyond


def _vertical(axes, values, log):
    if log:
        axes.set_yscale("log")
        positive = [value for value in values if value > 0]
        low, high = min(positive) / 1.25, max(positive) * 1.25
        axes.set_ylim(low, high)
        style.log_ticks(axes.yaxis, low, high)
    else:
        axes.set_ylim(0, max(values) * 1.1 or 1.0)
        axes.yaxis.set_major_formatter(style.plain)


def _series_handles(looks):
    return [style.series_handle(label, *look) for label, look in looks.items() if label]


def _source_handles(used):
    order = [(source, bound) for source in SOURCES for bound in (False, True)]
    return [style.source_handle(source, bound) for source, bound in order
            if (source, bound) in used]
