# SPDX-License-Identifier: MIT
"""The streams of a few workers and servers during one step: predicted above measured.

Drawn for runs with spans (--trace). Both sources show the same updates, so that a wrongly predicted
span is aligned with its measured counterpart.
"""

from paceline.figure import Figure
from paceline.html_text import time_text
from paceline.marks import colour_key
from paceline.panel import SIZE, Panel
from paceline.scales import Linear, Names, unit_of
from paceline.sentences import of_source, percent
from paceline.shapes import Area, Line, box
from paceline.text_size import text_width
from paceline.timeline import PALE, WIDTH, point_title
from paceline.traced_point import versions_shown

MOST_WORKERS_SHOWN = 3
MOST_SERVERS_SHOWN = 2
MOST_LOADERS_SHOWN = 4
NARROWEST_LAYER = 0.004  # of a panel's width; a border would hide narrower layers
MOST_SLICES = 20_000  # of a panel; more would merge into one block of colour
LANE = 17             # pixels
MARGINS = 150         # maximum, of a panel's width
# kind -> (label, colour, colour of text on it), in the order of the keys
LOOKS = {"forward": ("forward", "pale", "dark"), "backward": ("backward", "blue", "paper"),
         "validation": ("validation", "vermilion", "paper"),
         "delay": ("injected delay", "vermilion", "paper"), "push": ("push", "green", "paper"),
         "fetch": ("fetch", "purple", "paper"), "batch": ("copy of a batch", "green", "paper"),
         "read": ("read", "grey", "paper"), "prepare": ("decode", "ochre", "paper"),
         "server": ("sum, update", "grey", "paper"),
         "comm": ("waiting for communication", "comm", "dark"),
         "wait": ("waiting for others", "wait", "ink"),
         "input": ("waiting for input", "near", "ink"),
         "checkpoint": ("checkpoint", "ochre", "paper")}


def draw(study):
    """The figure of the traced point with the most workers, preferably a measured one; or None."""
    chosen = study.traced
    if not chosen:
        return None
    run, number, traces, step_s = chosen
    shown = versions_shown(traces, step_s)
    if not shown:
        return None
    found = [(source, _spans(trace, shown)) for source, trace in traces.items()]
    longest_s = max(spans.length_s for _, spans in found)
    unit_s, unit = unit_of([longest_s])
    name = point_title(study, run, number)
    panels, named = [], set()
    for source, spans in found:
        panel = Panel(Linear(0, 1.005 * longest_s / unit_s, 8), Names(spans.lanes),
                      f"time since version {shown[0]} of the model ({unit})", "",
                      f"{source}: {name}", WIDTH, 66 + LANE * len(spans.lanes), downwards=True,
                      grid="x")
        named |= _draw_spans(panel, spans, unit_s)
        panels.append(panel)
    used = {kind for _, spans in found for kind, _ in spans.shapes}
    keys = [colour_key(label, colour) for kind, (label, colour, _) in LOOKS.items()
            if kind in used - named]
    if any(lost for _, spans in found for _, lost in spans.shapes):
        keys.append(colour_key("cancelled", "grey", PALE, "grey"))
    return Figure(panels, keys, wide=True, finding=_finding(found))


def _finding(found):
    """How the first worker spends the time between the updates that are shown."""
    source, spans = found[-1]
    spent = {}
    for (kind, _), rectangles in spans.shapes.items():
        spent[kind] = sum(right - left for left, right, lane in rectangles if lane == 0)
    largest = [kind for kind in sorted(spent, key=spent.get, reverse=True) if spent[kind] > 0][:3]
    shares = ", ".join(f"{LOOKS[kind][0]} {percent(spent[kind] / spans.length_s)}"
                       for kind in largest)
    beside = (f" ({found[0][0]} {time_text(found[0][1].length_s)})" if len(found) > 1 else
              of_source(source))
    return f"Of {time_text(spans.length_s)}{beside} {spans.lanes[0]} spends: {shares}."


class _Spans:
    """The lanes of one source and their contents."""

    def __init__(self, length_s):
        self.length_s = length_s
        self.lanes = []    # labels
        self.shapes = {}   # (kind, whether it was cancelled) -> rectangles in seconds and lanes
        self.borders = []  # between layers: (s, lane)
        self.versions_s = []

    def add(self, kind, lost, lane, left, right):
        left, right = max(left, 0.0), min(right, self.length_s)
        if right > left:
            self.shapes.setdefault((kind, lost), []).append((left, right, lane))


def _spans(trace, shown):
    times = dict(trace.versions)
    begin_us = times[shown[0]]
    spans = _Spans((times[shown[1]] - begin_us) / 1e6)
    spans.versions_s = [(at - begin_us) / 1e6 for version, at in trace.versions
                        if shown[0] < version < shown[1]]
    for role, tracks in _roles(trace).items():
        lane_of = {}
        for stream in ("compute", "push", "fetch"):
            if stream in tracks:
                lane_of[stream] = len(spans.lanes)
                spans.lanes.append(role if not lane_of.keys() - {stream} else stream)
        lane_of["waits"] = lane_of.get("compute", 0)  # waits and compute never overlap
        for stream, lane in lane_of.items():
            _fill(spans, trace.slices.get(tracks.get(stream), []), stream, lane, begin_us)
    return spans


def _roles(trace):
    """The first workers, servers and loaders -> stream -> number of its track."""
    roles = {}
    for number, name in sorted(trace.tracks.items()):
        role, _, stream = name.rpartition(" ")
        roles.setdefault(role, {})[stream] = number
    workers = [role for role in roles if role.startswith("worker")][:MOST_WORKERS_SHOWN]
    servers = [role for role in roles if role.startswith("server")][:MOST_SERVERS_SHOWN]
    loaders = [role for role in roles
               if role.startswith("loader") and role.endswith(" of " + workers[0])]
    return {role: roles[role] for role in workers + servers + loaders[:MOST_LOADERS_SHOWN]}


def _fill(spans, slices, stream, lane, begin_us):
    end_us = begin_us + spans.length_s * 1e6
    inside = [one for one in slices
              if one.began_us < end_us and one.began_us + one.length_us > begin_us]
    for one in inside[:MOST_SLICES]:
        left = (one.began_us - begin_us) / 1e6
        if "pass" in one.args:
            if one.length_us > NARROWEST_LAYER * 1e6 * spans.length_s:
                spans.borders.append((left, lane))
            continue
        kind = _kind(one.name, stream)
        if kind:
            spans.add(kind, "cancelled" in one.args, lane, left, left + one.length_us / 1e6)


def _kind(name, stream):
    if stream == "waits":
        return {"waits for other workers": "wait", "waits for input": "input",
                "waits for its checkpoint": "checkpoint"}.get(name, "comm")
    first = name.split(" ", 1)[0]
    return {"update": "server", "sum": "server", "all-reduce": "push", "encoding": "push",
            "write": "checkpoint", "slice": "batch"}.get(
        first, first if first in LOOKS else None)


def _draw_spans(panel, spans, unit_s):
    """Draws the lanes; returns the kinds with a name on one of their spans."""
    room = (WIDTH - MARGINS) / panel.x.high
    named = set()
    for (kind, lost), rectangles in sorted(spans.shapes.items(), key=lambda each: (
            each[0][0] not in ("wait", "comm", "input", "checkpoint"), each[0])):
        label, colour, ink = LOOKS[kind]
        for left, right, lane in rectangles:
            left, right = left / unit_s, right / unit_s
            tip = f"{label}, {time_text((right - left) * unit_s)}"
            panel.add(Area(box(left, lane + 0.1, right, lane + 0.9), colour,
                           PALE if lost else 1.0, colour if lost else "", tip))
            if kind not in named and not lost and (right - left) * room > text_width(label, SIZE):
                panel.text((left + right) / 2, lane + 0.5, label, dy=3.8, colour=ink,
                           anchor="middle")
                named.add(kind)
    for at, lane in spans.borders:
        if 0 < at < spans.length_s:
            panel.add(Line(((at / unit_s, lane + 0.1), (at / unit_s, lane + 0.9)), "paper", 0.4))
    for at in spans.versions_s:
        panel.add(Line(((at / unit_s, 0), (at / unit_s, len(spans.lanes))), "ink", 0.8, (3, 3)))
    return named
