# SPDX-License-Identifier: MIT
"""The time, money and energy to reach the target (a loss or an accuracy)."""

from paceline.curves import Quantity, draw_curves
from paceline.scales import ENERGY, unit_of


def draw(study):
    """Time to the target, in a unit that suits the longest."""
    unit_s, unit = unit_of(row["time_to_target_s"] for row in study.rows
                           if row["time_to_target_s"])

    def spread(row):
        error_s = row["time_to_target_stderr"]
        return None if error_s is None else error_s / unit_s

    return draw_curves(study, Quantity(f"time to {_target(study)} ({unit})",
                                       _positive("time_to_target_s", unit_s), spread, unit))


def draw_cost(study):
    """The cost of the GPUs up to the target."""
    return draw_curves(study, Quantity(f"cost to {_target(study)} (USD)",
                                       _positive("cost_to_target", 1.0), unit="USD"))


def draw_energy(study):
    """The energy used up to the target."""
    unit_j, unit = unit_of((row["energy_to_target_j"] for row in study.rows
                            if row["energy_to_target_j"]), ENERGY)
    return draw_curves(study, Quantity(f"energy to {_target(study)} ({unit})",
                                       _positive("energy_to_target_j", unit_j), unit=unit))


def _positive(column, unit):
    return lambda row: row[column] / unit if row[column] is not None and row[column] > 0 else None


def _target(study):
    """`loss 0.1` if all rows have the same target, otherwise `target`."""
    targets = {row["target"] for row in study.rows} - {""}
    return targets.pop() if len(targets) == 1 else "target"
