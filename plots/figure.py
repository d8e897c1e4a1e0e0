# SPDX-License-Identifier: MIT
"""A figure: its panels, and the keys that explain their marks."""

from dataclasses import dataclass, field

from panel import HEIGHT, SMALL_HEIGHT, SMALL_WIDTH, WIDTH
from text_size import text_width

KEY_WIDTH, KEY_HEIGHT = 26, 14  # of the sample before a key's text
MOST_PANELS = 12


@dataclass(frozen=True)
class Key:
    """A line of the legend: shapes in a box of KEY_WIDTH by KEY_HEIGHT, and what they mean."""
    label: str
    shapes: tuple

    @property
    def width(self):
        return KEY_WIDTH + 6 + text_width(self.label, 11) + 14


@dataclass
class Figure:
    """`panels` are read row by row. `note` says what was left out."""
    panels: list
    keys: list = field(default_factory=list)
    note: str = ""
    columns: int = 3
    wide: bool = False  # panels that need the page's whole width, and scroll on a small screen


def size_of(count):
    """The (width, height) of each of `count` panels as keywords."""
    return ({"width": WIDTH, "height": HEIGHT} if count == 1 else
            {"width": SMALL_WIDTH, "height": SMALL_HEIGHT})


def columns_of(count):
    """How many panels stand in a row on paper."""
    return 2 if count in (2, 4) else min(count, 3)


def left_out(shown, total, noun="panels"):
    """The note of a figure that shows only some panels."""
    return f"{shown} of {total} {noun} shown" if shown < total else ""
