# SPDX-License-Identifier: MIT
"""The report's table of how training went: time and updates to the target, losses, what failed."""

import re
import statistics

from axis import K_MOVES
from html_text import escape, signed_percent, significant, table, time_text
from points import name_of, points_of
from series import distinguishing

SIDES = ("predicted", "measured")
FAR = 0.15      # a difference beyond this is set off in the table
_LONG = re.compile(r"\d+\.\d{3,}(?:e[+-]?\d+)?")  # a number told to more digits than count
FIGURES = ("target", "loss_final", "loss_floor", "updates_to_target", "time_to_target_s")


def trained(study):
    """The points of which a source tells how their training went."""
    return [point for point in points_of(study)
            if any(row[column] for row in _sides(point).values() for column in FIGURES)]


def difference(point):
    """(predicted - measured) / measured of the time to the target, None where one lacks."""
    times_s = [point.rows[side]["time_to_target_s"] if side in point.rows else None
               for side in SIDES]
    return times_s[0] / times_s[1] - 1 if all(times_s) else None


def summary(study):
    """One line: how far predicted times to the target are off."""
    points = trained(study)
    told = {id(point): found for point in points if (found := difference(point)) is not None}
    if not told:
        reached = sum(any(row["time_to_target_s"] for row in _sides(point).values())
                      for point in points)
        return (f"<p>No point has both a predicted and a measured time to its target "
                f"({reached} of {len(points)} reached one).</p>")
    worst = max((point for point in points if id(point) in told),
                key=lambda point: abs(told[id(point)]))
    median = statistics.median(map(abs, told.values()))
    noun = "point" if len(told) == 1 else "points"
    return (f"<p><strong>Time to target, predicted against measured, {len(told)} {noun} of "
            f"{len(points)}: median difference {100 * median:.1f} %, worst "
            f"{signed_percent(told[id(worst)])}</strong> ({escape(name_of(study, worst))}).</p>")


def convergence_table(study):
    """A line per point; a pair of figures is predicted / measured."""
    points = trained(study)
    others = [_others(study, point) for point in points]
    columns = [("policy", True), ("K", False), ("workers", False),
               *([("of", True)] if any(others) else []), ("target", True),
               ("predicted time", False), ("measured time", False), ("difference", False),
               ("updates to target", False), ("final loss", False), ("loss floor", False),
               ("status", True)]
    rows = []
    for point, other in zip(points, others):
        any_row = next(iter(point.rows.values()))
        found = difference(point)
        far = "far" if found is not None and abs(found) > FAR else ""
        rows.append((any_row["policy"], _k(any_row),
                     any_row["workers"], *([other] if any(others) else []),
                     next((row["target"] for row in _sides(point).values() if row["target"]),
                          "none"),
                     *(_time(point, side) for side in SIDES),
                     ("\N{EN DASH}" if found is None else signed_percent(found), far),
                     *(_pair(point, column)
                       for column in ("updates_to_target", "loss_final", "loss_floor")),
                     (_status(point), "long")))
    return table(columns, rows)


def _sides(point):
    return {side: point.rows[side] for side in SIDES if side in point.rows}


def _k(row):
    if row["k"] is None:
        return ""
    return f"from {row['k']}" if row["policy"] in K_MOVES else row["k"]


def _others(study, point):
    """What tells the point from others of its policy, K and workers."""
    names = distinguishing([one.fields for one in study.series])
    said = [point.series.told([name for name in names if name != "policy"])]
    if study.axis.column not in ("workers", "k"):
        said.append(study.axis.point(next(iter(point.rows.values()))))
    return ", ".join(filter(None, said))


def _time(point, side):
    """The time to the target; `not reached` where there is a target and the source ran."""
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
