# SPDX-License-Identifier: MIT
"""Assigns curves of training to panels and colours.

Policies are compared at the same number of workers: they share a panel and differ in colour. The
values of a number (K, the slack) have ordered colours, so that a panel shows the effect of the
number. Few policies share one panel even where K varies: a colour for each policy, and the larger
the number the stronger its line.
"""

from collections import Counter
from dataclasses import dataclass, field

from paceline.palette import SERIES, shades
from paceline.points import evenly, name_of, point_name, points_of
from paceline.series import MOST_COLOURS, has_no_place, panels

MOST_SHADES = 9   # ordered colours that are distinct in print
MOST_TOGETHER = 8  # curves of several policies in one panel
FAINTEST = 0.45   # opacity of the line of the smallest number
MOST_ALONE = 2    # curves without a position that every panel repeats
ALONE = ("grey", "purple")  # beside the shades


@dataclass(frozen=True)
class Panels:
    """parted: a list of (title, [(label, point)]); colours: label -> colour, in order; opacities:
    label -> opacity of its line, if it is not 1."""
    parted: list
    colours: dict
    opacities: dict = field(default_factory=dict)


def arrange(study, points, workers_share=True):
    """The Panels of these points. workers_share: one panel per number of workers."""
    if len({point.x for point in points}) == 1:
        of = {id(point.series): point for point in points}
        return _in_colours([(title, [(label, of[id(one)]) for label, one in members])
                            for title, members in panels([point.series for point in points],
                                                         MOST_COLOURS)])
    counts = Counter(id(point.series) for point in points)
    many = {series for series, count in counts.items() if count > 1}
    names = {point.series.label for point in points}
    if workers_share and study.axis.is_workers and 1 < len(names) <= MOST_COLOURS:
        return _by_place(study, points)
    if workers_share and not study.axis.is_workers and len(points) <= MOST_TOGETHER \
            and 1 < len(names) <= MOST_COLOURS:
        return _together(study, points)
    placed = [point for point in points if id(point.series) in many
              and not study.axis.is_loose(_row(point))]
    in_place = set(map(id, placed))
    alone = [point for point in points if id(point) not in in_place]
    if placed and len(alone) <= MOST_ALONE:
        shown = set(evenly(sorted({point.x for point in placed}), MOST_SHADES))
        return _by_series(study, [point for point in placed if point.x in shown], alone)
    if len(names) <= MOST_COLOURS:
        return _by_place(study, points)
    return _in_colours([(name_of(study, point), [("", point)]) for point in points])


def curve_points(study, curves_of):
    """id of a point -> (point, curves_of(point)) for points with curves."""
    return {id(point): (point, of) for point in points_of(study) if (of := curves_of(point))}


def _row(point):
    return next(iter(point.rows.values()))


def _by_place(study, points):
    """One panel per position on the axis, one colour per series."""
    return _in_colours(_parted(sorted(points, key=lambda point: point.x),
                               lambda point: study.axis.point(_row(point)),
                               lambda point: point.series.label),
                       [point.series.label for point in points])


def _together(study, points):
    """One panel: a colour for each series, an opacity for each of its positions."""
    names = list(dict.fromkeys(point.series.label for point in points))
    members, colours, opacities = [], {}, {}
    for name in names:
        of = sorted((each for each in points if each.series.label == name),
                    key=lambda each: each.x)
        for place, point in enumerate(of):
            label = name if has_no_place(point.series, study.axis) \
                else point_name(study, point.series, _row(point))
            members.append((label, point))
            colours[label] = SERIES[names.index(name)]
            if place < len(of) - 1:
                opacities[label] = FAINTEST + (1 - FAINTEST) * place / (len(of) - 1)
    return Panels([("", members)], colours, opacities)


def _by_series(study, placed, alone):
    """One panel per series, one shade per position; points without a position are in every panel.
    """
    extra = [(name_of(study, point) if not point.series.label else point.series.label, point)
             for point in alone]
    parted = _parted(placed, lambda point: point.series.label,
                     lambda point: study.axis.point(_row(point)))
    ordered = sorted(placed, key=lambda point: point.x)
    places = list(dict.fromkeys(study.axis.point(_row(point)) for point in ordered))
    colours = dict(zip(places, shades(len(places))))
    colours |= {label: colour for (label, _), colour in zip(extra, ALONE)}
    return Panels([(title, members + extra) for title, members in parted], colours)


def _in_colours(parted, labels=()):
    labels = dict.fromkeys([*labels, *(label for _, members in parted for label, _ in members)])
    return Panels(parted, {label: SERIES[at % len(SERIES)] for at, label in enumerate(labels)})


def _parted(points, title, label):
    parted = {}
    for point in points:
        parted.setdefault(title(point), []).append((label(point), point))
    return list(parted.items())
