# SPDX-License-Identifier: MIT
"""The shapes of figures. Positions are in pixels from the upper left; colours are names.

A tip is the text that a browser shows when the pointer rests on the shape. `source` is that of the
figures a shape shows, or "bound" or "ideal": a page can hide the shapes of a source. `point` is the
name in a page of the point that a shape shows.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """A line through points; `dash` is a list of lengths of dashes and gaps."""
    points: tuple
    colour: str
    width: float = 1.5
    dash: tuple = ()
    opacity: float = 1.0
    tip: str = ""
    source: str = ""
    point: str = ""


@dataclass(frozen=True)
class Area:
    """A filled polygon, with an outline if it has an outline colour."""
    points: tuple
    colour: str
    opacity: float = 1.0
    outline: str = ""
    tip: str = ""
    source: str = ""
    point: str = ""


@dataclass(frozen=True)
class Mark:
    """A mark of about `size` pixels: filled, or open with the background inside."""
    shape: str  # one of MARKS, "cross", "bar" or "x"
    x: float
    y: float
    colour: str
    size: float = 6.0
    filled: bool = True
    tip: str = ""
    source: str = ""
    point: str = ""


@dataclass(frozen=True)
class Text:
    """One line of text on its baseline; anchor: start, middle or end."""
    x: float
    y: float
    text: str
    colour: str = "ink"
    size: float = 11.0
    anchor: str = "start"
    bold: bool = False
    names: bool = False  # the name of all shapes of its colour


MARKS = ("circle", "square", "triangle", "diamond", "down", "plus", "pentagon")
_CORNERS = {"square": ((-.45, -.45), (.45, -.45), (.45, .45), (-.45, .45)),
            "triangle": ((0, -.6), (.55, .42), (-.55, .42)),
            "down": ((0, .6), (.55, -.42), (-.55, -.42)),
            "diamond": ((0, -.62), (.55, 0), (0, .62), (-.55, 0)),
            "plus": ((-.18, -.55), (.18, -.55), (.18, -.18), (.55, -.18), (.55, .18), (.18, .18),
                     (.18, .55), (-.18, .55), (-.18, .18), (-.55, .18), (-.55, -.18),
                     (-.18, -.18)),
            "pentagon": ((0, -.55), (.52, -.17), (.32, .45), (-.32, .45), (-.52, -.17))}
_STROKES = {"x": (((-.5, -.5), (.5, .5)), ((-.5, .5), (.5, -.5))),
            "cross": (((-.5, -.5), (.5, .5)), ((-.5, .5), (.5, -.5))),
            "bar": (((0, -.8), (0, .8)),),
            "dash": (((-.8, 0), (.8, 0)),)}


def corners_of(mark):
    """The polygon of a mark; None for a circle and for marks made of strokes."""
    return tuple((mark.x + mark.size * x, mark.y + mark.size * y)
                 for x, y in _CORNERS[mark.shape]) if mark.shape in _CORNERS else None


def strokes_of(mark):
    """The strokes of a mark that consists of lines, otherwise ()."""
    return tuple(tuple((mark.x + mark.size * x, mark.y + mark.size * y) for x, y in stroke)
                 for stroke in _STROKES.get(mark.shape, ()))


def box(left, top, right, bottom):
    """The corners of a rectangle."""
    return ((left, top), (right, top), (right, bottom), (left, bottom))
