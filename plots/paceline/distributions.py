# SPDX-License-Identifier: MIT
"""Reads staleness.csv and step_times.csv, and measures the distance of two distributions.

A distribution of step times is a table of quantiles, assumed uniform between two of them.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from paceline.bad_input import BadInput
from paceline.records import A_COUNT, A_NUMBER, known_source, read_records
from paceline.results import number

STALENESS = {"point": A_COUNT, "source": known_source, "staleness": A_COUNT, "gradients": A_COUNT}
STEP_TIMES = {"point": A_COUNT, "source": known_source, "steps": A_COUNT, "mean_s": number,
              "cv": number, "share": A_NUMBER, "step_s": A_NUMBER}


@dataclass(frozen=True)
class StepTimes:
    """Times between the starts of successive mini-batches of a worker, over all workers."""
    steps: int      # number of times in the distribution
    mean_s: float   # None if unknown, also cv
    cv: float       # standard deviation / mean
    shares: tuple   # rising from 0 to 1
    step_s: tuple   # the quantile at each share

    def quantile(self, share):
        """The time that this share of the steps does not exceed."""
        at = min(max(bisect_right(self.shares, share), 1), len(self.shares) - 1)
        low, high = self.shares[at - 1], self.shares[at]
        return self.step_s[at - 1] + ((share - low) / (high - low)
                                      * (self.step_s[at] - self.step_s[at - 1]))

    def share_below(self, time_s, find=bisect_right):
        """The share of steps of at most this time; with bisect_left, the share below it."""
        at = find(self.step_s, time_s)
        if at in (0, len(self.step_s)):
            return 1.0 if at else 0.0
        low, high = self.step_s[at - 1], self.step_s[at]
        return self.shares[at - 1] + ((time_s - low) / (high - low)
                                      * (self.shares[at] - self.shares[at - 1]))


def ks_distance(one, other):
    """The Kolmogorov-Smirnov distance, 0 to 1: the largest difference of two StepTimes' CDFs.

    Evaluated at, and just below, every quantile of both tables.
    """
    return max(abs(one.share_below(time_s, find) - other.share_below(time_s, find))
               for time_s in one.step_s + other.step_s for find in (bisect_right, bisect_left))


def read_staleness(path):
    """(point, source) -> {staleness: gradients}; {} if there is no file."""
    found = {}
    for point, source, staleness, gradients in read_records(path, STALENESS):
        counts = found.setdefault((point, source), {})
        counts[staleness] = counts.get(staleness, 0) + gradients
    return found


def read_step_times(path):
    """(point, source) -> StepTimes; {} if there is no file."""
    tables, about = {}, {}
    for key, rows in groupby(read_records(path, STEP_TIMES), itemgetter(0, 1)):
        shares, times_s = tables.setdefault(key, ([], []))
        for _, _, *about[key], share, step_s in rows:
            shares.append(share)
            times_s.append(step_s)
    found = {}
    for key, table in tables.items():
        shares, times_s = map(tuple, table)
        rising = (all(a < b for a, b in zip(shares, shares[1:]))
                  and all(a <= b for a, b in zip(times_s, times_s[1:])))
        if len(shares) < 2 or not rising or (shares[0], shares[-1]) != (0, 1):
            raise BadInput(path, f"point {key[0]}, {key[1]}: the quantiles do not rise from "
                                 "share 0 to share 1")
        found[key] = StepTimes(*about[key], shares, times_s)
    return found
