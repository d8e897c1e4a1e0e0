# SPDX-License-Identifier: MIT
"""A figure: its panels, and the keys that explain its marks."""

from dataclasses import dataclass, field

from paceline.panel import HEIGHT, SMALL_HEIGHT, SMALL_WIDTH, WIDTH
from paceline.text_size import text_width

KEY_WIDTH, KEY_HEIGHT = 26, 14  # pixels of the sample before a key's text
MOST_PANELS = 12


@dataclass(frozen=True)
class Key:
    """A line of the legend: a sample in a box of KEY_WIDTH by KEY_HEIGHT, and its meaning: the
    shapes of a source or of a colour, or "" for neither."""
    label: str
    shapes: tuple
    source: str = ""
    colour: str = ""

    @property
    def width(self):
        return KEY_WIDTH + 6 + text_width(self.label, 11) + 14


@dataclass
class Figure:
    """`panels` are in reading order, row by row. `note` names omissions. `finding`: a sentence that
    opens the caption."""
    panels: list
    keys: list = field(default_factory=list)
    note: str = ""
    columns: int = 3
    wide: bool = False  # panels as wide as the page, which scroll on a small screen
    finding: str = ""


def size_of(count):
    """The width and height of each of `count` panels, as keyword arguments."""
    return ({"width": WIDTH, "height": HEIGHT} if count == 1 else
            {"width": SMALL_WIDTH, "height": SMALL_HEIGHT})


def columns_of(count):
    """The number of panels per row on paper."""
    return 2 if count in (2, 4) else min(count, 3)


def left_out(shown, total, noun="panels"):
    """The note of a figure that omits some panels."""
    return f"{shown} of {total} {noun} shown" if shown < total else ""
