# SPDX-License-Identifier: MIT
"""A collective alone against its size: bus bandwidth and time."""

from paceline.curves import Quantity, draw_curves
from paceline.html_text import time_text
from paceline.scales import unit_of
from paceline.sentences import at_the_end, of_source, short

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


def finding_of_bus(study):
    """The lowest and the highest bandwidth at the largest size."""
    return _finding(study, _bus, lambda value: f"{short(value)} GB/s")


def finding_of_time(study):
    """The shortest and the longest time at the largest size."""
    return _finding(study, lambda row: row["iteration_s_mean"] or None, time_text)


def _finding(study, value, said):
    source, found = at_the_end(study, value)
    if not found:
        return ""
    ends = found[:1] if len(found) == 1 else [found[0], found[-1]]
    shown = [said(each) + (f" ({one.label})" if one.label else "") for each, one, _, _ in ends]
    return (f"At {study.axis.tick(found[0][2])}: {' to '.join(shown)}"
            f"{of_source(study.source_name(source))}.")
