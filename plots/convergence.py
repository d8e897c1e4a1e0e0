# SPDX-License-Identifier: MIT
"""How training goes on: the held-out loss against time or updates, and the accuracy.

Several repeats are drawn as the median with a band from the lowest to the highest.
"""

import math
import re
import statistics
from bisect import bisect_right
from dataclasses import dataclass

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

import style
from points import name_of, points_of
from series import MOST_COLOURS, panels

SOURCES = ("predicted", "measured")
MARKS_A_CURVE = 9
LOG_LOSS_FROM = 10.0  # a loss that falls by more than this factor is drawn on a logarithmic axis
LOG_REACH_FROM = 8.0  # so is the horizontal axis, where some curves end so many times sooner
TOP = 2.0             # a loss beyond so many times the highest at the start runs out of the frame


@dataclass(frozen=True)
class Quantity:
    """What is drawn upwards, or to the right; of(evaluation) is None where it is not known."""
    label: str
    of: object
    target: object = None  # the pattern of a target of this quantity


LOSS = Quantity("held-out loss", lambda each: each.loss, re.compile(r"loss\s+(\S+)$"))
ACCURACY = Quantity("held-out accuracy (%)",
                    lambda each: None if each.accuracy is None else 100 * each.accuracy,
                    re.compile(r"accuracy\s+(\S+?)\s*%$"))
TIME = Quantity("time", lambda each: each.time_s)
UPDATES = Quantity("updates", lambda each: each.updates)


@dataclass(frozen=True)
class Curve:
    """The repeats of a row as one: x against the lowest, the median and the highest."""
    x: list
    low: list
    middle: list
    high: list


def draw(study):
    """Loss against time."""
    return _draw(study, LOSS, TIME)


def draw_by_updates(study):
    """Loss against updates."""
    return _draw(study, LOSS, UPDATES)


def draw_accuracy(study):
    """Accuracy against time."""
    return _draw(study, ACCURACY, TIME)


def _draw(study, upwards, along):
    curves = {}
    for point in points_of(study):
        of = {source: curve for source in SOURCES if source in point.rows
              and (curve := join_repeats(point.rows[source].evaluations, upwards, along))}
        if of:
            curves[id(point)] = (point, of)
    if not curves:
        return None
    everything = _arrange(study, [point for point, _ in curves.values()])
    parted = everything[:style.MOST_PANELS]
    unit_s, unit = ((1.0, "") if along is UPDATES else style.unit_of(
        curve.x[-1] for _, of in curves.values() for curve in of.values()))
    x_label = f"{along.label} ({unit})" if unit else along.label
    labels = list(dict.fromkeys(label for _, members in parted for label, _ in members))
    colours = {label: style.COLOURS[at % len(style.COLOURS)] for at, label in enumerate(labels)}
    rows, columns = style.grid_of(len(parted))
    single = len(parted) == 1
    figure = style.new_figure(style.ONE_COLUMN if single else style.TWO_COLUMNS,
                              2.5 if single else 2.3 if rows == 1 else 1.75 * rows + 0.25)
    vertical = _vertical([curve for _, of in curves.values() for curve in of.values()], upwards)
    far = any(_is_far([curves[id(point)][1] for _, point in members]) for _, members in parted)
    seen = set()
    for place, (title, members) in enumerate(parted):
        axes = figure.add_subplot(rows, columns, place + 1)
        style.panel_title(axes, title, columns)
        vertical.apply(axes)
        drawn = [(point, curves[id(point)][1], colours[label]) for label, point in members]
        seen |= _draw_panel(axes, drawn, unit_s, vertical)
        _horizontal(axes, [curve for _, of, _ in drawn for curve in of.values()], unit_s, far)
        seen |= _draw_targets(axes, [point for point, _, _ in drawn], upwards)
        if single:
            axes.set_xlabel(x_label)
            axes.set_ylabel(upwards.label)
    if not single:
        style.shared_labels(figure, x_label, upwards.label, len(parted), len(everything))
    return style.finish(figure, [style.series_handle(label, colour, "")
                                 for label, colour in colours.items() if label], _handles(seen))


def join_repeats(repeats, upwards, along):
    """The Curve of a row's repeats, None where nothing of them is known.

    It reaches as far as the shortest repeat; between two evaluations a repeat runs straight.
    """
    lines = []
    for evaluations in repeats:
        known = [(along.of(each), upwards.of(each)) for each in evaluations
                 if upwards.of(each) is not None]
        if known:
            lines.append(tuple(zip(*known)))
    if not lines:
        return None
    begin, end = max(x[0] for x, _ in lines), min(x[-1] for x, _ in lines)
    places = sorted({at for x, _ in lines for at in x if begin <= at <= end})
    if not places:
        return None
    values = [[_at(x, y, place) for x, y in lines] for place in places]
    return Curve(places, [min(each) for each in values],
                 [statistics.median(each) for each in values], [max(each) for each in values])


def _at(x, y, place):
    """The value at `place` of straight lines between the points (x, y)."""
    at = bisect_right(x, place)
    if at == len(x):
        return y[-1]
    return y[at - 1] + (place - x[at - 1]) / (x[at] - x[at - 1]) * (y[at] - y[at - 1])


def _arrange(study, points):
    """[(panel's title, [(label, point)])]: so that few colours tell all that share a panel.

    Few points share one panel; else there is one for each place on the axis, each series, or each
    point. Where all are at one place, the panels are those of the other figures.
    """
    if len({point.x for point in points}) == 1:
        of = {id(point.series): point for point in points}
        return [(title, [(label, of[id(one)]) for label, one in members])
                for title, members in panels([point.series for point in points], MOST_COLOURS)]
    if len(points) <= MOST_COLOURS:
        return [("", [(name_of(study, point), point) for point in points])]
    where = {id(point): study.axis.point(next(iter(point.rows.values()))) for point in points}
    by_place = _parted(sorted(points, key=lambda point: point.x),
                       lambda point: where[id(point)], lambda point: point.series.label)
    by_series = _parted(points, lambda point: point.series.label, lambda point: where[id(point)])
    for parted in (by_place, by_series):
        labels = {label for _, members in parted for label, _ in members}
        if 1 < len(parted) and len(labels) <= MOST_COLOURS:
            return parted
    return [(name_of(study, point), [("", point)]) for point in points]


def _parted(points, title, label):
    parted = {}
    for point in points:
        parted.setdefault(title(point), []).append((label(point), point))
    return list(parted.items())


@dataclass(frozen=True)
class Vertical:
    """The vertical axis that all panels share."""
    low: float
    high: float
    log: bool

    def apply(self, axes):
        if self.log:
            axes.set_yscale("log")
            axes.set_ylim(self.low, self.high)
            style.log_ticks(axes.yaxis, self.low, self.high)
        else:
            axes.set_ylim(self.low, self.high)
            axes.yaxis.set_major_formatter(style.plain)


def _vertical(curves, upwards):
    """Loss that ran away is cut off: it would press all the rest into a line."""
    values = [value for curve in curves for value in curve.low + curve.high]
    highest = max(values)
    if upwards is ACCURACY:
        return Vertical(0, 102, False)
    highest = min(highest, TOP * max(curve.high[0] for curve in curves)) or highest
    positive = [value for value in values if value > 0]
    if positive and highest > LOG_LOSS_FROM * min(positive):
        lowest = max(min(positive), highest * 1e-8)  # below there is only rounding
        return Vertical(lowest / 1.3, highest * 1.3, True)
    return Vertical(min(0.0, min(values)), highest * 1.08 or 1.0, False)


def _draw_panel(axes, drawn, unit_s, vertical):
    """Draws the curves of a panel; returns what of the legend was used."""
    seen = set()
    for point, of, colour in drawn:
        for source, curve in of.items():
            x = [each / unit_s for each in curve.x]
            if curve.high != curve.low:
                axes.fill_between(x, curve.low, curve.high, color=colour, linewidth=0,
                                  alpha=0.16, zorder=2)
                seen.add("band")
            axes.plot(x, curve.middle, **_look(source, colour, len(of) > 1, len(x)))
            seen.add(source)
            if point.rows[source].is_diverged:
                end = _end_in_frame(x, curve.middle, vertical.high)
                axes.plot(*([each] for each in end), clip_on=False, **_cross(colour))
                seen.add("diverged")
    return seen


def _end_in_frame(x, y, high):
    """(x, y) where a curve ends, or leaves the frame for good through its top."""
    at = len(y) - 1
    if y[at] <= high:
        return x[at], y[at]
    while at > 0 and y[at - 1] > high:
        at -= 1
    if at == 0:
        return x[0], high
    return x[at - 1] + (high - y[at - 1]) / (y[at] - y[at - 1]) * (x[at] - x[at - 1]), high


def _is_far(drawn):
    """Whether some curves of a panel end so much sooner that a linear axis would squeeze them."""
    ends = [curve.x[-1] for of in drawn for curve in of.values()]
    return 0 < LOG_REACH_FROM * min(ends) < max(ends)


def _horizontal(axes, drawn, unit_s, far):
    high = 1.02 * max(curve.x[-1] for curve in drawn) / unit_s
    if far and high > 0:
        begins = [next((x for x in curve.x if x > 0), curve.x[-1]) for curve in drawn]
        low = max(min(begins) / unit_s, high / 1e4)
        axes.set_xscale("log")
        axes.set_xlim(low, 1.1 * high)
        style.log_ticks(axes.xaxis, low, 1.1 * high)
    else:
        axes.set_xlim(0, high or 1.0)
        axes.xaxis.set_major_formatter(style.plain)


def _look(source, colour, paired, count):
    if source == "predicted":
        return {"color": colour, "linewidth": 1.3, "zorder": 3}
    return {"color": style.darker(colour, 0.75), "linewidth": 0.0 if paired else 0.9, "marker": "o",
            "markersize": 3.4, "markeredgecolor": "white", "markeredgewidth": 0.4, "zorder": 5,
            "markevery": max(1, math.ceil(count / MARKS_A_CURVE))}


def _cross(colour):
    return {"color": colour, "marker": "X", "markersize": 6.5, "linestyle": "",
            "markeredgecolor": "white", "markeredgewidth": 0.5, "zorder": 8}


def _draw_targets(axes, points, upwards):
    """A thin line for each target; returns {"target"} where there is one."""
    targets = {float(found[1]) for point in points for row in point.rows.values()
               if (found := upwards.target.match(row["target"])) and _is_number(found[1])}
    for target in sorted(targets):
        axes.axhline(target, color=style.INK, linewidth=0.7, linestyle=(0, (5, 2)), zorder=1.5)
    return {"target"} if targets else set()


def _is_number(text):
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _handles(seen):
    looks = {"predicted": lambda: Line2D([], [], label="predicted",
                                         **_look("predicted", style.INK, True, 1)),
             "measured": lambda: Line2D([], [], label="measured",
                                        **_look("measured", style.INK, "predicted" in seen, 1)),
             "band": lambda: Patch(color=style.INK, alpha=0.16, linewidth=0,
                                   label="lowest to highest repeat"),
             "target": lambda: Line2D([], [], color=style.INK, linewidth=0.7,
                                      linestyle=(0, (5, 2)), label="target"),
             "diverged": lambda: Line2D([], [], label="diverged", **_cross(style.INK))}
    return [look() for name, look in looks.items() if name in seen]
