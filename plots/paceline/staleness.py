# SPDX-License-Identifier: MIT
"""The staleness of applied gradients: one histogram per point, measured over predicted."""

import math

from paceline.figure import MOST_PANELS, Figure, columns_of, left_out, size_of
from paceline.marks import colour_key, line_key
from paceline.panel import Panel
from paceline.points import choose_points, name_of, points_of
from paceline.scales import Linear
from paceline.sentences import of_source
from paceline.shapes import Area, Line

SOURCES = ("predicted", "measured")
SHOWN = 0.999  # share of the gradients inside a panel
ROOM = 1.3     # relative to the highest bar; the means are above it
COLOUR, PALE = "blue", 0.4


def draw(study):
    """One panel per point; if there are too many, equally many per series. None if no gradient was
    stale.

    Points at one position of the axis share both axes.
    """
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
             choose_points([point for point, _ in drawn], MOST_PANELS)]
    shown.sort(key=lambda each: each[0].x)  # panels with equal axes beside each other
    reach, top = _limits(shown)
    panels = []
    for point, shares in shown:
        panel = Panel(Linear(-0.6, reach[point.x] + 0.6), Linear(0, ROOM * 100 * top[point.x], 4),
                      "staleness (updates)", "share of gradients (%)", name_of(study, point),
                      grid="y", **size_of(len(shown)))
        panel.x.ticks = [each for each in panel.x.ticks if float(each[0]).is_integer()]
        _draw_shares(panel, shares, reach[point.x])
        panel.note("mean " + " / ".join(_three(mean_of(each)) for each in shares.values()))
        panels.append(panel)
    seen = {source for _, shares in shown for source in shares}
    keys = {"predicted": colour_key("predicted", COLOUR, PALE, source="predicted"),
            "measured": line_key("measured", source="measured")}
    return Figure(panels, [keys[source] for source in SOURCES if source in seen],
                  left_out(len(shown), len(drawn)), columns_of(len(panels)))


def finding(study):
    """The lowest and the highest mean staleness of the points that are drawn."""
    means = []
    for point in points_of(study):
        source = next((each for each in reversed(SOURCES) if each in point.rows
                       and point.rows[each].staleness), None)
        shares = _shares(point.rows[source].staleness) if source else {}
        if any(staleness > 0 for staleness in shares):
            means.append((mean_of(shares), source, name_of(study, point)))
    if not means:
        return ""
    means.sort(key=lambda each: each[0])
    said = [f"{_three(mean)} ({name})" for mean, _, name in (means[0], means[-1])]
    return f"Mean staleness: {' to '.join(dict.fromkeys(said))}{of_source(means[0][1])}."


def _shares(counts):
    total = sum(counts.values())
    return {each: counts[each] / total for each in sorted(counts)} if total else {}


def mean_of(shares):
    """The mean staleness of a histogram of shares."""
    return sum(staleness * share for staleness, share in shares.items())


def _limits(shown):
    """Position -> the largest staleness of its panels, and the highest share."""
    reach, top = {}, {}
    for point, shares in shown:
        for each in shares.values():
            reach[point.x] = max(reach.get(point.x, 0), _reach(each))
            top[point.x] = max(top.get(point.x, 0.0), *each.values())
    return reach, top


def _reach(shares):
    """The staleness that SHOWN of the gradients do not exceed."""
    below = 0.0
    for staleness, share in shares.items():
        below += share
        if below >= SHOWN:
            return staleness
    return max(shares)


def _draw_shares(panel, shares, reach):
    """Predicted shares as an area, measured ones as a line: both as steps."""
    for source, each in shares.items():
        steps = _steps(each, reach)
        panel.add(Area(steps, COLOUR, PALE, source=source) if source == "predicted" else
                  Line(steps, "ink", 1.4, source=source))


def _steps(shares, reach):
    """The outline of the bars; between values that do not follow each other it is 0."""
    steps, end = [(-0.5, 0.0)], -0.5
    for staleness, share in shares.items():
        if staleness <= reach:
            if staleness - 0.5 > end:
                steps += [(end, 0.0), (staleness - 0.5, 0.0)]
            end = staleness + 0.5
            steps += [(staleness - 0.5, 100 * share), (end, 100 * share)]
    return (*steps, (end, 0.0), (reach + 0.5, 0.0))


def _three(value):
    """Three significant digits."""
    places = 2 if value < 1 else max(0, 2 - math.floor(math.log10(value)))
    return f"{value:.{places}f}"
