# SPDX-License-Identifier: MIT
"""The parts of a worker's mean step: one bar per point and source, as shares of the step.

Every bar is a whole step, so that steps of any length can be compared; the length is written beside
it, and a share of at least a tenth inside it.
"""

import statistics
from collections import namedtuple

from paceline.figure import MOST_PANELS, Figure, columns_of, left_out, size_of
from paceline.html_text import time_text
from paceline.marks import colour_key
from paceline.panel import Panel
from paceline.points import point_name
from paceline.scales import Linear, Names, plain
from paceline.sentences import of_source, percent
from paceline.shapes import Area, box

# column, label, colour, and the colour of text on it, "" if none is legible
PARTS = (("compute_s", "compute", "blue", "paper"),
         ("delay_s", "injected delay", "vermilion", "paper"),
         ("exposed_comm_s", "exposed communication", "comm", "dark"),
         ("wait_s", "waiting for others", "wait", "ink"), ("input_s", "input", "green", "paper"),
         ("validation_s", "validation", "sky", ""),
         ("checkpoint_s", "checkpoints", "purple", "paper"))
SHORT = {"compute_s": "compute", "delay_s": "injected", "exposed_comm_s": "comm.",
         "wait_s": "waiting", "input_s": "input", "validation_s": "valid.", "checkpoint_s": "ckpt."}
LABELS = {column: label for column, label, *_ in PARTS}
SOURCES = ("predicted", "measured")
PALE = 0.4      # opacity of predicted bars beside measured ones
ROW, PAIR = 26, 38  # pixels of a point with one bar, and with two
WRITTEN = 0.1   # a smaller share has no room for its number
FONT = 9        # of the numbers inside the bars


def draw(study):
    """One panel per series; None if no row has the parts of its step."""
    everything = [(one, bars) for one in study.series if (bars := _bars(one))]
    drawn = everything[:MOST_PANELS]
    if not drawn:
        return None
    paired = len({source for _, bars in drawn for _, source in bars}) > 1
    most = max(len({x for x, _ in bars}) for _, bars in drawn)
    size = size_of(len(drawn)) | {"height": 74 + (PAIR if paired else ROW) * most}
    panels, used = [], set()
    for one, bars in drawn:
        xs = sorted({x for x, _ in bars})
        loose = any(study.axis.is_loose(row) for row in one.rows)
        names = ["varies" if loose else plain(x) for x in xs]
        panel = Panel(Linear(0, 100, 4), Names(names + [""] * (most - len(names))),
                      "share of a step (%)", study.axis.label, one.label, downwards=True,
                      grid="x", **size)
        for (x, source), parts in bars.items():
            other = [(each, bars[x, each]) for each in SOURCES
                     if each != source and (x, each) in bars]
            bar = _Bar(source, parts, one.at[x][source].point, other)
            used |= _draw_bar(panel, xs.index(x), bar, paired)
        panels.append(panel)
    keys = [colour_key(label, colour) for column, label, colour, _ in PARTS if column in used]
    if paired:
        keys += [colour_key("upper bar: predicted", "grey", PALE, source="predicted"),
                 colour_key("lower bar: measured", "grey", source="measured")]
    return Figure(panels, keys, left_out(len(drawn), len(everything)), columns_of(len(drawn)))


def finding(study):
    """The range of the largest part, and where the next one is largest."""
    shares = [(source, point_name(study, one, row), {column: part / sum(parts.values())
                                                     for column, part in parts.items()})
              for one in study.series for (x, source), parts in _bars(one).items()
              for row in [one.at[x][source]]]
    source = "measured" if any(each == "measured" for each, _, _ in shares) else "predicted"
    shares = [(name, of) for each, name, of in shares if each == source]
    if not shares:
        return ""
    columns = dict.fromkeys(column for _, of in shares for column in of)
    middle = {column: statistics.median(of.get(column, 0.0) for _, of in shares)
              for column in columns}
    top = max(middle, key=middle.get)
    found = [of.get(top, 0.0) for _, of in shares]
    low, high = percent(min(found)), percent(max(found))
    said = f"{LABELS[top].capitalize()} is {low if low == high else f'{low} to {high}'} of a step"
    share, column, name = max(((of[column], column, name) for name, of in shares for column in of
                               if column != top), default=(0.0, "", ""))
    next_one = f"; {LABELS[column]} up to {percent(share)} ({name})" if share > 0 else ""
    return f"{said}{next_one}{of_source(source)}."


def _bars(one):
    """(x, source) -> {column: seconds} of the points with known parts."""
    bars = {}
    for source in SOURCES:
        for x, row in one.by_source.get(source, []):
            parts = {column: max(row[column], 0.0) for column, *_ in PARTS
                     if row[column] is not None}
            if sum(parts.values()) > 0:
                bars[x, source] = parts
    return bars


# others: [(source, parts)] of the same point; point: its name.
_Bar = namedtuple("_Bar", "source parts point others")


def _draw_bar(panel, place, bar, paired):
    """Draws one bar with its length in time beside it; returns the columns that are not zero."""
    source, parts, pale = bar.source, bar.parts, paired and bar.source == "predicted"
    top, bottom = (0.15, 0.85) if not paired else (0.1, 0.49) if pale else (0.51, 0.9)
    total_s, used, left = sum(parts.values()), set(), 0.0
    for column, label, colour, ink in PARTS:
        share = parts.get(column, 0.0) / total_s
        if share > 0:
            tip = "\n".join([f"{label}, {_of_step(source, parts, column)}",
                             *(_of_step(*other, column) for other in bar.others)])
            panel.add(Area(box(left, place + top, left + 100 * share, place + bottom), colour,
                           PALE if pale else 1.0, tip=tip, source=source, point=bar.point))
            if share >= WRITTEN and ink:
                panel.text(left + 50 * share, place + (top + bottom) / 2, percent(share), dy=3.2,
                           colour="ink" if pale else ink, size=FONT, anchor="middle")
            used.add(column)
            left += 100 * share
    panel.label(place + (top + bottom) / 2, time_text(total_s), "muted")
    return used


def _of_step(source, parts, column):
    part_s, total_s = parts.get(column, 0.0), sum(parts.values())
    return (f"{source}: {time_text(part_s)} ({percent(part_s / total_s)} of "
            f"{time_text(total_s)})")
