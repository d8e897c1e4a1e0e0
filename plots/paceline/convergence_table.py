# SPDX-License-Identifier: MIT
"""The report's table of training: time and updates to the target, losses, failures."""

import re
import statistics

from paceline.html_text import escape, signed_percent, significant, table, time_text
from paceline.points import name_of, point_name, points_of

SIDES = ("predicted", "measured")
FAR = 0.15      # larger differences are emphasised in the table
_LONG = re.compile(r"\d+\.\d{3,}(?:e[+-]?\d+)?")  # a number with meaningless digits
FIGURES = ("target", "loss_final", "loss_floor", "updates_to_target", "time_to_target_s")


def trained(study):
    """The points with training results from some source."""
    return [point for point in points_of(study)
            if any(row[column] for row in _sides(point).values() for column in FIGURES)]


def difference(point):
    """(predicted - measured) / measured of the time to the target; None if one is missing."""
    times_s = [point.rows[side]["time_to_target_s"] if side in point.rows else None
               for side in SIDES]
    return times_s[0] / times_s[1] - 1 if all(times_s) else None


def summary(study):
    """One line on the errors of predicted times to the target; "" if there is no target."""
    points = [point for point in trained(study) if _has_target(point)]
    if not points:
        return ""
    told = {id(point): found for point in points if (found := difference(point)) is not None}
    if not told:
        reached = sum(any(row["time_to_target_s"] for row in _sides(point).values())
                      for point in points)
        return (f"<p>No point has both a predicted and a measured time to its target; "
                f"{reached} of {len(points)} reached it on one clock.</p>")
    worst = max((point for point in points if id(point) in told),
                key=lambda point: abs(told[id(point)]))
    median = statistics.median(map(abs, told.values()))
    noun = "point" if len(told) == 1 else "points"
    return (f"<p><strong>Time to target, predicted against measured, {len(told)} {noun} of "
            f"{len(points)}: median difference {100 * median:.1f} %, worst "
            f"{signed_percent(told[id(worst)])}</strong> ({escape(name_of(study, worst))}).</p>")


def convergence_table(study):
    """One line per point; a pair of figures is predicted / measured."""
    points = trained(study)
    targets = any(map(_has_target, points))
    columns = [("point", True),
               *([("target", True), ("predicted time", False), ("measured time", False),
                  ("difference", False), ("updates to target", False)] if targets else []),
               ("final loss", False), ("loss floor", False), ("status", True)]
    return table(columns, [(point_name(study, point.series, next(iter(point.rows.values()))),
                            *(_to_target(point) if targets else []), _pair(point, "loss_final"),
                            _pair(point, "loss_floor"), (_status(point), "long"))
                           for point in points])


def _to_target(point):
    """The cells of the columns about the target."""
    found = difference(point)
    far = "far" if found is not None and abs(found) > FAR else ""
    target = next((row["target"] for row in _sides(point).values() if row["target"]), "none")
    return (target, *(_time(point, side) for side in SIDES),
            ("\N{EN DASH}" if found is None else signed_percent(found), far),
            _pair(point, "updates_to_target"))


def _has_target(point):
    return any(row["target"] for row in _sides(point).values())


def _sides(point):
    return {side: point.rows[side] for side in SIDES if side in point.rows}


def _time(point, side):
    """The time to the target; `not reached` if there is a target and the source ran."""
    row = point.rows.get(side)
    if row is None:
        return "\N{EN DASH}"
    time_s, error_s = row["time_to_target_s"], row["time_to_target_stderr"]
    if time_s is None:
        return "not reached" if row["target"] else "\N{EN DASH}"
    spread = f" \N{PLUS-MINUS SIGN} {time_text(error_s)}" if error_s else ""
    return time_text(time_s) + spread


def _pair(point, column):
    """`1,200 / 1,210`: the predicted and the measured figure."""
    values = [significant(row[column]) for row in _sides(point).values()]
    return " / ".join(values) if set(values) != {"\N{EN DASH}"} else "\N{EN DASH}"


def _status(point):
    said = {side: _LONG.sub(lambda found: f"{float(found[0]):.3g}", row["status"])
            for side, row in _sides(point).items() if row["status"] not in ("", "ok")}
    if len(said) == len(SIDES) and len(set(said.values())) == 1:
        return said[SIDES[0]]
    return "; ".join(f"{side} {text}" for side, text in said.items()) or "ok"
