# SPDX-License-Identifier: MIT
"""Positions of the panels and the keys of a figure on one sheet."""

import math

from paceline.figure import KEY_HEIGHT, KEY_WIDTH
from paceline.shapes import Text

GAP, MARGIN, KEY_LINE = 18, 8, 18


def lay_out(figure):
    """(width, height, [(panel, x, y)], [(key, x, y)], [Text]) of a figure, in pixels."""
    columns = 1 if figure.wide else min(figure.columns, len(figure.panels))
    width = math.ceil(2 * MARGIN + sum(max(panel.width for panel in figure.panels[at::columns])
                                       for at in range(columns)) + GAP * (columns - 1))
    keys, texts, y = _keys(figure.keys, width)
    placed = []
    for first in range(0, len(figure.panels), columns):
        row, x = figure.panels[first:first + columns], MARGIN
        for panel in row:
            placed.append((panel, x, y))
            x += panel.width + GAP
        y += max(panel.height for panel in row) + GAP
    y -= GAP - MARGIN
    if figure.note:
        y += 14
        texts.append(Text(width - MARGIN, y - 4, figure.note, "muted", 10, "end"))
    return width, math.ceil(y), placed, keys, texts


def _keys(keys, width):
    """The keys in as many lines as needed, their texts, and the upper edge of the panels."""
    placed, texts, x, y = [], [], MARGIN, MARGIN
    for key in keys:
        if x > MARGIN and x + key.width > width - MARGIN:
            x, y = MARGIN, y + KEY_LINE
        placed.append((key, x, y))
        texts.append(Text(x + KEY_WIDTH + 6, y + KEY_HEIGHT - 3, key.label))
        x += key.width
    return placed, texts, y + (KEY_LINE + 4 if keys else 0)
