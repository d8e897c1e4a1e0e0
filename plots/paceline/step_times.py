# SPDX-License-Identifier: MIT
"""The cumulative distribution of step times, predicted against measured."""

from paceline.distributions import ks_distance
from paceline.figure import MOST_PANELS, Figure, columns_of, left_out, size_of
from paceline.marks import line_key
from paceline.panel import Panel
from paceline.points import evenly, name_of, points_of
from paceline.scales import Linear, unit_of
from paceline.sentences import short
from paceline.shapes import Line
from paceline.training_panels import arrange, curve_points

SOURCES = ("predicted", "measured")
LOOKS = {"predicted": {"width": 4.0, "opacity": 0.4}, "measured": {"width": 1.2, "opacity": 1.0}}
SHOWN = 0.99  # share of the steps inside a panel
BEGUN = 0.002
ALIKE = 0.1   # KS distance below which predicted curves coincide
EVEN_CV = 0.05  # predictions without measurements are dropped below this variation


def draw(study):
    """The numbers of workers of a series share a panel; all panels share their axes.

    Draws the points with both sources if there are any, otherwise those with varying steps. None
    without step times.
    """
    found = curve_points(study, lambda point: {
        source: point.rows[source].step_times for source in SOURCES
        if source in point.rows and point.rows[source].step_times})
    both = {key: each for key, each in found.items() if len(each[1]) == len(SOURCES)}
    found = both or {key: each for key, each in found.items()
                     if any((times.cv or 0.0) > EVEN_CV for times in each[1].values())}
    if not found:
        return None
    arranged = arrange(study, [point for point, _ in found.values()], workers_share=False)
    everything, alike = _without_alike(arranged.parted, found)
    parted = evenly(everything, MOST_PANELS)
    shown = [found[id(point)][1] for _, members in parted for _, point in members]
    unit_s, unit = unit_of(each.quantile(SHOWN) for of in shown for each in of.values())
    across = _across([each for of in shown for each in of.values()], unit_s)
    panels = []
    for title, members in parted:
        panel = Panel(across, Linear(0, 100, 4), f"step time ({unit})", "share of steps (%)",
                      title, **size_of(len(parted)))
        for place, (name, point) in enumerate(members):
            _draw_point(panel, found[id(point)][1], arranged.colours[name], unit_s,
                        name_of(study, point), point.rows)
            distance = (f" KS {ks_distance(*found[id(point)][1].values()):.3f}"
                        if len(found[id(point)][1]) == len(SOURCES) else "")
            panel.label(100 * (place + 1) / (len(members) + 1), f"{name}{distance}".strip(),
                        arranged.colours[name])
        panels.append(panel)
    seen = [source for source in SOURCES if any(source in of for of in shown)]
    return Figure(panels, [line_key(source, **LOOKS[source], source=source) for source in seen],
                  "; ".join(filter(None, [alike, left_out(len(parted), len(everything))])),
                  columns_of(len(panels)))


def _without_alike(parted, found):
    """(the panels whose curves differ, a note on the others); all if all are alike.

    Curves of one source that nearly coincide show only that the axis has no influence.
    """
    def is_alike(members):
        of = [found[id(point)][1] for _, point in members]
        curves = [next(iter(each.values())) for each in of]
        return (len(members) > 1 and max(map(len, of)) == 1
                and all(ks_distance(curves[0], each) < ALIKE for each in curves[1:]))

    names = [title for title, members in parted if is_alike(members)]
    if not names or len(names) == len(parted):
        return parted, ""
    return ([(title, members) for title, members in parted if title not in names],
            f"not drawn, as all curves coincide: {'; '.join(names)}")


def finding(study):
    """The distances of both sources' distributions; without two sources, the length of the tails.
    """
    points = [(name_of(study, point), {source: point.rows[source].step_times for source in SOURCES
                                       if source in point.rows and point.rows[source].step_times})
              for point in points_of(study)]
    distances = sorted((ks_distance(*of.values()), name) for name, of in points
                       if len(of) == len(SOURCES))
    if distances:
        worst, name = distances[-1]
        middle = distances[len(distances) // 2][0]
        return (f"KS distance of prediction and measurement, {len(distances)} points: "
                f"{middle:.3f} in the median, at most {worst:.3f} ({name}).")
    tails = sorted((each.quantile(0.95) / each.quantile(0.5), name) for name, of in points
                   for each in of.values() if each.quantile(0.5) > 0)
    if not tails:
        return ""
    (low, first), (high, last) = tails[0], tails[-1]
    return (f"The 95th percentile is {short(low)} ({first}) to {short(high)} x ({last}) the "
            "median.")


def _across(distributions, unit_s):
    low = min(each.quantile(BEGUN) for each in distributions) / unit_s
    high = max(each.quantile(SHOWN) for each in distributions) / unit_s
    margin = max(0.04 * (high - low), 0.02 * high)
    return Linear(0 if low < 0.35 * high else low - margin, high + margin, 4)


def _draw_point(panel, of, colour, unit_s, name, rows):
    for source, found in of.items():
        panel.add(Line(tuple((time_s / unit_s, 100 * share)
                             for time_s, share in zip(found.step_s, found.shares)), colour,
                       LOOKS[source]["width"], opacity=LOOKS[source]["opacity"],
                       tip=f"{name}, {source}", source=source,
                       point=rows[source].point))
