# SPDX-License-Identifier: MIT
"""A collective alone against its size: bus bandwidth and time."""

from paceline.curves import Quantity, draw_curves
from paceline.scales import unit_of

GIGA = 1e9


def draw_bus(study):
    """Bus bandwidth in GB/s."""
    return draw_curves(study, Quantity("bus bandwidth (GB/s)", _bus, unit="GB/s"))


def _bus(row):
    return row["busbw"] / GIGA if row["busbw"] else None


def draw_time(study):
    """The mean time, in a unit that suits the longest."""
    times_s = [row["iteration_s_mean"] for row in study.rows if row["iteration_s_mean"]]
    unit_s, unit = unit_of(times_s)

    def value(row):
        return row["iteration_s_mean"] / unit_s if row["iteration_s_mean"] else None

    return draw_curves(study, Quantity(f"time ({unit})", value, unit=unit))
