# SPDX-License-Identifier: MIT
"""All functions that put text and figures into the page; all text passes `escape`."""

import html
import math


MANY_COLUMNS = 4  # wider tables do not fit on a small screen
LARGE = 200       # rows of a table that a browser lays out when it comes into view
ROW = 31          # pixels of a row


def escape(text):
    """Text made safe between tags and inside quotes."""
    return html.escape(str(text), quote=True)


def signed_percent(share):
    """`+3.2 %`, with a true minus sign."""
    text = f"{100 * share:+.1f} %".replace("-0.0 ", "+0.0 ")
    return text.replace("-", "\N{MINUS SIGN}")


def time_text(time_s):
    """A time with three significant digits in a suitable unit; a dash if unknown."""
    if time_s is None:
        return "\N{EN DASH}"
    for seconds, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "\N{MICRO SIGN}s"), (1e-9, "ns")):
        if abs(time_s) >= 0.9995 * seconds:
            return f"{significant(time_s / seconds)} {unit}"
    return "0"  # less than a nanosecond is rounding


def significant(value):
    """Three significant digits, but at least the whole integer part; a dash for None."""
    if value is None:
        return "\N{EN DASH}"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:#.3g}".rstrip(".")


def with_spread(value, spread):
    """`232.0 +/- 1.9`: two significant digits of the spread, and the value to the same decimal."""
    places = max(0, 1 - math.floor(math.log10(abs(spread))))
    return f"{value:,.{places}f} \N{PLUS-MINUS SIGN} {spread:,.{places}f}"


def table(columns, rows, ids=()):
    """An HTML table; columns are (heading, is text); cells are escaped here.

    A cell may be a (text, class) pair, or a list of links (address, text). ids: of each row, or "".
    """
    head = "".join(f'<th{_class("text" if is_text else "")}>{escape(name)}</th>'
                   for name, is_text in columns)
    body = "\n".join(f"<tr{_id(name)}>{_cells(columns, row)}</tr>"
                     for row, name in zip(rows, ids or [""] * len(rows)))
    many = " many" if len(columns) > MANY_COLUMNS else ""
    large = (f' style="content-visibility:auto;contain-intrinsic-height:auto {ROW * len(rows)}px"'
             if len(rows) > LARGE else "")
    return (f'<div class="wide{many}" tabindex="0"{large}><table>\n<thead><tr>{head}</tr></thead>\n'
            f"<tbody>\n{body}\n</tbody>\n</table></div>")


def _cells(columns, row):
    cells = []
    for (_, is_text), cell in zip(columns, row):
        text, kind = cell if isinstance(cell, tuple) else (cell, "")
        kind = " ".join(filter(None, ("text" if is_text else "", kind)))
        shown = _links(text) if isinstance(text, list) else escape(text)
        cells.append(f"<td{_class(kind)}>{shown}</td>")
    return "".join(cells)


def _links(links):
    return " ".join(f'<a href="{escape(address)}">{escape(text)}</a>' for address, text in links)


def _id(name):
    return f' id="{escape(name)}"' if name else ""


def _class(kind):
    return f' class="{kind}"' if kind else ""


def definitions(pairs):
    """A <dl> of the pairs with a non-empty value."""
    rows = "\n".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>"
                     for name, value in pairs if value not in ("", None))
    return f"<dl>\n{rows}\n</dl>" if rows else ""
