# SPDX-License-Identifier: MIT
"""The first steps of every worker at one point: a lane per worker, a panel per source.

Both sources have the same delays, so a difference between two panels is an error of the prediction.
"""

import statistics

from paceline.breakdown import PARTS
from paceline.figure import Figure
from paceline.html_text import time_text
from paceline.marks import colour_key
from paceline.panel import Panel
from paceline.points import point_name
from paceline.scales import Linear, Names, unit_of
from paceline.sentences import of_source, percent
from paceline.shapes import Area, Line, box

SOURCES = ("predicted", "measured")
MOST_WORKERS = 16
STEPS_SHOWN = 6
UNIFORM = 0.97  # share of a part that leaves nothing else to see
WIDTH = 860
# in the order within a step
DRAWN = ("validation_s", "input_s", "delay_s", "compute_s", "exposed_comm_s", "wait_s")
LOOKS = {column: (label, colour) for column, label, colour, _ in PARTS}
PALE = 0.35  # opacity of a cancelled step


def draw(study):
    """The figure of the point with the most workers that every source has; None without steps, and
    if workers do one thing all the time."""
    name, chosen = _choose(study)
    if not chosen or _is_uniform(chosen):
        return None
    spans = {source: steps for source in SOURCES if (steps := chosen.get(source))}
    lengths = [step.end_s - step.began_s for steps in spans.values() for step in steps]
    shown_s = STEPS_SHOWN * statistics.median(lengths)
    if shown_s <= 0:
        return None
    unit_s, unit = unit_of([shown_s])
    lanes = sorted({step.worker for steps in spans.values() for step in steps})
    panels, used, lost = [], set(), False
    for source, steps in spans.items():
        panel = Panel(Linear(0, shown_s / unit_s, 8), Names([str(lane) for lane in lanes],
                                                             max(1, len(lanes) // 4)),
                      f"time since the first step shown ({unit})", "worker", f"{source}: {name}",
                      WIDTH, 80 + max(13 * len(lanes), 26), downwards=True, grid="x")
        began_s = min(step.began_s for step in steps)
        steps = [step for step in steps if step.began_s - began_s < shown_s]
        used |= _draw_lanes(panel, steps, lanes, began_s, unit_s)
        lost |= any(not step.accepted for step in steps)
        panels.append(panel)
    keys = [colour_key(*LOOKS[column]) for column in DRAWN if column in used]
    if lost:
        keys.append(colour_key("gradient not accepted", "grey", PALE, "grey"))
    return Figure(panels, keys, wide=True)


def finding(study):
    """The shares of the parts of the recorded steps, of both sources."""
    name, chosen = _choose(study)
    said = {}
    for source in SOURCES:
        steps = (chosen or {}).get(source, [])
        whole_s = sum(step.end_s - step.began_s for step in steps)
        if whole_s > 0:
            said[source] = {column: sum(getattr(step, column) for step in steps) / whole_s
                            for column in DRAWN}
    if not said:
        return ""
    last = said.get("measured") or said["predicted"]
    largest = sorted(last, key=last.get, reverse=True)[:2]
    parts = " and ".join(f"{LOOKS[column][0]} {percent(last[column])}" for column in largest)
    other = said["predicted"] if len(said) > 1 else None
    beside = (f" (predicted {' and '.join(percent(other[column]) for column in largest)})"
              if other else of_source(next(iter(said))))
    return f"{name}: {parts} of the time of the first steps{beside}."


def _is_uniform(chosen):
    """True if one part fills the steps of every source."""
    for steps in chosen.values():
        whole_s = sum(step.end_s - step.began_s for step in steps)
        if whole_s <= 0 or UNIFORM > max(sum(getattr(step, column) for step in steps) / whole_s
                                         for column in DRAWN):
            return False
    return True


def _choose(study):
    """(name, source -> steps) of the point to draw, from the first run that has one."""
    for run in study.runs:
        points = {}
        for step in run.steps:
            if step.source in SOURCES:
                points.setdefault(step.point, {}).setdefault(step.source, []).append(step)
        best, most = None, (0, 0)
        for number, sources in points.items():
            workers = len({step.worker for steps in sources.values() for step in steps})
            if workers <= MOST_WORKERS and (len(sources), workers) > most:
                best, most = number, (len(sources), workers)
        if best is not None:
            return point_title(study, run, best), points[best]
    return "", None


def point_title(study, run, number):
    """The name of a run's point in words, with its policy; its number if it is missing in
    results.csv."""
    rows = {id(row) for row in run.rows if row.number == number}
    for one in study.series:
        for row in one.rows:
            if id(row) in rows:
                name = point_name(study, one, row)
                policy = "" if row["policy"] in name else f"{row['policy']}, "
                return policy + name
    return f"point {number}"


def _draw_lanes(panel, steps, lanes, began_s, unit_s):
    """Draws a rectangle per part of a step; returns the columns drawn."""
    used = set()
    for step in steps:
        lane, at_s = lanes.index(step.worker), step.began_s - began_s
        for column in DRAWN:
            length_s = getattr(step, column)
            if length_s > 0:
                label, colour = LOOKS[column]
                corners = box(at_s / unit_s, lane + 0.1, (at_s + length_s) / unit_s, lane + 0.9)
                tip = f"worker {step.worker}, step {step.step}, {label}: {time_text(length_s)}"
                panel.add(Area(corners, colour, tip=tip) if step.accepted else
                          Area(corners, colour, PALE, colour, f"{tip} (not accepted)"))
                used.add(column)
                at_s += length_s
        end = (step.end_s - began_s) / unit_s
        panel.add(Line(((end, lane + 0.1), (end, lane + 0.9)), "paper", 1))
    return used
