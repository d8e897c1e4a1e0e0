# SPDX-License-Identifier: MIT
"""How training goes on: the held-out loss against time or updates, and the accuracy.

Several repeats are drawn as the median with a band from the lowest to the highest.
"""

import math
from dataclasses import dataclass

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

import style
from training_curves import ACCURACY, LOSS, TIME, UPDATES, join_repeats
from training_panels import arrange, curve_points

SOURCES = ("predicted", "measured")
MARKS_A_CURVE, MARKS_IN_A_CROWD = 9, 5
CROWD = 5              # more curves in a panel have fewer marks and no bands
LOG_LOSS_FROM = 10.0   # a loss that falls by more than this factor is drawn on a logarithmic axis
LOG_REACH_FROM = 8.0   # so is the horizontal axis, where some curves end so many times sooner,
LOG_FALL_FROM = 12.0   # or have fallen (on a logarithmic axis) so many times sooner than all end
SHARED_REACH = 3.0     # panels whose ends differ by less have one horizontal axis
BEFORE_THE_FIRST = 3.0  # a logarithmic axis begins so many times before the first curve ends
TOP = 2.0              # a loss beyond so many times the highest at the start leaves the frame
FLOOR = (0.965, 1.0)   # where an error floor is drawn, as shares of the panel's width


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
    curves = curve_points(study, lambda point: {
        source: curve for source in SOURCES if source in point.rows
        and (curve := join_repeats(point.rows[source].evaluations, upwards, along))})
    if not curves:
        return None
    panels = arrange(study, [point for point, _ in curves.values()])
    parted = panels.parted[:style.MOST_PANELS]
    every = [curve for _, of in curves.values() for curve in of.values()]
    unit_s, unit = (1.0, "") if along is UPDATES else style.unit_of(c.x[-1] for c in every)
    x_label = f"{along.label} ({unit})" if unit else along.label
    rows, columns = style.grid_of(len(parted))
    single = len(parted) == 1
    crowded = max(len(members) for _, members in parted) > CROWD
    figure = style.new_figure(
        style.TWO_COLUMNS if not single else 5.0 if crowded else style.ONE_COLUMN,
        2.5 if single else 2.3 if rows == 1 else 1.75 * rows + 0.25)
    vertical = _vertical(every, upwards)
    horizontals = _horizontals([[curve for _, point in members
                                 for curve in curves[id(point)][1].values()]
                                for _, members in parted], vertical)
    seen = set()
    for place, (title, members) in enumerate(parted):
        axes = figure.add_subplot(rows, columns, place + 1)
        style.panel_title(axes, title, columns)
        vertical.apply(axes)
        horizontals[place].apply(axes, unit_s)
        for label, point in members:
            seen |= _draw_point(axes, point, curves[id(point)][1], panels.colours[label],
                                (horizontals[place], vertical, unit_s), len(members) > CROWD)
            if upwards is LOSS:
                seen |= _draw_floor(axes, point, curves[id(point)][1], panels.colours[label],
                                    vertical)
        seen |= _draw_targets(axes, [point for _, point in members], upwards)
        if single:
            axes.set_xlabel(x_label)
            axes.set_ylabel(upwards.label)
    if not single:
        style.shared_labels(figure, x_label, upwards.label, len(parted), len(panels.parted))
    shown = {label for _, members in parted for label, _ in members}
    return style.finish(figure, [style.series_handle(label, colour, "")
                                 for label, colour in panels.colours.items()
                                 if label and label in shown], _handles(seen))


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


@dataclass(frozen=True)
class Horizontal:
    """A panel's horizontal axis, in seconds or updates."""
    low: float
    high: float
    log: bool

    def apply(self, axes, unit_s):
        low, high = self.low / unit_s, self.high / unit_s
        if self.log:
            axes.set_xscale("log")
            axes.set_xlim(low, high)
            style.log_ticks(axes.xaxis, low, high)
        else:
            axes.set_xlim(low, high or 1.0)
            axes.xaxis.set_major_formatter(style.plain)

    def spread(self, x, most):
        """The places of at most so many of these, as evenly along the axis as they stand.

        On a logarithmic axis's left edge a line comes in: nothing was seen there.
        """
        at = {place: math.log(each) if self.log else each for place, each in enumerate(x)
              if not self.log or each > self.low}
        if len(at) <= most:
            return list(at)
        low, high = min(at.values()), max(at.values())
        wanted = [low + (high - low) * step / most for step in range(most)]
        return sorted({min(at, key=lambda place: abs(at[place] - each)) for each in wanted})


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


def _horizontals(parted, vertical):
    """The axis of each panel of curves: all logarithmic or none, one for all where they are near.
    """
    ends = [[curve.end_below(vertical.high)[0] for curve in curves] for curves in parted]
    reach = [max(curve.x[-1] for curve in curves) for curves in parted]
    log = any(_is_far(curves, mine, end, vertical)
              for curves, mine, end in zip(parted, ends, reach))
    if max(reach) < SHARED_REACH * min(reach):
        parted = [[curve for curves in parted for curve in curves]] * len(parted)
        ends = [[each for mine in ends for each in mine]] * len(parted)
    return [_horizontal(curves, mine, log) for curves, mine in zip(parted, ends)]


def _is_far(curves, ends, reach, vertical):
    """Whether a linear axis would squeeze a curve: it ends, or has fallen, so much sooner."""
    if 0 < LOG_REACH_FROM * min(ends) < reach:
        return True
    fallen = min(curve.settles_at() for curve in curves)
    return vertical.log and 0 < LOG_FALL_FROM * fallen < reach


def _horizontal(curves, ends, log):
    """It holds every curve: its end, and what comes before its first evaluation but the start."""
    high = max(curve.x[-1] for curve in curves)
    firsts = [x for curve in curves for x in curve.x[:2] if x > 0]
    if log and min(ends) > 0 and firsts:
        low = min(min(firsts), min(ends) / BEFORE_THE_FIRST)
        return Horizontal(max(low, high / 1e5), 1.1 * high, True)
    return Horizontal(0.0, 1.02 * high, False)


def _draw_point(axes, point, of, colour, frame, crowded):
    """Draws the curves of a point; returns what of the legend was used."""
    horizontal, vertical, unit_s = frame
    seen = set()
    for source, whole in of.items():
        curve = whole.cut_at(horizontal.low) if horizontal.log else whole
        x = [each / unit_s for each in curve.x]
        if curve.high != curve.low and not crowded:
            axes.fill_between(x, curve.low, curve.high, color=colour, linewidth=0, alpha=0.16,
                              zorder=2)
            seen.add("band")
        told = horizontal.spread(curve.x, MARKS_IN_A_CROWD if crowded else MARKS_A_CURVE)
        axes.plot(x, curve.middle, **_look(source, colour, len(of) > 1), markevery=told)
        seen.add(source)
        if point.rows[source].is_diverged:
            at, high = curve.end_below(vertical.high, *(math.log if side.log else float
                                                        for side in (horizontal, vertical)))
            axes.plot([at / unit_s], [high], clip_on=False, **_cross(colour))
            seen.add("diverged")
    return seen


def _draw_floor(axes, point, of, colour, vertical):
    """A short line at the right edge at the predicted error floor, where a curve has come to it."""
    row, curve = point.rows.get("predicted"), of.get("predicted")
    floor = row["loss_floor"] if row else None
    if not (vertical.log and curve and curve.is_level() and not row.is_diverged and floor
            and vertical.low <= floor <= vertical.high):
        return set()
    axes.plot(FLOOR, [floor, floor], transform=axes.get_yaxis_transform(), clip_on=False,
              color=colour, linewidth=1.4, solid_capstyle="butt", zorder=4)
    return {"floor"}


def _look(source, colour, paired):
    if source == "predicted":
        return {"color": colour, "linewidth": 1.1, "zorder": 3}
    return {"color": style.darker(colour, 0.75), "linewidth": 0.0 if paired else 0.9, "marker": "o",
            "markersize": 3.4, "markeredgecolor": "white", "markeredgewidth": 0.4, "zorder": 5}


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
                                         **_look("predicted", style.INK, True)),
             "measured": lambda: Line2D([], [], label="measured",
                                        **_look("measured", style.INK, "predicted" in seen)),
             "band": lambda: Patch(color=style.INK, alpha=0.16, linewidth=0,
                                   label="lowest to highest repeat"),
             "floor": lambda: Line2D([], [], color=style.INK, linewidth=0.0, marker="_",
                                     markersize=7, markeredgewidth=1.4,
                                     label="error floor"),
             "target": lambda: Line2D([], [], color=style.INK, linewidth=0.7,
                                      linestyle=(0, (5, 2)), label="target"),
             "diverged": lambda: Line2D([], [], label="diverged", **_cross(style.INK))}
    return [look() for name, look in looks.items() if name in seen]
