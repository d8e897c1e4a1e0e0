# SPDX-License-Identifier: MIT
"""The cost of waiting for all workers: the time per sample with sync over that with async.

An async update contains the gradient of one mini-batch, a sync update those of all workers. So the
times per update are not comparable, but the times for equal numbers of samples are. In theory the
quotient is E[X_{P:P}] / E[X], where X is the time of a worker's mini-batch and P the number of
workers.
"""

from dataclasses import dataclass

from paceline.curves import Quantity, draw_curves
from paceline.sentences import at_the_end, of_source, short
from paceline.series import group


@dataclass(frozen=True)
class Ratios:
    """The part of a study that `draw_curves` needs."""
    series: list
    axis: object

    @staticmethod
    def source_name(source):
        """As `Study.source_name`; these rows are never of collectives."""
        return source


def draw(study):
    """The figure; None if no point was run with both sync and async."""
    found = ratios(study)
    rows = [row for row in study.rows if id(row) in found]
    if not rows or not study.axis.is_workers:
        return None
    return draw_curves(Ratios(group(rows, study.axis), study.axis), Quantity(
        "time per sample, sync / async", lambda row: found.get(id(row)), unit="x", level=1.0,
        from_zero=True))


def finding(study):
    """The quotient at the most workers."""
    found = ratios(study)
    rows = [row for row in study.rows if id(row) in found]
    source, values = at_the_end(Ratios(group(rows, study.axis), study.axis),
                                lambda row: found.get(id(row)))
    if not values:
        return ""
    (low, first, _, row), (high, last, _, _) = values[0], values[-1]
    where = study.axis.point(row)
    if short(low) == short(high):
        return (f"At {where} sync takes {short(low)} x as long per sample as async"
                f"{of_source(source)}.")
    return (f"At {where} sync takes {short(low)} ({first.label}) to {short(high)} x ({last.label}) "
            f"as long per sample as async{of_source(source)}.")


def ratios(study):
    """id of a sync row -> the throughput of async at the same point over the throughput of sync."""
    rates = {(row["policy"], _else(row)): row["throughput"] for row in study.rows}
    found = {}
    for row in study.rows:
        sync, asynchronous = row["throughput"], rates.get(("async", _else(row)))
        if row["policy"] == "sync" and sync and asynchronous:
            found[id(row)] = asynchronous / sync
    return found


def _else(row):
    """The configuration of a row apart from its update policy, and the source."""
    swept = tuple((key, text) for key, text in row.swept.items()
                  if key.split(".")[0] != "update")
    return (row.run, swept, *(row[column] for column in
                              ("source", "experiment", "model", "machine", "aggregation",
                               "workers", "batch")))
