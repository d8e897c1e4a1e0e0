# SPDX-License-Identifier: MIT
"""Pairs each prediction with what was measured or published at the same point, and their error.

The error is that of the mean iteration time where the other side gives one, else of the throughput:
(predicted - observed) / observed.
"""

import statistics
from dataclasses import dataclass

OBSERVED = ("measured", "published")


@dataclass(frozen=True)
class Pair:
    """A predicted row beside an observed one of the same point."""
    predicted: object
    observed: object
    series: object
    quantity: str  # "iteration time" or "throughput": what the error is of
    error: float   # signed, a fraction

    def sides(self, quantity):
        """(observed, predicted) of a quantity, in seconds or items a second; None if not known.

        Where only a throughput was published, its iteration time follows from the items that an
        update applies, which the prediction knows.
        """
        if quantity == "throughput":
            return self.observed["throughput"], self.predicted["throughput"]
        predicted_s = self.predicted["iteration_s_mean"]
        if self.quantity == quantity:
            return self.observed["iteration_s_mean"], predicted_s
        return (predicted_s * (1 + self.error), predicted_s) if predicted_s else None


@dataclass(frozen=True)
class Summary:
    """How far predictions are off, over a number of pairs; errors are fractions."""
    count: int
    median: float   # of the errors' magnitudes, as is p95
    p95: float
    worst: Pair     # the pair whose error is largest in magnitude
    quantity: str   # what the errors are of, "" where the pairs differ


def _positive(row, column):
    return row[column] is not None and row[column] > 0


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
    for quantity, column in (("iteration time", "iteration_s_mean"), ("throughput", "throughput")):
        if _positive(predicted, column) and _positive(observed, column):
            error = (predicted[column] - observed[column]) / observed[column]
            return Pair(predicted, observed, series, quantity, error)
    return None


def percentile(values, percent):
    """The value that `percent` of 100 do not exceed, between two of them in proportion."""
    values = sorted(values)
    at = percent / 100 * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (at - low) * (values[high] - values[low])


def summarise(pairs):
    """The Summary of these pairs, None where there are none."""
    if not pairs:
        return None
    worst = max(pairs, key=lambda pair: abs(pair.error))
    sizes = [abs(pair.error) for pair in pairs]
    return Summary(len(pairs), statistics.median(sizes), percentile(sizes, 95), worst,
                   pairs[0].quantity if len({pair.quantity for pair in pairs}) == 1 else "")
