# SPDX-License-Identifier: MIT
"""How long steps last: the cumulative distribution of step times, predicted against measured."""

from matplotlib.lines import Line2D

import style
from distributions import ks_distance
from points import choose_points, name_of, points_of

LOOKS = {"predicted": {"color": style.lighter(style.COLOURS[0], 0.75), "linewidth": 2.4,
                       "zorder": 3},
         "measured": {"color": style.INK, "linewidth": 0.9, "zorder": 4}}
SHOWN = 0.995  # the share of the steps that a panel reaches to
BEGUN = 0.002


def draw(study):
    """A panel per point, those with both sources where there are any; None without step times.

    Of too many points, as many of every series.
    """
    drawn = [(point, found) for point in points_of(study)
             if (found := {source: point.rows[source].step_times for source in LOOKS
                           if source in point.rows and point.rows[source].step_times})]
    compared = [each for each in drawn if len(each[1]) == len(LOOKS)]
    drawn = compared or drawn
    if not drawn:
        return None
    of_point = {id(point): found for point, found in drawn}
    shown = [(point, of_point[id(point)]) for point in
             choose_points([point for point, _ in drawn], style.MOST_SMALL_PANELS)]
    single = len(shown) == 1
    rows, columns = style.small_grid_of(len(shown))
    figure = style.new_figure(style.ONE_COLUMN if single else style.TWO_COLUMNS,
                              2.3 if single else style.SMALL_PANEL * rows + 0.45)
    unit_s, unit = style.unit_of(found.quantile(SHOWN) for _, of in shown for found in of.values())
    for place, (point, of) in enumerate(shown):
        axes = figure.add_subplot(rows, columns, place + 1)
        style.panel_title(axes, name_of(study, point), columns)
        _draw_panel(axes, of, unit_s)
        axes.tick_params(labelleft=place % columns == 0)
        if single:
            axes.set_xlabel(f"step time ({unit})")
            axes.set_ylabel("share of steps (%)")
    if not single:
        style.shared_labels(figure, f"step time ({unit})", "share of steps (%)", len(shown),
                            len(drawn), "")
    seen = {source for _, of in shown for source in of}
    return style.finish(figure, [Line2D([], [], label=source, **look)
                                 for source, look in LOOKS.items() if source in seen])


def _draw_panel(axes, of, unit_s):
    for source, found in of.items():
        axes.plot([time_s / unit_s for time_s in found.step_s],
                  [100 * share for share in found.shares], **LOOKS[source])
    low = min(found.quantile(BEGUN) for found in of.values()) / unit_s
    high = max(found.quantile(SHOWN) for found in of.values()) / unit_s
    margin = max(0.06 * (high - low), 0.02 * high)
    axes.set_xlim(0 if low < 0.35 * high else low - margin, high + margin)
    axes.set_ylim(0, 103)
    axes.set_yticks((0, 25, 50, 75, 100))
    axes.xaxis.set_major_locator(style.few_ticks())
    axes.xaxis.set_major_formatter(style.plain)
    if len(of) == len(LOOKS):
        axes.text(0.97, 0.06, f"KS {ks_distance(*of.values()):.3f}", ha="right", va="bottom",
                  transform=axes.transAxes, fontsize=6.5)
