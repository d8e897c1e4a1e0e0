# SPDX-License-Identifier: MIT
"""How a worker's mean step is spent: stacked bars per point, predicted beside measured."""

from matplotlib.patches import Patch

import style

PARTS = (("compute_s", "compute", "#0072B2"), ("delay_s", "straggler delay", "#D55E00"),
         ("exposed_comm_s", "exposed communication", "#E69F00"),
         ("wait_s", "waiting for others", "#B8B8B8"), ("input_s", "input", "#009E73"))
SOURCES = ("predicted", "measured")


def draw(study):
    """A panel per series; None where no row says how its step is spent."""
    drawn = [(one, _bars(one)) for one in study.series]
    everything = [(one, bars) for one, bars in drawn if bars]
    drawn = everything[:style.MOST_PANELS]
    if not drawn:
        return None
    tops = [max(sum(parts.values()) for parts in bars.values()) for _, bars in drawn]
    unit_s, unit = style.unit_of(tops)
    shared = max(tops) < 5 * min(tops)
    rows, columns = style.small_grid_of(len(drawn))
    single = len(drawn) == 1
    figure = style.new_figure(style.ONE_COLUMN if single else style.TWO_COLUMNS,
                              2.2 if single else 1.5 if rows == 1 else 1.3 * rows + 0.25)
    used, seen = set(), {source for _, bars in drawn for _, source in bars}
    most = max(len({x for x, _ in bars}) for _, bars in drawn)
    for place, ((one, bars), top) in enumerate(zip(drawn, tops)):
        axes = figure.add_subplot(rows, columns, place + 1)
        style.panel_title(axes, one.label, columns)
        used |= _draw_bars(axes, bars, unit_s, len(seen) > 1,
                           figure.get_size_inches()[0] / columns - 0.5)
        axes.set_ylim(0, 1.06 * (max(tops) if shared else top) / unit_s)
        axes.yaxis.set_major_formatter(style.plain)
        if shared:
            axes.tick_params(labelleft=place % columns == 0)
        middle = sum(axes.get_xlim()) / 2
        axes.set_xlim(middle - most / 2 - 0.1, middle + most / 2 + 0.1)  # bars of one width
        if any(study.axis.is_loose(row) for row in one.rows):
            axes.set_xticks(axes.get_xticks(), ["varies"] * len(axes.get_xticks()))
        if single:
            axes.set_ylabel(f"step time ({unit})")
            axes.set_xlabel(study.axis.label)
    if not single:
        style.shared_labels(figure, study.axis.label, f"step time ({unit})", len(drawn),
                            len(everything))
    return style.finish(figure, [Patch(color=colour, label=label) for column, label, colour in PARTS
                                 if column in used], _source_handles(seen))


def _bars(one):
    """(x, source) -> {column: seconds} of the points whose parts are known."""
    bars = {}
    for source in SOURCES:
        for x, row in one.by_source.get(source, []):
            parts = {column: max(row[column], 0.0) for column, _, _ in PARTS
                     if row[column] is not None}
            if sum(parts.values()) > 0:
                bars[x, source] = parts
    return bars


def _draw_bars(axes, bars, unit_s, paired, panel_inches):
    """Draws the bars of one series; returns the columns that are not zero everywhere."""
    used = set()
    xs = sorted({x for x, _ in bars})
    width = 0.36 if paired else 0.6
    for (x, source), parts in bars.items():
        shift = (-0.21 if source == "predicted" else 0.21) if paired else 0.0
        place, bottom = xs.index(x) + shift, 0.0
        for column, _, colour in PARTS:
            height = parts.get(column, 0.0) / unit_s
            if height > 0:
                axes.bar(place, height, width, bottom, linewidth=0,
                         color=style.lighter(colour, 0.62) if paired and source == "predicted"
                         else colour)
                used.add(column)
                bottom += height
        if paired and source == "measured":
            axes.bar(place, bottom, width, fill=False, edgecolor=style.INK, linewidth=0.6)
    label_inches = 0.04 + 0.057 * len(style.plain(xs[-1]))
    axes.set_xticks(range(len(xs)), style.labels_with_room(
        range(len(xs)), xs, len(xs) * label_inches / panel_inches))
    axes.set_xlim(-0.6, len(xs) - 0.4)
    axes.grid(False, axis="x")
    axes.tick_params(axis="x", length=0)
    return used


def _source_handles(seen):
    if len(seen) < 2:
        return []
    looks = {"predicted": {"facecolor": "#B9B9B9", "linewidth": 0, "label": "predicted (left)"},
             "measured": {"facecolor": "#777777", "edgecolor": style.INK, "linewidth": 0.6,
                          "label": "measured (right)"}}
    return [Patch(**looks[source]) for source in SOURCES]
