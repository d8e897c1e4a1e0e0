# SPDX-License-Identifier: MIT
"""Pairs each prediction with the measurement or publication of the same point, and their error.

The error is (predicted - observed) / observed of the throughput, as shown in tables and figures; if
one side has no throughput, of the mean time per update.
"""

from dataclasses import dataclass

OBSERVED = ("measured", "published")
QUANTITIES = (("throughput", "throughput"), ("time per update", "iteration_s_mean"))
EXACT = 1e-6  # a smaller error means calibration, if results lack the layer times


@dataclass(frozen=True)
class Pair:
    """A predicted and an observed row of the same point."""
    predicted: object
    observed: object
    series: object
    quantity: str  # "throughput" or "time per update", which the error refers to
    error: float   # signed, a fraction

    @property
    def is_given(self):
        """True if the prediction was calibrated with this very row, so that its error has no
        meaning."""
        layer_times = self.predicted["layer_times"]
        return (self.observed["source"] == "published" and self.observed["workers"] == 1
                and (layer_times == "published" if layer_times else abs(self.error) < EXACT))

    def sides(self, quantity):
        """(observed, predicted) of a quantity, in items per second or seconds; None if unknown."""
        column = dict(QUANTITIES)[quantity]
        sides = self.observed[column], self.predicted[column]
        return sides if all(side is not None and side > 0 for side in sides) else None


def pair_up(all_series, axis):
    """Every pair, in the order of the series and the axis."""
    pairs = []
    for one in all_series:
        predicted = {x: row for x, row in one.by_source.get("predicted", [])}
        for source in OBSERVED:
            for x, observed in one.by_source.get(source, []):
                pair = x in predicted and _pair(predicted[x], observed, one)
                if pair:
                    pairs.append(pair)
    return pairs


def _pair(predicted, observed, series):
    for quantity, column in QUANTITIES:
        sides = predicted[column], observed[column]
        if all(side is not None and side > 0 for side in sides):
            return Pair(predicted, observed, series, quantity, sides[0] / sides[1] - 1)
    return None


def percentile(values, percent):
    """The value that `percent` percent of the values do not exceed, by linear interpolation."""
    values = sorted(values)
    at = percent / 100 * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (at - low) * (values[high] - values[low])
