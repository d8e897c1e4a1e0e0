# SPDX-License-Identifier: MIT
"""The time, money and energy to reach the target (a loss or an accuracy)."""

from paceline.curves import Quantity, draw_curves
from paceline.html_text import time_text
from paceline.points import point_name
from paceline.scales import ENERGY, unit_of
from paceline.sentences import extremes, of_source, short


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


def finding(study):
    """The shortest and the longest time."""
    return _finding(study, "time_to_target_s", "fastest", "slowest", time_text)


def finding_of_cost(study):
    """The lowest and the highest cost."""
    return _finding(study, "cost_to_target", "cheapest", "dearest",
                    lambda cost: f"{short(cost)} USD")


def finding_of_energy(study):
    """The lowest and the highest energy."""
    def said(energy_j):
        unit_j, unit = unit_of([energy_j], ENERGY)
        return f"{short(energy_j / unit_j)} {unit}"

    return _finding(study, "energy_to_target_j", "least", "most", said)


def _finding(study, column, least, most, said):
    source, found = extremes(study, _positive(column, 1.0))
    if not found:
        return ""
    ends = [(least, found[0])] + ([(most, found[-1])] if len(found) > 1 else [])
    return f"To {_target(study)}, " + "; ".join(
        f"{word}: {point_name(study, one, row)}, {said(value)}"
        for word, (value, one, _, row) in ends) + f"{of_source(source)}."


def _positive(column, unit):
    return lambda row: row[column] / unit if row[column] is not None and row[column] > 0 else None


def _target(study):
    """`loss 0.1` if all rows have the same target, otherwise `target`."""
    targets = {row["target"] for row in study.rows} - {""}
    return targets.pop() if len(targets) == 1 else "target"
