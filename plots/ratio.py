# SPDX-License-Identifier: MIT
"""What waiting for everyone costs: an update's time in sync over that in async.

In theory P E[X_{P:P}] / E[X], with X the time of one of the P workers' mini-batches.
"""

from dataclasses import dataclass

from curves import draw_curves
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
    return draw_curves(Ratios(group(rows, study.axis), study.axis),
                       "iteration time, sync / async", lambda row: found.get(id(row)))


def ratios(study):
    """id of a row in sync -> its mean iteration time over that of the same point in async."""
    times_s = {(row["policy"], _else(row)): row["iteration_s_mean"] for row in study.rows}
    found = {}
    for row in study.rows:
        sync_s, async_s = row["iteration_s_mean"], times_s.get(("async", _else(row)))
        if row["policy"] == "sync" and sync_s and async_s:
            found[id(row)] = sync_s / async_s
    return found


def _else(row):
    """All that was asked for but how the workers wait for each other, and the source."""
    swept = tuple((key, text) for key, text in row.swept.items()
                  if key.split(".")[0] != "update")
    return (row.run, swept, *(row[column] for column in
                              ("source", "experiment", "model", "machine", "aggregation",
                               "workers", "batch")))
