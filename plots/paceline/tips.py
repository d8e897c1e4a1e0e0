# SPDX-License-Identifier: MIT
"""The text shown when the pointer rests on a mark: the point's value from every source."""

from paceline.comparison import OBSERVED
from paceline.html_text import signed_percent
from paceline.points import point_name
from paceline.results import SOURCES
from paceline.scales import plain


def tip(study, one, x, row, quantity):
    """The point and its value; below, the values of the other sources, and the prediction's error.

    quantity: as in `draw_curves`.
    """
    rows = {source: each for source, each in one.at[x].items()
            if quantity.value(each) is not None} | {row["source"]: row}
    others = [f"{study.source_name(source)}: {_said(rows, source, quantity)}"
              for source in reversed(SOURCES) if source in rows and source != row["source"]]
    first = f"{point_name(study, one, row)}, {study.source_name(row['source'])}: " \
            f"{_said(rows, row['source'], quantity, f' {quantity.unit}'.rstrip())}"
    return "\n".join([first, *others])


def standard_error(row, quantity):
    """The standard error of a measured value."""
    return abs(quantity.spread(row) or 0.0) if row["source"] == "measured" else None


def _said(rows, source, quantity, unit=""):
    value, error = quantity.value(rows[source]), standard_error(rows[source], quantity)
    spread = f" \N{PLUS-MINUS SIGN} {plain(float(f'{error:.2g}'))}" if error else ""
    observed = next((quantity.value(rows[each]) for each in OBSERVED if each in rows), None)
    wrong = (f" ({signed_percent(value / observed - 1)})"
             if source == "predicted" and observed else "")
    return f"{plain(float(f'{value:.4g}'))}{spread}{unit}{wrong}"
