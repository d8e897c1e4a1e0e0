# SPDX-License-Identifier: MIT
"""Draws series of one point each: one row per series, with its name above its values.

Used if no number varies along an axis (policies or stragglers compared at one number of workers),
where curves of one point would overlap.
"""

from paceline.figure import Figure, left_out
from paceline.marks import source_key, source_mark
from paceline.panel import WIDTH, Panel
from paceline.palette import SERIES
from paceline.results import SOURCES
from paceline.scales import Linear, Log
from paceline.shapes import Line
from paceline.text_size import wrap
from paceline.tips import standard_error, tip

MOST_ROWS = 40
ROW = 34        # pixels
LOG_FROM = 20.0  # a larger range of values gets a logarithmic axis


def draw_dots(study, drawn, quantity):
    """The figure of these series; `quantity` is as in `draw_curves`."""
    value = quantity.value
    shown = drawn[:MOST_ROWS]
    values = [value(row) for one in shown for points in one.by_source.values()
              for _, row in points if value(row) is not None]
    panel = Panel(_across(values), Linear(0, len(shown)), quantity.label, grid="x",
                  height=40 + ROW * len(shown), downwards=True)
    panel.y.ticks = []
    used = set()
    for place, one in enumerate(shown):
        if len(shown) > 1:
            panel.text(panel.x.low, place + 0.4, wrap(one.label, WIDTH - 20, 11)[0], dx=2)
        for source in SOURCES:
            for at, row in one.by_source.get(source, []):
                if value(row) is not None:
                    _draw(panel, place + 0.7, row, quantity, tip(study, one, at, row, quantity))
                    used.add((source, row.is_bound and source == "theory"))
    keys = [source_key(source, bound, False, study.source_name(source)) for source in SOURCES
            for bound in (False, True) if (source, bound) in used]
    return Figure([panel], keys, left_out(len(shown), len(drawn), "rows"))


def _draw(panel, y, row, quantity, said):
    x, error = quantity.value(row), standard_error(row, quantity)
    if error:
        panel.add(Line(((x - error, y), (x + error, y)), SERIES[0], 1.1, source=row["source"]))
    panel.add(source_mark(row["source"], x, y, SERIES[0], tip=said,
                          point=row.point))


def _across(values):
    low, high = min(values), max(values)
    if low > 0 and high > LOG_FROM * low:
        return Log(low, high)
    return Linear(min(0, low), high * 1.02 or 1.0, to_ticks=True)
