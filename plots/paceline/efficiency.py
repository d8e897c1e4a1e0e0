# SPDX-License-Identifier: MIT
"""Scaling efficiency against workers: the throughput as a share of perfect scaling."""

import math

from paceline.curves import Quantity, draw_curves


def draw(study):
    """Efficiency in per cent; None if the axis is not the workers."""
    if not study.axis.is_workers or len({row["workers"] for row in study.rows}) < 2:
        return None
    bases = {id(row): base for one in study.series for points in one.by_source.values()
             for base in [points[0][1]] for _, row in points}

    def spread(row):
        """The standard error of the quotient, from the errors of the point's and the base's
        throughput."""
        shares = [_relative(row)]
        base = bases.get(id(row))
        if base is not None and base is not row:
            shares.append(_relative(base))
        return _percent(row) * math.hypot(*shares)

    return draw_curves(study, Quantity("scaling efficiency (%)", _percent, spread, "%",
                                       level=100, from_zero=True))


def _percent(row):
    return None if row["efficiency"] is None else 100 * row["efficiency"]


def _relative(row):
    return (row["throughput_stderr"] or 0.0) / row["throughput"] if row["throughput"] else 0.0
