# SPDX-License-Identifier: MIT
"""What every worker did in the first steps of one point: a lane per worker, a panel per source.

The delays are the same on both clocks, so two panels that differ show where the prediction errs.
"""

import statistics

from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.patches import Patch

import style
from breakdown import PARTS

SOURCES = ("predicted", "measured")
MOST_WORKERS = 16
STEPS_SHOWN = 6
DRAWN = ("delay_s", "compute_s", "exposed_comm_s", "wait_s")  # in the order a step spends them
LOOKS = {column: (label, colour) for column, label, colour in PARTS}


def draw(study):
    """The point with the most workers that every source has; None without steps."""
    chosen = _choose(study.runs)
    if not chosen:
        return None
    spans = {source: steps for source in SOURCES if (steps := chosen.get(source))}
    lengths = [step.end_s - step.began_s for steps in spans.values() for step in steps]
    shown_s = STEPS_SHOWN * statistics.median(lengths)
    if shown_s <= 0:
        return None
    unit_s, unit = style.unit_of([shown_s])
    lanes = sorted({step.worker for steps in spans.values() for step in steps})
    height = 0.35 + max(0.085 * len(lanes), 0.3)
    figure = style.new_figure(style.TWO_COLUMNS, height * len(spans) + 0.3)
    used, lost = set(), False
    for place, (source, steps) in enumerate(spans.items()):
        axes = figure.add_subplot(len(spans), 1, place + 1)
        began_s = min(step.began_s for step in steps)
        steps = [step for step in steps if step.began_s - began_s < shown_s]
        used |= _draw_lanes(axes, steps, lanes, began_s, unit_s)
        lost |= any(not step.accepted for step in steps)
        _frame(axes, lanes, source, shown_s / unit_s)
        if place == len(spans) - 1:
            axes.set_xlabel(f"time since the first step shown ({unit})")
    handles = [Patch(color=LOOKS[column][1], label=LOOKS[column][0]) for column in DRAWN
               if column in used]
    if lost:
        handles.append(Patch(facecolor="#C8C8C8", edgecolor="white", hatch="//////",
                             label="gradient not accepted"))
    return style.finish(figure, handles)


def _choose(runs):
    """source -> steps of the point to draw, of the first run that has one."""
    for run in runs:
        points = {}
        for step in run.steps:
            if step.source in SOURCES:
                points.setdefault(step.point, {}).setdefault(step.source, []).append(step)
        best, most = None, (0, 0)
        for sources in points.values():
            workers = len({step.worker for steps in sources.values() for step in steps})
            if workers <= MOST_WORKERS and (len(sources), workers) > most:
                best, most = sources, (len(sources), workers)
        if best:
            return best
    return None


def _draw_lanes(axes, steps, lanes, began_s, unit_s):
    """A rectangle per part of a step; returns the columns drawn."""
    shapes, ends = {}, []
    for step in steps:
        lane = lanes.index(step.worker)
        at_s = step.began_s - began_s
        for column in DRAWN:
            length_s = getattr(step, column)
            if length_s > 0:
                left, right = at_s / unit_s, (at_s + length_s) / unit_s
                shapes.setdefault((column, step.accepted), []).append(
                    ((left, lane - 0.4), (right, lane - 0.4), (right, lane + 0.4),
                     (left, lane + 0.4)))
                at_s += length_s
        end = (step.end_s - began_s) / unit_s
        ends.append(((end, lane - 0.4), (end, lane + 0.4)))
    axes.add_collection(LineCollection(ends, colors="white", linewidths=0.6, zorder=4))
    for (column, accepted), corners in shapes.items():
        colour = LOOKS[column][1]
        axes.add_collection(PolyCollection(
            corners, facecolors=colour if accepted else style.lighter(colour, 0.55),
            edgecolors="none" if accepted else "white", hatch=None if accepted else "//////",
            linewidths=0, zorder=3))
    return {column for column, _ in shapes}


def _frame(axes, lanes, source, right):
    axes.set_xlim(0, right)
    axes.set_ylim(len(lanes) - 0.4, -0.6)
    every = max(1, len(lanes) // 4)
    axes.set_yticks(range(0, len(lanes), every), [str(lane) for lane in lanes[::every]])
    axes.set_ylabel("worker")
    axes.set_title(source, loc="left", pad=2)
    axes.xaxis.set_major_formatter(style.plain)
    axes.grid(False, axis="y")
    axes.tick_params(axis="y", length=0)
