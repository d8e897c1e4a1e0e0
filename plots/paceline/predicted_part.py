# SPDX-License-Identifier: MIT
"""The agreement on the part of a step that is really predicted: arithmetic and communication.

Injected delay is drawn from one model on both clocks, and waiting follows from it: where they fill
most of a step, the agreement of throughputs says little about the costs.
"""

import statistics

from paceline.comparison import percentile
from paceline.html_text import signed_percent
from paceline.points import point_name

PARTS = ("compute_s", "exposed_comm_s")
SHARED = ("delay_s", "wait_s")


def errors(study):
    """[(error, name of the point)]: (predicted - measured) / measured of PARTS, of every pair."""
    found = []
    for pair in study.pairs:
        sides = [_sum(row, PARTS) for row in (pair.predicted, pair.observed)]
        if pair.observed["source"] == "measured" and all(sides):
            found.append((sides[0] / sides[1] - 1,
                          point_name(study, pair.series, pair.observed)))
    return found


def agreement(study):
    """The sentences of the report on prediction against measurement, this one second."""
    first, *others = study.sentences("agreement") or [""]
    return [each for each in (first, sentence(study), *others) if each]


def sentence(study):
    """The errors in words; "" if no measured step has injected delay or waiting."""
    found = errors(study)
    if not found or not any(_sum(pair.observed, SHARED) for pair in study.pairs
                            if pair.observed["source"] == "measured"):
        return ""
    sizes = [abs(error) for error, _ in found]
    worst, name = max(found, key=lambda each: abs(each[0]))
    noun = "point" if len(found) == 1 else "points"
    return (f"Without injected delay and waiting, arithmetic and exposed communication of a step "
            f"({len(found)} {noun}): median |error| {100 * statistics.median(sizes):.1f} %, 95th "
            f"percentile {100 * percentile(sizes, 95):.1f} %, worst {signed_percent(worst)} "
            f"({name}); mean {signed_percent(statistics.fmean(error for error, _ in found))}.")


def _sum(row, columns):
    return sum(row[column] or 0.0 for column in columns)
