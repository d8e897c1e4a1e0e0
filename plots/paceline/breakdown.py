# SPDX-License-Identifier: MIT
"""The parts of a worker's mean step: one bar per point and source, with the shares in words.

A part that fills most of nearly all steps would hide the others: the bars then show the rest of the
step, and the part is written beside them.
"""

import statistics
from collections import namedtuple

from paceline.figure import MOST_PANELS, Figure, columns_of, left_out, size_of
from paceline.html_text import time_text
from paceline.marks import colour_key
from paceline.panel import Panel
from paceline.points import point_name
from paceline.scales import Linear, Names, plain, unit_of
from paceline.sentences import of_source, percent
from paceline.shapes import Area, box

PARTS = (("compute_s", "compute", "blue"), ("delay_s", "injected delay", "vermilion"),
         ("exposed_comm_s", "exposed communication", "comm"),
         ("wait_s", "waiting for others", "wait"), ("input_s", "input", "green"),
         ("validation_s", "validation", "sky"), ("checkpoint_s", "checkpoints", "purple"))
SHORT = {"compute_s": "compute", "delay_s": "injected", "exposed_comm_s": "comm.",
         "wait_s": "waiting", "input_s": "input", "validation_s": "valid.", "checkpoint_s": "ckpt."}
LABELS = {column: label for column, label, _ in PARTS}
SOURCES = ("predicted", "measured")
PALE = 0.5      # opacity of predicted bars beside measured ones
ROW = 31        # pixels per point
HIDDEN = 0.03   # a smaller share of compute is invisible: it is written
MOSTLY = 0.7    # a part with a larger median share is left out of the bars
SIMILAR = 5.0   # panels with longest steps within this factor share an axis


def draw(study):
    """One panel per series; None if no row has the parts of its step."""
    everything = [(one, bars) for one in study.series if (bars := _bars(one))]
    drawn = everything[:MOST_PANELS]
    if not drawn:
        return None
    hidden = _dominant([parts for _, bars in drawn for parts in bars.values()])
    tops = [max(sum(parts.values()) - parts.get(hidden, 0.0) for parts in bars.values())
            for _, bars in drawn]
    unit_s, unit = unit_of(tops)
    shared = bool(hidden) or max(tops) < SIMILAR * min(tops)
    label = f"step time without {LABELS[hidden]} ({unit})" if hidden else f"step time ({unit})"
    seen = {source for _, bars in drawn for _, source in bars}
    most = max(len({x for x, _ in bars}) for _, bars in drawn)
    size = size_of(len(drawn)) | {"height": 74 + ROW * most}
    panels, used = [], set()
    for (one, bars), top in zip(drawn, tops):
        xs = sorted({x for x, _ in bars})
        loose = any(study.axis.is_loose(row) for row in one.rows)
        names = ["varies" if loose else plain(x) for x in xs]
        panel = Panel(Linear(0, 1.03 * (max(tops) if shared else top) / unit_s, 4),
                      Names(names + [""] * (most - len(names))), label,
                      study.axis.label, one.label, downwards=True, grid="x", **size)
        for (x, source), parts in bars.items():
            other = [(each, bars[x, each]) for each in SOURCES
                     if each != source and (x, each) in bars]
            bar = _Bar(source, parts, one.at[x][source].point, other)
            used |= _draw_bar(panel, xs.index(x), bar, unit_s, len(seen) > 1, hidden)
        for place, x in enumerate(xs):
            panel.label(place + 0.5, _said(bars.get((x, "measured")) or bars[x, "predicted"],
                                           hidden), "muted")
        panels.append(panel)
    keys = [colour_key(label, colour) for column, label, colour in PARTS if column in used]
    if len(seen) > 1:
        keys += [colour_key("upper, pale: predicted", "grey", PALE, source="predicted"),
                 colour_key("lower, full: measured", "grey", source="measured")]
    notes = [f"{LABELS[hidden]} is left out of the bars and written beside them"] if hidden else []
    if not shared:
        notes.append("each panel has its own axis")
    notes.append(left_out(len(drawn), len(everything)))
    return Figure(panels, keys, "; ".join(filter(None, notes)), columns_of(len(drawn)))


def _dominant(steps):
    """The column that is most of the median step; None if there is none, or nothing else."""
    for column, _, _ in PARTS:
        shares = [parts.get(column, 0.0) / sum(parts.values()) for parts in steps]
        if statistics.median(shares) > MOSTLY and min(shares) < 1:
            return column
    return None


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
            parts = {column: max(row[column], 0.0) for column, _, _ in PARTS
                     if row[column] is not None}
            if sum(parts.values()) > 0:
                bars[x, source] = parts
    return bars


# others: [(source, parts)] of the same point; point: its name.
_Bar = namedtuple("_Bar", "source parts point others")


def _draw_bar(panel, place, bar, unit_s, paired, hidden):
    """Draws one bar without the hidden column; returns the columns that are not zero."""
    source, parts = bar.source, bar.parts
    top, bottom = (0.2, 0.8) if not paired else (0.14, 0.48) if source == "predicted" \
        else (0.52, 0.86)
    used, left = set(), 0.0
    for column, label, colour in PARTS:
        length = parts.get(column, 0.0) / unit_s
        if length > 0 and column != hidden:
            tip = "\n".join([f"{label}, {_of_step(source, parts, column)}",
                             *(_of_step(*other, column) for other in bar.others)])
            panel.add(Area(box(left, place + top, left + length, place + bottom), colour,
                           PALE if paired and source == "predicted" else 1.0, tip=tip,
                           source=source, point=bar.point))
            used.add(column)
            left += length
    return used


def _of_step(source, parts, column):
    part_s, total_s = parts.get(column, 0.0), sum(parts.values())
    return (f"{source}: {time_text(part_s)} ({_percent(part_s / total_s)} of "
            f"{time_text(total_s)})")


def _said(parts, hidden):
    """The hidden part; without one the largest share, and that of arithmetic if it is too small to
    be visible."""
    total_s = sum(parts.values())
    if hidden:
        of = f"of {time_text(total_s)}".replace(" ", "\N{NO-BREAK SPACE}")
        return f"{SHORT[hidden]} {_percent(parts.get(hidden, 0.0) / total_s)} {of}"
    shares = {column: each / total_s for column, each in parts.items()}
    largest = max(shares, key=shares.get)
    said = f"{SHORT[largest]} {_percent(shares[largest])}"
    if 0 < shares.get("compute_s", 0.0) < HIDDEN:
        said += f", {SHORT['compute_s']} {_percent(shares['compute_s'])}"
    return said


def _percent(share):
    return f"{100 * share:.1f} %" if share < 0.1 or 0.9 < share < 0.9995 else f"{100 * share:.0f} %"
