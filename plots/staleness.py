# SPDX-License-Identifier: MIT
"""How stale the applied gradients were: histograms, predicted bars under measured marks."""

import math

from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

import style
from points import choose_points, name_of, points_of

SOURCES = ("predicted", "measured")
SHOWN = 0.999  # the share of the gradients that a panel reaches to
ROOM = 1.25  # of the highest bar: the means stand above it
MANY = 25    # values of staleness whose marks would hide the bars
COLOUR = style.COLOURS[0]


def draw(study):
    """A panel per point, of too many as many of every series; None if no gradient was stale."""
    drawn = []
    for point in points_of(study):
        shares = {source: found for source in SOURCES if source in point.rows
                  and (found := _shares(point.rows[source].staleness))}
        if any(staleness > 0 for each in shares.values() for staleness in each):
            drawn.append((point, shares))
    if not drawn:
        return None
    of_point = {id(point): shares for point, shares in drawn}
    shown = [(point, of_point[id(point)]) for point in
             choose_points([point for point, _ in drawn], style.MOST_SMALL_PANELS)]
    single = len(shown) == 1
    rows, columns = style.small_grid_of(len(shown))
    figure = style.new_figure(style.ONE_COLUMN if single else style.TWO_COLUMNS,
                              2.3 if single else style.SMALL_PANEL * rows + 0.45)
    for place, (point, shares) in enumerate(shown):
        axes = figure.add_subplot(rows, columns, place + 1)
        style.panel_title(axes, name_of(study, point), columns)
        _draw_panel(axes, shares)
        if single:
            axes.set_xlabel("staleness (updates)")
            axes.set_ylabel("share of gradients (%)")
    if not single:
        style.shared_labels(figure, "staleness (updates)", "share of gradients (%)", len(shown),
                            len(drawn), "")
    seen = {source for _, shares in shown for source in shares}
    return style.finish(figure, [_handle(source) for source in SOURCES if source in seen])


def _shares(counts):
    total = sum(counts.values())
    return {each: counts[each] / total for each in sorted(counts)} if total else {}


def mean_of(shares):
    """The mean staleness of a histogram of shares."""
    return sum(staleness * share for staleness, share in shares.items())


def _reach(shares):
    """The staleness that SHOWN of the gradients do not exceed."""
    below = 0.0
    for staleness, share in shares.items():
        below += share
        if below >= SHOWN:
            return staleness
    return max(shares)


def _draw_panel(axes, shares):
    reach = max(_reach(each) for each in shares.values())
    for source, each in shares.items():
        if source == "predicted":
            heights = [100 * each.get(staleness, 0.0) for staleness in range(reach + 1)]
            axes.stairs(heights, [staleness - 0.5 for staleness in range(reach + 2)], fill=True,
                        color=style.lighter(COLOUR, 0.45), zorder=2)
            axes.stairs(heights, [staleness - 0.5 for staleness in range(reach + 2)],
                        color=COLOUR, linewidth=0.7, zorder=3)
        else:
            told = [staleness for staleness in each if staleness <= reach]
            axes.plot(told, [100 * each[staleness] for staleness in told],
                      **_mark(3.6 if reach < MANY else 1.8))
    axes.set_xlim(-0.6 - 0.01 * reach, reach + 0.6 + 0.01 * reach)
    axes.set_ylim(0, 100 * ROOM * max(share for each in shares.values() for share in each.values()))
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.yaxis.set_major_formatter(style.plain)
    axes.grid(False, axis="x")
    means = "mean " + " / ".join(_three(mean_of(each)) for each in shares.values())
    axes.text(0.98, 0.96, means, ha="right", va="top", transform=axes.transAxes, fontsize=6.2,
              bbox={"facecolor": "white", "alpha": 0.75, "pad": 1.0,
                                     "linewidth": 0}, zorder=6)


def _three(value):
    """Three significant digits."""
    places = 2 if value < 1 else max(0, 2 - math.floor(math.log10(value)))
    return f"{value:.{places}f}"


def _mark(size):
    return {"color": style.COLOURS[1], "marker": "o", "markersize": size, "linestyle": "",
            "markeredgecolor": "white", "markeredgewidth": 0.4, "zorder": 5}


def _handle(source):
    if source == "predicted":
        return Patch(facecolor=style.lighter(COLOUR, 0.45), edgecolor=COLOUR, linewidth=0.7,
                     label="predicted")
    return Line2D([], [], label="measured", **_mark(3.6))
