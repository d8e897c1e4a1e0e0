# SPDX-License-Identifier: MIT
"""The report's table of step-time distributions: the errors of predicted distributions.

The Kolmogorov-Smirnov distance is used if there are enough steps and they vary enough. Otherwise it
would show a large distance for a small shift of a narrow peak, so the errors of the median and of
the 95th percentile are used.
"""

import statistics
from dataclasses import dataclass
from functools import cached_property

from paceline.distributions import ks_distance
from paceline.html_text import escape, signed_percent, table
from paceline.points import name_of, points_of

SPREAD_CV, ENOUGH_STEPS = 0.2, 500
NEAR_KS, NEAR_SHARE = 0.10, 0.08


@dataclass(frozen=True)
class Comparison:
    """The step times of a point, predicted (first) and measured."""
    point: object
    both: tuple

    @property
    def by_ks(self):
        """True if the Kolmogorov-Smirnov distance is used."""
        _, measured = self.both
        return ((measured.cv or 0.0) >= SPREAD_CV
                and min(side.steps for side in self.both) >= ENOUGH_STEPS)

    @cached_property
    def ks(self):
        return ks_distance(*self.both)

    def error(self, share):
        """The relative error of the quantile at this share; None if the measured one is 0."""
        predicted_s, measured_s = (side.quantile(share) for side in self.both)
        return predicted_s / measured_s - 1 if measured_s > 0 else None

    @property
    def worst_error(self):
        """The larger in magnitude of the median's and the 95th percentile's error."""
        return max((self.error(share) or 0.0 for share in (0.5, 0.95)), key=abs)

    @property
    def agrees(self):
        return self.ks <= NEAR_KS if self.by_ks else abs(self.worst_error) <= NEAR_SHARE


def comparisons(study):
    """Every point with predicted and measured step times."""
    found = []
    for point in points_of(study):
        both = tuple(point.rows[side].step_times for side in ("predicted", "measured")
                     if side in point.rows and point.rows[side].step_times)
        if len(both) == 2:
            found.append(Comparison(point, both))
    return found


def summary(study, found):
    """One line for each of the two measures."""
    said = []
    by_ks = [each for each in found if each.by_ks]
    if by_ks:
        worst = max(by_ks, key=lambda each: each.ks)
        said.append(_line(study, by_ks, worst, "KS distance",
                          f"{statistics.median(each.ks for each in by_ks):.3f}",
                          f"{worst.ks:.3f}", f"at most {NEAR_KS:.2f}"))
    others = [each for each in found if not each.by_ks]
    if others:
        worst = max(others, key=lambda each: abs(each.worst_error))
        median = statistics.median(abs(each.worst_error) for each in others)
        said.append(_line(study, others, worst, "error of the median and the 95th percentile",
                          f"{100 * median:.1f} %", signed_percent(worst.worst_error),
                          f"within {100 * NEAR_SHARE:.0f} %"))
    return "\n".join(said)


def _line(study, found, worst, what, median, extreme, bound):
    near = sum(each.agrees for each in found)
    noun = "point" if len(found) == 1 else "points"
    return (f"<p><strong>Step times, predicted against measured, {len(found)} {noun}: {what} "
            f"{median} in the median, worst {extreme}</strong> "
            f"({escape(name_of(study, worst.point))}); {near} of {len(found)} {bound}.</p>")


def step_times_table(study, found):
    """One line per comparison; a pair of figures is predicted / measured."""
    columns = [("point", True), ("steps", False), ("CV", False), ("KS distance", False),
               ("median", False), ("95th percentile", False), ("verdict", True)]
    rows = []
    for each in found:
        counted = ((f"KS {each.ks:.3f}", f"{NEAR_KS:.2f}") if each.by_ks else
                   (signed_percent(each.worst_error), f"{100 * NEAR_SHARE:.0f} %"))
        verdict = f"ok ({counted[0]})" if each.agrees else f"{counted[0]}, beyond {counted[1]}"
        rows.append((name_of(study, each.point),
                     " / ".join(f"{side.steps:,}" for side in each.both),
                     " / ".join("\N{EN DASH}" if side.cv is None else f"{side.cv:.3f}"
                                for side in each.both),
                     f"{each.ks:.3f}", *(_signed(each.error(share)) for share in (0.5, 0.95)),
                     (verdict, "" if each.agrees else "far")))
    return table(columns, rows)


def _signed(error):
    return "\N{EN DASH}" if error is None else signed_percent(error)
