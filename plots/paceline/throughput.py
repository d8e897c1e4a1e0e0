# SPDX-License-Identifier: MIT
"""Throughput against workers."""

from paceline.curves import Quantity, draw_curves


def draw(study):
    """Items per second with applied gradients, and perfect scaling."""
    return draw_curves(study, Quantity(f"throughput ({study.item}/s)", _throughput,
                                       lambda row: row["throughput_stderr"], f"{study.item}/s",
                                       ideal=True))


def _throughput(row):
    value = row["throughput"]
    return value if value is not None and value > 0 else None
