# SPDX-License-Identifier: MIT
"""Scaling efficiency against workers: the share of perfect scaling that is reached."""

import math

import style
from curves import draw_curves


def draw(study):
    """Efficiency in per cent; None where something else than the workers was varied."""
    if not study.axis.is_workers or len({row["workers"] for row in study.rows}) < 2:
        return None
    return draw_curves(study, "efficiency (%)", _percent, _spread, logarithmic=False,
                       prepare=_limits)


def _percent(row):
    return None if row["efficiency"] is None else 100 * row["efficiency"]


def _spread(row):
    """The relative standard error of the throughput, carried over."""
    if not row["throughput"] or row["throughput_stderr"] is None:
        return None
    return _percent(row) * row["throughput_stderr"] / row["throughput"]


def _limits(axes, values):
    low = 0 if min(values) < 50 else 10 * math.floor((min(values) - 4) / 10)
    axes.set_ylim(low, max(104, max(values) + 0.06 * (max(values) - low)))
    axes.axhline(100, color=style.INK, linewidth=0.6, zorder=1)
