# SPDX-License-Identifier: MIT
"""The style of each source, the same in every figure and every key.

Theory is a thin dashed line (a bound is dotted), a prediction a line with open marks, a measurement
a filled mark with its standard error, a published figure a cross. A correct prediction is an open
mark around a filled mark or a cross.
"""

from paceline.figure import KEY_HEIGHT, KEY_WIDTH, Key
from paceline.shapes import Area, Line, Mark, box

THEORY_DASH, BOUND_DASH = (5, 3), (1.3, 2.6)
OPEN, FILLED, CROSS = 8.0, 5.0, 6.0


def add_source(panel, source, points, look, bound=False, joined=False):
    """Draws the points of one source; a point is (x, y, standard error or None, tip, its name).

    look: (colour, shape) of the series. joined: with a thin line between marks.
    """
    colour, shape = look
    line = tuple((x, y) for x, y, *_ in points)
    if source == "theory":
        kind = "bound" if bound else source
        panel.add(Line(line, colour, 1.1, BOUND_DASH if bound else THEORY_DASH, source=kind))
        if len(points) == 1:
            panel.add(Mark("dash", *line[0], colour, OPEN, tip=points[0][3], source=kind,
                           point=points[0][4]))
        return
    if source == "predicted" or joined:
        panel.add(Line(line, colour, 1.6 if source == "predicted" else 0.9, source=source))
    for x, y, error, tip, name in points:
        if error:
            panel.add(Line(((x, y - error), (x, y + error)), colour, 1.1, source=source))
        panel.add(source_mark(source, x, y, colour, shape, tip, name))


def source_mark(source, x, y, colour, shape="circle", tip="", point=""):
    """The mark of one point of a source."""
    if source == "theory":
        return Mark("bar", x, y, colour, OPEN, tip=tip, source=source, point=point)
    if source == "published":
        return Mark("x", x, y, colour, CROSS, tip=tip, source=source, point=point)
    is_open = source == "predicted"
    return Mark(shape, x, y, colour, OPEN if is_open else FILLED, not is_open, tip, source,
                point)


def source_key(source, bound=False, with_line=True, name=""):
    """The key of a source; name: instead of its own."""
    middle = KEY_HEIGHT / 2
    line = ((1, middle), (KEY_WIDTH - 1, middle))
    shapes = []
    if source == "theory" and with_line:
        shapes.append(Line(line, "ink", 1.1, BOUND_DASH if bound else THEORY_DASH))
    else:
        if source == "predicted" and with_line:
            shapes.append(Line(line, "ink", 1.6))
        shapes.append(source_mark(source, KEY_WIDTH / 2, middle, "ink"))
    return Key("theory (bound)" if bound else name or source, tuple(shapes),
               "bound" if bound else source)


def series_key(label, look):
    """The key of a series without labels at its lines."""
    return Key(label, (Mark(look[1], KEY_WIDTH / 2, KEY_HEIGHT / 2, look[0], 7.0),),
               colour=look[0])


def colour_key(label, colour, opacity=1.0, outline="", source=""):
    """The key of a coloured area: of a source, otherwise of the colour."""
    return Key(label, (Area(box(3, 2, KEY_WIDTH - 3, KEY_HEIGHT - 2), colour, opacity, outline),),
               source, "" if source else colour)


def line_key(label, colour="ink", width=1.6, dash=(), opacity=1.0, source=""):
    """The key of a line."""
    middle = KEY_HEIGHT / 2
    return Key(label, (Line(((1, middle), (KEY_WIDTH - 1, middle)), colour, width, dash, opacity),),
               source)
