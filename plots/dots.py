# SPDX-License-Identifier: MIT
"""Draws series that have one point each: a line of text per series, its values along it.

Where nothing runs along an axis (policies or stragglers are compared at one number of workers),
curves of one point would lie above each other; here every series has a name and a line of its own.
"""

import textwrap

import style
from results import SOURCES

MOST_LINES = 40
LOG_FROM = 20.0  # a range of values beyond this factor is drawn on a logarithmic axis


def draw_dots(drawn, label, value, spread=None):
    """The figure of these series; value and spread as in `draw_curves`."""
    shown = drawn[:MOST_LINES]
    named = len(shown) > 1
    figure = style.new_figure(style.ONE_COLUMN if not named else 0.72 * style.TWO_COLUMNS,
                              0.5 + 0.2 * len(shown))
    axes = figure.add_subplot()
    used = set()
    for line, one in enumerate(shown):
        for source in SOURCES:
            for _, row in one.by_source.get(source, []):
                if value(row) is not None:
                    _draw(axes, line, row, value(row), spread)
                    used.add((source, row.is_bound and source == "theory"))
    _frame(axes, [value(row) for one in shown for points in one.by_source.values()
                  for _, row in points if value(row) is not None])
    axes.set_yticks(range(len(shown)), ["\n".join(textwrap.wrap(one.label, 44))
                                            for one in shown])
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    rest = f" (the first {len(shown)} of {len(drawn)})" if len(shown) < len(drawn) else ""
    axes.set_xlabel(label + rest)
    return style.finish(figure, [_handle(source, bound) for source in SOURCES
                                 for bound in (False, True) if (source, bound) in used])


def _draw(axes, line, row, at, spread):
    source = row["source"]
    axes.plot([at], [line], **_mark(source, row.is_bound))
    error = abs(spread(row) or 0.0) if spread and source == "measured" else 0.0
    if error:
        axes.errorbar([at], [line], xerr=[error], fmt="none", ecolor=style.INK, elinewidth=0.8,
                      capsize=2.0, capthick=0.8, zorder=7)


def _mark(source, bound):
    mark = style.source_mark(source, style.COLOURS[0], bound=bound)
    if source == "theory":  # a line of one point would not show
        return {"color": style.INK, "linestyle": "", "marker": "|", "markersize": 10,
                "markeredgewidth": 0.8, "alpha": 0.5 if bound else 1.0, "zorder": 2}
    return mark | {"linestyle": ""}


def _handle(source, bound):
    handle = style.source_handle(source, bound)
    handle.set(**{name: each for name, each in _mark(source, bound).items() if name != "zorder"})
    return handle


def _frame(axes, values):
    low, high = min(values), max(values)
    if low > 0 and high > LOG_FROM * low:
        axes.set_xscale("log")
        axes.set_xlim(low / 1.3, high * 1.3)
        style.log_ticks(axes.xaxis, low / 1.3, high * 1.3)
    else:
        axes.set_xlim(min(0, 1.06 * low), 1.06 * high or 1.0)
        axes.xaxis.set_major_formatter(style.plain)
