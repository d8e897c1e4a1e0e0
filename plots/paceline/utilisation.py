# SPDX-License-Identifier: MIT
"""How much is used over some steps: the workers that compute, the busiest link, a worker's memory.

The first two are means of equal bins.

Drawn for runs with spans (--trace), of the same point as the streams. Memory is a model of both
sources' layers: no clock observes it.
"""

from paceline.figure import Figure
from paceline.marks import line_key
from paceline.panel import SIZE, Panel
from paceline.scales import Linear, unit_of
from paceline.sentences import of_source, short
from paceline.shapes import Line
from paceline.text_size import text_width
from paceline.timeline import WIDTH, point_title
from paceline.traced_point import versions_shown

STEPS_SHOWN = 4
BINS = 240
HEIGHT = 118
LOOKS = {"predicted": ("blue", 1.6, ()), "measured": ("vermilion", 1.3, (4, 2))}
MEMORY = "memory of worker 0"


def draw(study):
    """The figure of the traced point with the most workers; None without spans."""
    chosen = study.traced
    if not chosen:
        return None
    run, number, traces, step_s = chosen
    shown = versions_shown(traces, step_s, STEPS_SHOWN) or versions_shown(traces, step_s)
    if not shown:
        return None
    times = {source: _Window(trace, shown) for source, trace in traces.items()}
    longest_s = max(window.length_s for window in times.values())
    unit_s, unit = unit_of([longest_s])
    link = _busiest(traces.values())
    drawn = [("workers that compute (%)", {source: window.computing()
                                           for source, window in times.items()}, 100.0)]
    if link:
        drawn.append((f"{link} (GB/s)", {source: window.mean(link)
                                         for source, window in times.items()}, None))
    if any(MEMORY in trace.counters for trace in traces.values()):
        drawn.append((f"{MEMORY} (GB)", {source: window.counter(MEMORY)
                                         for source, window in times.items()}, None))
    across = Linear(0, 1.005 * longest_s / unit_s, 8)
    upwards = [Linear(0, most or 1.05 * max(value for line in lines.values()
                                            for _, value in line[:-1]), 3)
               for _, lines, most in drawn]
    widest = max(text_width(text, SIZE - 1) for each in upwards for _, text in each.ticks)
    panels = []
    for place, (label, lines, _) in enumerate(drawn):
        last = place == len(drawn) - 1
        panel = Panel(across, upwards[place], f"time since version {shown[0]} of the model "
                      f"({unit})" if last else "", label,
                      point_title(study, run, number) if place == 0 else "", WIDTH,
                      HEIGHT + (15 if last else 0) + (18 if place == 0 else 0), left=widest)
        for source, line in lines.items():
            colour, width, dash = LOOKS[source]
            points = tuple((at / unit_s, value) for at, value in _steps(line))
            panel.add(Line(points, colour, width, dash))
        panels.append(panel)
    keys = [line_key(source, *LOOKS[source]) for source in LOOKS if source in traces]
    return Figure(panels, keys, wide=True, columns=1, finding=_finding(drawn, link))


def _finding(drawn, link):
    """The mean use of workers and of the busiest link, and the most memory."""
    source = list(drawn[0][1])[-1]
    lines = {label: of[source] for label, of, _ in drawn if source in of}
    said = []
    for label, line in lines.items():
        length = line[-1][0] - line[0][0]
        mean = sum(value * (until - at) for (at, value), (until, _) in zip(line, line[1:])) / length
        most = max(value for _, value in line[:-1])
        if label.startswith("workers"):
            said.append(f"workers compute {short(mean)} % of the time")
        elif link and label.startswith(link):
            said.append(f"{link} carries {short(mean)} GB/s on average, at most {short(most)} GB/s")
        else:
            said.append(f"worker 0 holds at most {short(most)} GB")
    text = "; ".join(said)
    return f"{text[:1].upper()}{text[1:]}{of_source(source)}."


class _Window:
    """The time of one source between two versions of the model, in seconds."""

    def __init__(self, trace, shown):
        times = dict(trace.versions)
        self.trace = trace
        self.begin_us = times[shown[0]]
        self.length_s = (times[shown[1]] - self.begin_us) / 1e6

    def computing(self):
        """The share of the workers that go forward or backward, in per cent, in equal bins."""
        width_us = self.length_s * 1e6 / BINS
        busy = [0.0] * BINS
        workers = [number for number, name in self.trace.tracks.items()
                   if name.startswith("worker") and name.endswith(" compute")]
        for number in workers:
            for one in self.trace.slices.get(number, []):
                if one.name.startswith(("forward", "backward")) and "pass" not in one.args:
                    _spread(busy, (one.began_us - self.begin_us) / width_us,
                            one.length_us / width_us, 100 / len(workers))
        return self._line(busy)

    def mean(self, name):
        """The mean of a counter in equal bins."""
        values, means = self.counter(name), [0.0] * BINS
        width_s = self.length_s / BINS
        for (at, value), (until, _) in zip(values, values[1:]):
            _spread(means, at / width_s, (until - at) / width_s, value)
        return self._line(means)

    def _line(self, bins):
        return [(self.length_s * place / BINS, value)
                for place, value in enumerate(bins)] + [(self.length_s, None)]

    def counter(self, name):
        """The values of a counter from the window's begin to its end."""
        before, inside = 0.0, []
        for at_us, value in self.trace.counters.get(name, []):
            at_s = (at_us - self.begin_us) / 1e6
            if at_s <= 0:
                before = value
            elif at_s < self.length_s:
                inside.append((at_s, value))
        return [(0.0, before), *inside, (self.length_s, None)]


def _spread(bins, begin, length, value):
    """Adds `value` times its share of each bin that a span covers; `begin`, `length` in bins."""
    end = min(begin + length, len(bins))
    begin = max(begin, 0.0)
    while begin < end:
        place = int(begin)
        upto = min(place + 1.0, end)
        bins[place] += (upto - begin) * value
        begin = upto


def _steps(line):
    """A value holds until the next: the corners of a stair. The last entry is only a time."""
    corners = []
    for (at, value), (until, _) in zip(line, line[1:]):
        corners += [(at, value), (until, value)]
    return corners


def _busiest(traces):
    """The link that carries the most in any source; None without links."""
    carried = {}
    for trace in traces:
        for name, values in trace.counters.items():
            if name == MEMORY:
                continue
            bytes_of = sum(value * (later - at) for (at, value), (later, _)
                           in zip(values, values[1:]))
            carried[name] = max(carried.get(name, 0.0), bytes_of)
    return max(carried, key=carried.get, default=None)
