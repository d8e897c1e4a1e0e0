# SPDX-License-Identifier: MIT
"""Predicted against observed throughput; correct predictions are on the diagonal.

If no throughput was observed, the mean times per update are drawn instead.
"""

import re
import statistics
from dataclasses import replace

from paceline.comparison import OBSERVED, QUANTITIES, percentile
from paceline.figure import KEY_HEIGHT, KEY_WIDTH, Figure, Key
from paceline.html_text import signed_percent
from paceline.marks import OPEN, colour_key, series_key, source_key, source_mark
from paceline.palette import SERIES
from paceline.panel import MOST_LABEL_WIDTH, Panel
from paceline.panel import SIZE as FONT
from paceline.points import point_name
from paceline.scales import Linear, Log, unit_of
from paceline.sentences import short
from paceline.series import MOST_COLOURS
from paceline.shapes import MARKS, Area, Line, Mark
from paceline.text_size import wrap

BANDS = ((0.15, "far"), (0.05, "near"))  # magnitude of the error, background of its band
SIZE, MARK = 390, 7.5
NOTE_ROOM = 0.2  # of the error panel, above the marks
MOST_LINES = 14    # of the names beside the diagonal; the largest errors come first
NAMED_FROM = 0.05  # if series outnumber colours, larger errors are named
_UNIT = re.compile(r"(\d) (\w)")  # "8 workers" stays on one line


def draw(study):
    """The diagonal with one mark per pair, each series named with its worst error; and the errors.
    """
    quantity = next((name for name, _ in QUANTITIES
                     if any(pair.quantity == name for pair in study.pairs)), None)
    pairs = [(pair, *sides) for pair in study.pairs
             if quantity and (sides := pair.sides(quantity))]
    if not pairs:
        return None
    values = [side for _, *sides in pairs for side in sides]
    scale, unit = unit_of(values) if quantity != "throughput" else (1.0, f"{study.item}/s")
    both = Log(min(values) / scale / 1.1, max(values) / scale * 1.1)
    observed = " or ".join(study.source_name(source) for source in OBSERVED
                           if any(pair.observed["source"] == source for pair, *_ in pairs))
    diagonal = Panel(both, both, f"{observed} {quantity} ({unit})",
                     f"predicted {quantity} ({unit})", width=SIZE, height=SIZE - 40)
    errors = Panel(both, _error_scale(pairs), f"{observed} {quantity} ({unit})",
                   "error of the prediction (%)", width=SIZE, height=SIZE - 40)
    for share, ground in BANDS:
        _band(diagonal, both, lambda at, by: at * by, (1 - share, 1 + share), ground)
        _band(errors, both, lambda _, by: by, (-100 * share, 100 * share), ground)
    diagonal.add(Line(((both.low, both.low), (both.high, both.high)), "muted", 1))
    errors.add(Line(((both.low, 0), (both.high, 0)), "muted", 1))
    looks = _looks(pair for pair, *_ in pairs)
    for pair, seen, said in pairs:
        place = (seen / scale, said / scale)
        tip = (f"{point_name(study, pair.series, pair.observed)}, "
               f"{study.source_name(pair.observed['source'])}: {short(place[0])} {unit}\n"
               f"predicted: {short(place[1])} "
               f"({signed_percent(said / seen - 1)})")
        diagonal.add(_mark(pair, looks, *place, tip))
        errors.add(_mark(pair, looks, place[0], 100 * (said / seen - 1), tip))
    _name_series(diagonal, pairs, looks, scale, study)
    _name_bias(errors, pairs, study)
    return Figure([diagonal, errors], _keys(pairs, looks), columns=2)


def _band(panel, scale, edge, by, ground):
    low, high = by
    panel.add(Area(((scale.low, edge(scale.low, low)), (scale.high, edge(scale.high, low)),
                    (scale.high, edge(scale.high, high)), (scale.low, edge(scale.low, high))),
                   ground))


def _error_scale(pairs):
    errors = [100 * (said / seen - 1) for _, seen, said in pairs]
    low, high = min([*errors, -17]) * 1.05, max([*errors, 17]) * 1.05
    return Linear(low, high + NOTE_ROOM * (high - low))


def _looks(pairs):
    """id of a series -> (colour, shape): distinct per series if possible, otherwise per model,
    otherwise the same for all."""
    found = {id(pair.series): pair.series for pair in pairs}
    for name in (lambda one: one.label, lambda one: one.rows[0]["model"], lambda one: ""):
        names = list(dict.fromkeys(map(name, found.values())))
        if len(names) <= MOST_COLOURS:
            return {each: (SERIES[names.index(name(one))], MARKS[names.index(name(one))])
                    for each, one in found.items()}
    return {}


def _mark(pair, looks, x, y, tip):
    colour, shape = looks[id(pair.series)]
    point = pair.observed.point
    if pair.is_given:
        return Mark("circle", x, y, "muted", OPEN - 1, False, f"{tip}, given to the prediction",
                    point=point)
    return replace(source_mark(pair.observed["source"], x, y, colour, shape, tip, point),
                   size=MARK)


def _name_series(panel, pairs, looks, scale, study):
    """Names each series at its worst point; if there are too many series, only those with a large
    error."""
    by_series = {}
    for pair, seen, said in pairs:
        if not pair.is_given:
            by_series.setdefault(id(pair.series), []).append((abs(pair.error), pair, seen, said))
    worst = [max(each, key=lambda found: found[0]) for each in by_series.values()]
    if len(worst) > MOST_COLOURS:
        worst = sorted(worst, key=lambda found: -found[0])[:MOST_COLOURS]
        worst = [each for each in worst if each[0] > NAMED_FROM]
    lines = 0
    for _, pair, seen, said in sorted(worst, key=lambda found: -found[0]):
        name = _UNIT.sub("\\1\N{NO-BREAK SPACE}\\2",
                         point_name(study, pair.series, pair.observed))
        error = signed_percent(said / seen - 1).replace(" ", "\N{NO-BREAK SPACE}")
        label = f"{name} {error}"
        lines += len(wrap(label, MOST_LABEL_WIDTH, FONT))
        if lines <= MOST_LINES:
            panel.label(said / scale, label, looks[id(pair.series)][0], seen / scale)


def _name_bias(panel, pairs, study):
    """The bias and its direction for each kind of observation."""
    said = []
    for source in OBSERVED:
        errors = [seen_as / seen - 1 for pair, seen, seen_as in pairs
                  if pair.observed["source"] == source and not pair.is_given]
        if errors:
            sizes = [abs(error) for error in errors]
            above = sum(error > 0 for error in errors)
            said.append(f"{study.source_name(source)}, {len(errors)} points: mean error "
                        f"{signed_percent(statistics.fmean(errors))},\n"
                        f"median |error| {100 * statistics.median(sizes):.1f} %, 95th percentile "
                        f"{100 * percentile(sizes, 95):.1f} %,\n{above} predicted too high, "
                        f"{len(errors) - above} too low")
    if said:
        panel.note("\n".join(said), "upper left")


def _keys(pairs, looks):
    used = [source for source in OBSERVED
            if any(pair.observed["source"] == source for pair, *_ in pairs)]
    keys = [source_key(source, with_line=False) for source in used] if len(used) > 1 else []
    keys += [colour_key(f"within \N{PLUS-MINUS SIGN}{100 * share:.0f} %", ground)
             for share, ground in reversed(BANDS)]
    models = {pair.series.rows[0]["model"]: looks[id(pair.series)] for pair, *_ in pairs}
    if 1 < len(set(looks.values())) < len(looks):  # colours stand for models
        shape = "x" if used == ["published"] else ""
        keys = [*(series_key(model, (colour, shape or mark))
                  for model, (colour, mark) in models.items()), *keys]
    if any(pair.is_given for pair, *_ in pairs):
        keys.append(Key("given to the prediction, not counted",
                        (Mark("circle", KEY_WIDTH / 2, KEY_HEIGHT / 2, "muted", OPEN - 1, False),)))
    return keys
