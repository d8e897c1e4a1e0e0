# SPDX-License-Identifier: MIT
"""Convergence: the held-out loss against time or updates, and the accuracy.

Repeats are drawn as their median; in panels with few curves, also as a band from the lowest to the
highest. Time is logarithmic, so equal speedups are equal distances.
"""

import math
from collections import namedtuple
from dataclasses import replace

from paceline.figure import (KEY_HEIGHT, KEY_WIDTH, MOST_PANELS, Figure, Key, columns_of,
                             left_out, size_of)
from paceline.html_text import signed_percent
from paceline.marks import colour_key, line_key
from paceline.panel import Panel
from paceline.points import evenly, name_of
from paceline.scales import Linear, Log, unit_of
from paceline.sentences import short
from paceline.shapes import Area, Line, Mark
from paceline.training_curves import ACCURACY, LOSS, TIME, UPDATES, join_repeats, value_at
from paceline.training_panels import arrange, curve_points

SOURCES = ("predicted", "measured")
MARKS_A_CURVE = 7
CROWD = 3              # panels with more curves have no bands
LOG_LOSS_FROM = 10.0   # a larger fall of the loss gets a logarithmic axis
LOG_FROM = 8.0         # the same for the horizontal axis: end / first evaluation
MOST_DECADES = 4
TOP = 2.0              # the frame ends at this multiple of the highest first loss
ALIKE = 0.03           # curves within this relative difference coincide
FLOOR = 0.95           # start of an error floor, as a share of the panel's width
BAND, TARGET_DASH = 0.16, (6, 3)


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
    arranged = arrange(study, [point for point, _ in curves.values()])
    everything, alike = _without_alike(arranged.parted, curves)
    parted = evenly(everything, MOST_PANELS)
    every = [curve for _, of in curves.values() for curve in of.values()]
    unit_s, unit = (1.0, "") if along is UPDATES else unit_of(curve.x[-1] for curve in every)
    label = f"{along.label} ({unit})" if unit else along.label
    across, up = _across(every, unit_s), _upwards(every, upwards)
    panels, seen = [], set()
    for title, members in parted:
        panel = Panel(across, up, label, upwards.label, title, **size_of(len(parted)))
        for name, point in members:
            of = {source: _scaled(curve, unit_s) for source, curve in curves[id(point)][1].items()}
            look = _Look(arranged.colours[name], arranged.opacities.get(name, 1.0),
                         len(members) <= CROWD)
            seen |= _draw_point(panel, point, of, look, name_of(study, point))
            if upwards is LOSS:
                seen |= _draw_floor(panel, point, of, look)
            _label(panel, name, of, arranged.colours[name])
        seen |= _draw_targets(panel, [point for _, point in members], upwards)
        panels.append(panel)
    fainter = f"fainter lines: smaller {study.axis.label}" if arranged.opacities else ""
    notes = [fainter, alike, left_out(len(parted), len(everything))]
    return Figure(panels, _keys(seen), "; ".join(filter(None, notes)), columns_of(len(panels)))


def _without_alike(parted, curves):
    """(the panels whose curves differ, a note on the others); all if all are alike.

    With one worker most policies are the same.
    """
    names = [title for title, members in parted
             if _coincide([curves[id(point)][1] for _, point in members])]
    if not names or len(names) == len(parted):
        return parted, ""
    return ([(title, members) for title, members in parted if title not in names],
            f"not drawn, as all curves coincide: {'; '.join(names)}")


def _coincide(members):
    """True if several points have predictions, or else measurements, within ALIKE of each other."""
    source = next((each for each in SOURCES if all(each in of for of in members)), None)
    if len(members) < 2 or source is None:
        return False
    of = [each[source] for each in members]
    end = min(curve.x[-1] for curve in of)
    places = [x for x in of[0].x if max(curve.x[0] for curve in of) <= x <= end]
    values = [[value_at(curve.x, curve.middle, x) for curve in of] for x in places]
    return bool(places) and end > 0.5 * max(curve.x[-1] for curve in of) and all(
        max(each) - min(each) <= ALIKE * abs(max(each)) for each in values)


def _scaled(curve, unit_s):
    return type(curve)([x / unit_s for x in curve.x], curve.low, curve.middle, curve.high)


def _across(curves, unit_s):
    """The axis that all panels share."""
    high = max(curve.x[-1] for curve in curves) / unit_s
    firsts = [x / unit_s for curve in curves for x in curve.x[:2] if x > 0]
    if firsts and high > LOG_FROM * min(firsts):
        return Log(max(min(firsts), high / 10 ** MOST_DECADES), high)
    return Linear(0.0, 1.02 * high or 1.0, 4)


def _upwards(curves, upwards):
    """The vertical scale. A diverged loss is cut off, since it would compress all other curves."""
    values = [value for curve in curves for value in curve.low + curve.high]
    highest = max(values)
    if upwards is ACCURACY:
        return Linear(0, 101)
    highest = min(highest, TOP * max(curve.high[0] for curve in curves)) or highest
    positive = [value for value in values if value > 0]
    if positive and highest > LOG_LOSS_FROM * min(positive):
        return Log(max(min(positive), highest * 1e-8), highest)  # less is rounding
    return Linear(min(0.0, min(values)), highest * 1.05 or 1.0)


# with_band: the panel has room for the band of the repeats
_Look = namedtuple("_Look", "colour opacity with_band")


def _draw_point(panel, point, of, look, name):
    """Draws the curves of a point; returns the names of the keys used."""
    seen, colour = set(), look.colour
    for source, curve in of.items():
        if panel.x.is_log:
            curve = curve.cut_at(panel.x.low)
        if curve.high != curve.low and look.with_band:
            panel.add(Area((*zip(curve.x, curve.low), *reversed(list(zip(curve.x, curve.high)))),
                           colour, BAND, source="band"))
            seen.add("band")
        line = tuple(zip(curve.x, curve.middle))
        if source == "predicted" or len(of) == 1:
            panel.add(Line(line, colour, 1.6 if source == "predicted" else 1.0,
                           opacity=look.opacity, tip=name, source=source,
                           point=point.rows[source].point))
        if source == "measured":
            panel.add(*(Mark("circle", *line[at], colour, 5.0, source=source,
                             tip=_tip(name, *line[at], of.get("predicted")),
                             point=point.rows[source].point)
                        for at in _spread(panel.x, curve.x, MARKS_A_CURVE)))
        seen.add(source)
        if point.rows[source].is_diverged:
            at, high = curve.end_below(panel.y.high, *(math.log if scale.is_log else float
                                                       for scale in (panel.x, panel.y)))
            panel.add(Mark("x", at, min(high, panel.y.high), colour, 9.0, tip=f"{name}, diverged",
                           source="diverged"))
            seen.add("diverged")
    return seen


def _tip(name, x, measured, predicted):
    """The measured value, and below it the prediction for the same x with its error."""
    said = f"{name}, measured: {short(measured)}"
    if predicted and measured and predicted.x[0] <= x <= predicted.x[-1]:
        value = value_at(predicted.x, predicted.middle, x)
        said += f"\npredicted: {short(value)} ({signed_percent(value / measured - 1)})"
    return said


def _spread(scale, x, most):
    """The indices of at most `most` positions, spread evenly along the axis.

    Excludes the left edge of a logarithmic axis, where a line enters without an evaluation.
    """
    at = {place: scale.at(each) for place, each in enumerate(x)
          if not scale.is_log or each > scale.low}
    if len(at) <= most:
        return list(at)
    low, high = min(at.values()), max(at.values())
    wanted = [low + (high - low) * step / most for step in range(most)]
    return sorted({min(at, key=lambda place: abs(at[place] - each)) for each in wanted})


def _label(panel, name, of, colour):
    """Names the point at the end of its line, if the end is inside the frame."""
    curve = of.get("predicted") or next(iter(of.values()))
    panel.label(min(curve.middle[-1], panel.y.high), name, colour, curve.x[-1])


def _draw_floor(panel, point, of, look):
    """A short line at the right edge at the predicted error floor, if a curve has reached it."""
    row, curve = point.rows.get("predicted"), of.get("predicted")
    floor = row["loss_floor"] if row else None
    if not (panel.y.is_log and curve and curve.is_level() and not row.is_diverged and floor
            and panel.y.low <= floor <= panel.y.high):
        return set()
    low, high = panel.x.low, panel.x.high
    begin = low * (high / low) ** FLOOR if panel.x.is_log else low + FLOOR * (high - low)
    panel.add(Line(((begin, floor), (high, floor)), look.colour, 3, opacity=look.opacity,
                   source="floor"))
    return {"floor"}


def _draw_targets(panel, points, upwards):
    """A thin line for each target; returns {"target"} if there is one."""
    targets = {float(found[1]) for point in points for row in point.rows.values()
               if (found := upwards.target.match(row["target"])) and _is_number(found[1])}
    for target in sorted(targets):
        panel.add(Line(((panel.x.low, target), (panel.x.high, target)), "ink", 1, TARGET_DASH,
                       source="target"))
    return {"target"} if targets else set()


def _is_number(text):
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _keys(seen):
    middle = (KEY_WIDTH / 2, KEY_HEIGHT / 2)
    looks = {"predicted": line_key("predicted"),
             "measured": Key("measured", (Mark("circle", *middle, "ink", 5.0),)),
             "band": colour_key("lowest to highest repeat", "ink", BAND),
             "floor": line_key("error floor", width=3),
             "target": line_key("target", width=1, dash=TARGET_DASH),
             "diverged": Key("diverged", (Mark("x", *middle, "ink", 9.0),))}
    return [replace(key, source=name, colour="") for name, key in looks.items() if name in seen]
