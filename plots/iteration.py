# SPDX-License-Identifier: MIT
"""Mean iteration time (between two updates of the model) against workers."""

import style
from curves import draw_curves


def draw(study):
    """The mean time of an iteration, in the unit that suits the longest."""
    times_s = [row["iteration_s_mean"] for row in study.rows if row["iteration_s_mean"]]
    unit_s, unit = style.unit_of(times_s)

    def value(row):
        time_s = row["iteration_s_mean"]
        return time_s / unit_s if time_s is not None and time_s > 0 else None

    def spread(row):  # the relative standard error of the throughput, carried over
        if not row["throughput"] or row["throughput_stderr"] is None:
            return None
        return value(row) * row["throughput_stderr"] / row["throughput"]

    return draw_curves(study, f"mean iteration time ({unit})", value, spread)
