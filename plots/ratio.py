# SPDX-License-Identifier: MIT
"""What waiting for all workers costs: the time that sync takes per sample, over that of async.

An async update holds the gradient of one mini-batch and a sync update those of all workers, so the
times per update say nothing; those for the same number of samples do. In theory the quotient is
E[X_{P:P}] / E[X], with X the time of one of the P workers' mini-batches.
"""

from dataclasses import dataclass

from curves import Quantity, draw_curves
from series import group


@dataclass(frozen=True)
class Ratios:
    """As much of a study as `draw_curves` asks for."""
    series: list
    axis: object


def draw(study):
    """None where no point was run both in sync and in async."""
    found = ratios(study)
    rows = [row for row in study.rows if id(row) in found]
    if not rows or not study.axis.is_workers:
        return None
    return draw_curves(Ratios(group(rows, study.axis), study.axis), Quantity(
        "time per sample, sync / async", lambda row: found.get(id(row)), unit="x", level=1.0,
        from_zero=True))


def ratios(study):
    """id of a row in sync -> the throughput of async at the same point over its own."""
    rates = {(row["policy"], _else(row)): row["throughput"] for row in study.rows}
    found = {}
    for row in study.rows:
        sync, asynchronous = row["throughput"], rates.get(("async", _else(row)))
        if row["policy"] == "sync" and sync and asynchronous:
            found[id(row)] = asynchronous / sync
    return found


def _else(row):
    """All that was asked for but how the workers wait for each other, and the source."""
    swept = tuple((key, text) for key, text in row.swept.items()
                  if key.split(".")[0] != "update")
    return (row.run, swept, *(row[column] for column in
                              ("source", "experiment", "model", "machine", "aggregation",
                               "workers", "batch")))
