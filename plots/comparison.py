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

    @property
    def times_s(self):
        """(observed, predicted) mean iteration time.

        Where only a throughput was published, its time follows from the items an update applies,
        which the prediction knows.
        """
        predicted_s = self.predicted["iteration_s_mean"]
        if self.quantity == "iteration time":
            return self.observed["iteration_s_mean"], predicted_s
        if predicted_s is None:
            return None
        return predicted_s * (1 + self.error), predicted_s


@dataclass(frozen=True)
class Summary:
    """How far predictions are off, over a number of pairs; errors are fractions."""
    count: int
    median: float  # of the errors' magnitudes
    worst: Pair    # the pair whose error is largest in magnitude


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


def summarise(pairs):
    """The Summary of these pairs, None where there are none."""
    if not pairs:
        return None
    worst = max(pairs, key=lambda pair: abs(pair.error))
    return Summary(len(pairs), statistics.median(abs(pair.error) for pair in pairs), worst)
