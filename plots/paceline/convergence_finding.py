# SPDX-License-Identifier: MIT
"""The finding of the curves of training: when each point first reaches the level that all reach."""

import math
from collections import Counter

from paceline.html_text import time_text
from paceline.points import name_of, points_of
from paceline.sentences import of_source, short
from paceline.training_curves import ACCURACY, LOSS, TIME, UPDATES, join_repeats

SOURCES = ("measured", "predicted")


def finding(study):
    """Loss against time."""
    return _finding(study, LOSS, TIME)


def finding_by_updates(study):
    """Loss against updates."""
    return _finding(study, LOSS, UPDATES)


def finding_of_accuracy(study):
    """Accuracy against time."""
    return _finding(study, ACCURACY, TIME)


def _finding(study, upwards, along):
    source, compared = _compared(study, upwards, along)
    if len(compared) < 2:
        return ""
    falls = upwards is LOSS
    level = _level([curve for _, curve in compared], falls)
    times = sorted((x, name_of(study, point)) for point, curve in compared
                   if (x := _reaches(curve, level, falls)) is not None)
    if len(times) < 2 or times[0][0] <= 0:
        return ""
    (first, fastest), (last, slowest) = times[0], times[-1]
    goal = f"a loss of {short(level)}" if falls else f"an accuracy of {short(level)} %"
    said = [_said(each, along) for each in (first, last)]
    return (f"{fastest} reaches {goal} after {said[0]}, {slowest} after {said[1]}: "
            f"{short(last / first)} x{of_source(source)}.")


def _compared(study, upwards, along):
    """(source, [(point, curve)]) of the largest position on the axis that several points share."""
    for source in SOURCES:
        curves = [(point, curve) for point in points_of(study) if source in point.rows
                  and not point.rows[source].is_diverged
                  and (curve := join_repeats(point.rows[source].evaluations, upwards, along))]
        if curves:
            counts = Counter(point.x for point, _ in curves)
            shared = max(counts.values())
            last = max(x for x, count in counts.items() if count == shared)
            return source, [each for each in curves if each[0].x == last or shared == 1]
    return None, []


def _level(curves, falls):
    """The best value that every curve reaches, with two digits."""
    level = (max(min(curve.middle) for curve in curves) if falls else
             min(max(curve.middle) for curve in curves))
    if level <= 0:
        return level
    step = 10.0 ** (math.floor(math.log10(level)) - 1)
    return (math.ceil if falls else math.floor)(level / step) * step


def _reaches(curve, level, falls):
    return next((x for x, value in zip(curve.x, curve.middle)
                 if (value <= level if falls else value >= level)), None)


def _said(x, along):
    return time_text(x) if along is TIME else f"{short(x)} updates"
