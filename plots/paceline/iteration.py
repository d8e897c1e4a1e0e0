# SPDX-License-Identifier: MIT
"""Mean time between two updates of the model against workers."""

from paceline.curves import Quantity, draw_curves
from paceline.scales import unit_of


def draw(study):
    """The mean time per update, in a unit that suits the longest."""
    times_s = [row["iteration_s_mean"] for row in study.rows if row["iteration_s_mean"]]
    unit_s, unit = unit_of(times_s)

    def value(row):
        time_s = row["iteration_s_mean"]
        return time_s / unit_s if time_s is not None and time_s > 0 else None

    def spread(row):  # the same relative error as the throughput
        if not row["throughput"] or row["throughput_stderr"] is None:
            return None
        return value(row) * row["throughput_stderr"] / row["throughput"]

    return draw_curves(study, Quantity(f"mean time per update ({unit})", value, spread, unit))
