# SPDX-License-Identifier: MIT
"""Training as curves: loss or accuracy against time or updates, with repeats joined."""

import math
import re
import statistics
from bisect import bisect_right
from dataclasses import dataclass

SETTLED = 2.0  # a loss within this factor of its final value has settled


@dataclass(frozen=True)
class Quantity:
    """The quantity of an axis; of(evaluation) is None if unknown."""
    label: str
    of: object
    target: object = None  # pattern of a target of this quantity


LOSS = Quantity("held-out loss", lambda each: each.loss, re.compile(r"loss\s+(\S+)$"))
ACCURACY = Quantity("held-out accuracy (%)",
                    lambda each: None if each.accuracy is None else 100 * each.accuracy,
                    re.compile(r"accuracy\s+(\S+?)\s*%$"))
TIME = Quantity("time", lambda each: each.time_s)
UPDATES = Quantity("updates", lambda each: each.updates)


@dataclass(frozen=True)
class Curve:
    """The joined repeats of a row: x against the lowest, the median and the highest."""
    x: list
    low: list
    middle: list
    high: list

    def settles_at(self):
        """The first x at which the median is within SETTLED of the median of its last half."""
        end = statistics.median(self.middle[len(self.middle) // 2:])
        return next((x for x, value in zip(self.x, self.middle) if value <= SETTLED * end),
                    self.x[-1])

    def is_level(self):
        """True if the last half only fluctuates, so that its mean is a floor.

        The means of its two halves then differ by at most its standard deviation; for a falling
        line they differ by 1.7 times that.
        """
        late = self.middle[len(self.middle) // 2:]
        first, second = late[:len(late) // 2], late[len(late) // 2:]
        return bool(first) and (abs(statistics.fmean(first) - statistics.fmean(second))
                                <= statistics.pstdev(late))

    def cut_at(self, begin):
        """The curve from `begin` on; its first values are interpolated."""
        if begin <= self.x[0]:
            return self
        at = min(bisect_right(self.x, begin), len(self.x) - 1)
        sides = ([value_at(self.x, y, begin), *y[at:]] for y in (self.low, self.middle, self.high))
        return Curve([begin, *self.x[at:]], *sides)

    def end_below(self, high, across=float, up=float):
        """(x, median) at the end of the curve, or where it finally exceeds `high`.

        across(x) and up(y) are the scales on which lines are straight: float, or a logarithm.
        """
        at, y = len(self.x) - 1, self.middle
        if y[at] <= high:
            return self.x[at], y[at]
        while at > 0 and y[at - 1] > high:
            at -= 1
        if at == 0:
            return self.x[0], high
        share = (up(high) - up(y[at - 1])) / (up(y[at]) - up(y[at - 1]))
        low, far = across(self.x[at - 1]), across(self.x[at])
        place = low + share * (far - low)
        return (math.exp(place) if across is math.log else place), high


def join_repeats(repeats, upwards, along):
    """The Curve of a row's repeats, None if there are no values.

    The curve ends with the shortest repeat; between two evaluations a repeat is interpolated
    linearly.
    """
    lines = []
    for evaluations in repeats:
        known = [(along.of(each), upwards.of(each)) for each in evaluations
                 if upwards.of(each) is not None]
        if known:
            lines.append(tuple(zip(*known)))
    if not lines:
        return None
    begin, end = max(x[0] for x, _ in lines), min(x[-1] for x, _ in lines)
    places = sorted({at for x, _ in lines for at in x if begin <= at <= end})
    if not places:
        return None
    values = [[value_at(x, y, place) for x, y in lines] for place in places]
    return Curve(places, [min(each) for each in values],
                 [statistics.median(each) for each in values], [max(each) for each in values])


def value_at(x, y, place):
    """The value at `place` by linear interpolation between the points (x, y)."""
    at = bisect_right(x, place)
    if at == len(x):
        return y[-1]
    return y[at - 1] + (place - x[at - 1]) / (x[at] - x[at - 1]) * (y[at] - y[at - 1])
