# SPDX-License-Identifier: MIT
"""Figures in a page: each panel is a separate picture, so that narrow screens stack them."""

import re

from paceline.html_text import escape
from paceline.svg import key_svg, panel_svg

_HEADING = "Layer times: "
_SENTENCE = re.compile(rf"{_HEADING}.*?(?= {_HEADING}|$)", re.DOTALL)


def figures_of(drawn, section):
    """The figures of a section of the report, "" if it has none."""
    shown = "\n".join(_figure(each) for each in drawn if each.row.section == section)
    return f'<div class="figures">\n{shown}\n</div>\n' if shown else ""


def _figure(drawn):
    row, figure, caption = drawn
    kind = "broad" if figure.wide or len(figure.panels) > 1 else "single"
    panels = "\n".join(panel_svg(panel, row.title, figure.wide) for panel in figure.panels)
    panels = (f'<div class="scroll many" tabindex="0">\n{panels}\n</div>' if figure.wide else
              f'<div class="panels">\n{panels}\n</div>')
    note = f'<p class="note">{escape(figure.note)}</p>\n' if figure.note else ""
    return (f'<figure class="{kind}" id="figure-{row.name}">\n<h3>{escape(row.title)}</h3>\n'
            f"{_keys(figure.keys)}{panels}\n{note}<figcaption>{_caption(caption)}</figcaption>\n"
            "</figure>")


def _keys(keys):
    items = "\n".join(f"<li{_hides(key)}>{key_svg(key)} {escape(key.label)}</li>" for key in keys)
    return f'<ul class="keys">\n{items}\n</ul>\n' if keys else ""


def _hides(key):
    """What the key's button hides, where scripts run."""
    if key.source:
        return f' data-hides="source {escape(key.source)}"'
    return f' data-hides="colour {escape(key.colour)}"' if key.colour else ""


def _kind_of(sentence):
    """`Layer times: published.`; the page has the whole sentence under its answer."""
    kind = re.split(r" \(|: ", sentence.removeprefix(_HEADING))[0].rstrip(".")
    return f"{_HEADING}{kind}."


def _caption(caption):
    finding = f"<strong>{escape(caption.finding)}</strong> " if caption.finding else ""
    kinds = " ".join(dict.fromkeys(map(_kind_of, _SENTENCE.findall(caption.layer_times))))
    layers = f' <span class="layers">{escape(kinds)}</span>' if kinds else ""
    return f"{finding}{escape(caption.description)}{layers}"
