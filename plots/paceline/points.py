# SPDX-License-Identifier: MIT
"""A point with the rows of its sources, and its name in words."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Point:
    """A point evaluated once by each source: one position of one series."""
    series: object
    x: float
    rows: dict  # source -> row


def points_of(study):
    """Every point of a study, ordered by series and axis."""
    found = []
    for one in study.series:
        found += [Point(one, x, one.at[x]) for x in sorted(one.at)]
    return found


def choose_points(points, most):
    """At most `most` points: equally many of every series, spread evenly along the axis to its end.
    """
    by_series = {}
    for point in points:
        by_series.setdefault(id(point.series), []).append(point)
    chosen = list(by_series.values())[:most]
    if len(points) > most:
        chosen = [evenly(members, most // len(chosen)) for members in chosen]
    return [point for members in chosen for point in members]


def evenly(members, most):
    """At most `most` items of a list, evenly spread, including the last."""
    if len(members) <= most:
        return members
    return [members[(place + 1) * len(members) // most - 1] for place in range(most)]


def point_name(study, series, row):
    """A point in words: its series and its position on the axis."""
    where = study.axis.point(row)
    return f"{series.label}, {where}" if series.label else where


def name_of(study, point):
    """As `point_name`; only the series if all points have the same position."""
    if study.has_one_place and point.series.label:
        return point.series.label
    return point_name(study, point.series, next(iter(point.rows.values())))
