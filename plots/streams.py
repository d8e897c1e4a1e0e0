# SPDX-License-Identifier: MIT
"""What every stream of a few workers and servers did for one step: predicted above measured.

Drawn where a run kept its spans (--trace). Both sources show the same updates, so that a span that
is too long in one of them stands under its twin.
"""

from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.patches import Patch

import style
from results import number_points
from spans import processes_of, read_processes
from timeline import SOURCES

TRACE = "trace.json.gz"
MOST_WORKERS_SHOWN = 3
MOST_SERVERS_SHOWN = 2
NARROWEST_LAYER = 0.004  # of a panel's width, below which a border would hide it
MOST_SLICES = 20_000  # of a panel: more would be one block of colour
# kind -> (label, colour), in the legend's order
LOOKS = {"forward": ("forward", "#56B4E9"), "backward": ("backward", "#0072B2"),
         "delay": ("straggler delay", "#D55E00"), "push": ("push", "#009E73"),
         "fetch": ("fetch", "#CC79A7"), "server": ("sum, update", "#4D4D4D"),
         "comm": ("waiting for communication", "#E69F00"),
         "wait": ("waiting for others", "#B8B8B8")}


def draw(study):
    """The traced point with the most workers, if possible one that was measured too; or None."""
    chosen = _choose(study.runs)
    if not chosen:
        return None
    traces, step_s = chosen
    shown = _versions_shown(traces, step_s)
    if not shown:
        return None
    panels = [(source, _panel(trace, shown)) for source, trace in traces.items()]
    longest_s = max(panel.length_s for _, panel in panels)
    unit_s, unit = style.unit_of([longest_s])
    lanes = max(len(panel.lanes) for _, panel in panels)
    figure = style.new_figure(style.TWO_COLUMNS,
                              (0.4 + 0.115 * max(lanes, 4)) * len(panels) + 0.3)
    for place, (source, panel) in enumerate(panels):
        axes = figure.add_subplot(len(panels), 1, place + 1)
        _draw_panel(axes, panel, unit_s)
        axes.set_xlim(0, 1.005 * longest_s / unit_s)
        axes.set_title(source, loc="left", pad=2)
        if place == len(panels) - 1:
            axes.set_xlabel(f"time since version {shown[0]} ({unit})")
    used = {kind for _, panel in panels for kind, _ in panel.shapes}
    handles = [Patch(color=colour, label=label) for kind, (label, colour) in LOOKS.items()
               if kind in used]
    if any(lost for _, panel in panels for _, lost in panel.shapes):
        handles.append(Patch(facecolor="#C8C8C8", edgecolor="white", hatch="//////",
                             label="cancelled"))
    return style.finish(figure, handles)


def _choose(runs):
    """(source -> ProcessTrace, mean step in s) of the first run that has a trace of its points."""
    for run in runs:
        path = run.directory / TRACE
        points = {}
        for process in processes_of(path):
            row = _row_of(run, process)
            if row is not None and row["step_s_mean"]:
                points.setdefault(process.point, {})[process.source] = (process, row)
        if not points:
            continue
        best = max(points.values(), key=lambda sources: (
            len(sources), max(row["workers"] or 0 for _, row in sources.values())))
        numbers = {source: best[source][0].number for source in SOURCES if source in best}
        traces = read_processes(path, set(numbers.values()))
        step_s = max(row["step_s_mean"] for _, row in best.values())
        return {source: traces[number] for source, number in numbers.items()}, step_s
    return None


def _row_of(run, process):
    """The row of results.csv that the process belongs to; None where the trace is of another run.
    """
    return next((row for point, row in zip(number_points(run.rows), run.rows)
                 if (point, *(row[column] for column in ("experiment", "source", "policy",
                                                          "workers")))
                 == (process.point, process.experiment, process.source, process.policy,
                     process.workers)), None)


def _versions_shown(traces, step_s):
    """(first, last) version of about one step in the middle of what all traces have."""
    common = set.intersection(*({version for version, _ in trace.versions}
                                for trace in traces.values()))
    times = [(version, at) for version, at in next(iter(traces.values())).versions
             if version in common]
    for first, begin_us in times[len(times) // 2:] + times[:1]:
        for last, end_us in times:
            if last > first and end_us - begin_us >= 0.95e6 * step_s:
                return first, last
    return None


class _Panel:
    """One source's lanes and what is drawn in them."""

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


def _panel(trace, shown):
    times = dict(trace.versions)
    begin_us = times[shown[0]]
    panel = _Panel((times[shown[1]] - begin_us) / 1e6)
    panel.versions_s = [(at - begin_us) / 1e6 for version, at in trace.versions
                        if shown[0] < version < shown[1]]
    for role, tracks in _roles(trace).items():
        lane_of = {}
        for stream in ("compute", "push", "fetch"):
            if stream in tracks:
                lane_of[stream] = len(panel.lanes)
                panel.lanes.append(role if not lane_of.keys() - {stream} else stream)
        lane_of["waits"] = lane_of.get("compute", 0)  # they never overlap
        for stream, lane in lane_of.items():
            _fill(panel, trace.slices.get(tracks.get(stream), []), stream, lane, begin_us)
    return panel


def _roles(trace):
    """The first workers and servers -> stream -> number of its track."""
    roles = {}
    for number, name in sorted(trace.tracks.items()):
        role, _, stream = name.rpartition(" ")
        roles.setdefault(role, {})[stream] = number
    workers = [role for role in roles if role.startswith("worker")][:MOST_WORKERS_SHOWN]
    servers = [role for role in roles if role.startswith("server")][:MOST_SERVERS_SHOWN]
    return {role: roles[role] for role in workers + servers}


def _fill(panel, slices, stream, lane, begin_us):
    end_us = begin_us + panel.length_s * 1e6
    inside = [one for one in slices
              if one.began_us < end_us and one.began_us + one.length_us > begin_us]
    for one in inside[:MOST_SLICES]:
        left = (one.began_us - begin_us) / 1e6
        if "pass" in one.args:
            if one.length_us > NARROWEST_LAYER * 1e6 * panel.length_s:
                panel.borders.append((left, lane))
            continue
        kind = _kind(one.name, stream)
        if kind:
            panel.add(kind, "cancelled" in one.args, lane, left, left + one.length_us / 1e6)


def _kind(name, stream):
    if stream == "waits":
        return "wait" if name == "waits for other workers" else "comm"
    first = name.split(" ", 1)[0]
    return {"update": "server", "sum": "server", "all-reduce": "push"}.get(
        first, first if first in LOOKS else None)


def _draw_panel(axes, panel, unit_s):
    for (kind, lost), rectangles in panel.shapes.items():
        colour = LOOKS[kind][1]
        corners = [((left / unit_s, lane - 0.4), (right / unit_s, lane - 0.4),
                    (right / unit_s, lane + 0.4), (left / unit_s, lane + 0.4))
                   for left, right, lane in rectangles]
        axes.add_collection(PolyCollection(
            corners, facecolors=style.lighter(colour, 0.55) if lost else colour,
            edgecolors="white" if lost else "none", hatch="//////" if lost else None,
            linewidths=0, zorder=2 if kind in ("wait", "comm") else 3))
    borders = [((at / unit_s, lane - 0.4), (at / unit_s, lane + 0.4))
               for at, lane in panel.borders if 0 < at < panel.length_s]
    axes.add_collection(LineCollection(borders, colors="white", linewidths=0.15, zorder=4))
    for at in panel.versions_s:
        axes.axvline(at / unit_s, color=style.INK, linewidth=0.5, dashes=(2, 2), zorder=5)
    axes.set_ylim(len(panel.lanes) - 0.4, -0.6)
    axes.set_yticks(range(len(panel.lanes)), panel.lanes)
    axes.tick_params(axis="y", length=0, labelsize=6)
    axes.xaxis.set_major_formatter(style.plain)
    axes.grid(False, axis="y")
