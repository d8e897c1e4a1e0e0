# SPDX-License-Identifier: MIT
"""Throughput against workers."""

from curves import draw_curves


def draw(study):
    """Items a second whose gradients were applied, with the standard error of what was measured."""
    return draw_curves(study, f"throughput ({study.item}/s)", _throughput,
                       lambda row: row["throughput_stderr"])


def _throughput(row):
    value = row["throughput"]
    return value if value is not None and value > 0 else None
