# SPDX-License-Identifier: MIT
"""Mean time between two updates of the model against workers."""

from paceline.curves import Quantity, draw_curves
from paceline.html_text import time_text
from paceline.scales import unit_of
from paceline.sentences import best_source, of_source


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


def finding(study):
    """The growth of the time from the first position to the last, slowest and fastest series."""
    def value(row):
        return row["iteration_s_mean"] or None

    source = best_source([row for one in study.series for row in one.rows], value)
    growths = []
    for one in study.series:
        rows = [row for _, row in one.by_source.get(source, []) if value(row)]
        if len(rows) > 1:
            growths.append((value(rows[-1]) / value(rows[0]), one, rows[0], rows[-1]))
    if not growths:
        return ""
    growths.sort(key=lambda each: each[0])
    shown = growths[-1:] if len(growths) == 1 else [growths[-1], growths[0]]
    said = [f"from {time_text(value(first))} to {time_text(value(last))}"
            + (f" ({one.label})" if one.label else "") for _, one, first, last in shown]
    _, _, first, last = shown[0]
    return (f"{study.axis.point(first)} to {study.axis.point(last)}: an update takes "
            f"{' and '.join(said)}{of_source(source)}.")
