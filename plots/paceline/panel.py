# SPDX-License-Identifier: MIT
"""One pair of axes and its contents; a figure has one or several.

Shapes are given in axis values and converted to pixels in `shapes`, because the space for ticks and
labels is known only then.
"""

import math
from collections import namedtuple
from dataclasses import replace

from paceline.shapes import Area, Line, Text, box
from paceline.text_size import LINE, text_width, wrap

WIDTH, HEIGHT = 380, 265           # a single panel
SMALL_WIDTH, SMALL_HEIGHT = 340, 230  # one of several
SIZE = 11.0                        # font size
MOST_LABEL_WIDTH = 130             # longer labels at the ends of lines wrap
TICK = 4
GAP = 4     # between labels of several lines
INSIDE = 9  # from the end of a line to its label within the frame
LEAST_MARGINS = 90  # beside the frame

# The shapes of a panel in the order of drawing, in pixels: heading and y axis; marks of the x axis;
# its line; lines and areas, which the frame clips; marks and texts inside it; labels beside it.
# frame: left, top, right, bottom.
Drawing = namedtuple("Drawing", "below across edge clipped inside above frame")


class Panel:
    """`x` and `y` are scales; the name of the y axis is above it, on the left. `left`: the least
    width of its tick labels, so that panels below each other can be aligned."""

    def __init__(self, x, y, x_label="", y_label="", title="", width=WIDTH, height=HEIGHT,
                 downwards=False, grid="xy", right=8, left=0):
        self.x, self.y, self.title = x, y, title
        self.x_label, self.y_label = x_label, y_label
        self.width, self.height, self.right, self.left = width, height, right, left
        self.downwards, self.grid = downwards, grid
        self.lines, self.marks, self.labels, self.notes = [], [], [], []
        self.labels_inside = []  # (left, right, middle) in pixels of the frame

    def add(self, *shapes):
        """Adds shapes. Lines and areas are clipped at the frame; marks and text outside it are
        dropped."""
        for shape in shapes:
            (self.lines if isinstance(shape, (Line, Area)) else self.marks).append(shape)

    def text(self, x, y, text, dx=0.0, dy=0.0, **look):
        """Adds text at axis values, moved by some pixels."""
        self.marks.append((Text(x, y, text, **look), dx, dy))

    def label(self, y, text, colour, x=None):
        """Names a line at its right end, outside the frame; overlapping labels move apart."""
        if text:
            self.labels.append((y, text, colour, x))

    def label_inside(self, x, y, text, colour):
        """Names a line at its end within the frame; False, and nothing is done, without room."""
        across, down = self.width - LEAST_MARGINS, self.height - LEAST_MARGINS
        left, middle = self.x.at(x) * across, self.y.at(y) * down
        right = left + INSIDE + text_width(text, SIZE)
        if not text or right > across or any(
                left < others[1] and right > others[0] and abs(middle - others[2]) < LINE * SIZE
                for others in self.labels_inside):
            return False
        self.labels_inside.append((left, right, middle))
        self.text(x, y, text, dx=INSIDE, dy=SIZE / 3, colour=colour, size=SIZE,
                  names=colour not in ("ink", "muted"))
        return True

    def note(self, text, corner="upper right"):
        """Adds a remark of one or more lines in a corner of the frame."""
        self.notes.append((text, corner))

    def shapes(self):
        """The Drawing of the panel."""
        named = [(y, wrap(text, MOST_LABEL_WIDTH, SIZE), colour, x)
                 for y, text, colour, x in self.labels]
        frame = self._frame(max((text_width(line, SIZE) for _, lines, _, _ in named
                                 for line in lines), default=0.0))
        place = _Place(self, frame)
        below = [*self._head(frame), *self._up_ticks(frame, place)]
        clipped = [replace(shape, points=tuple(place(*point) for point in shape.points))
                   for shape in self.lines]
        clipped = [shape for shape in clipped if len(shape.points) > 1]
        inside = []
        for shape in self.marks:
            shape, dx, dy = shape if isinstance(shape, tuple) else (shape, 0.0, 0.0)
            if place.is_inside(shape.x, shape.y):
                x, y = place(shape.x, shape.y)
                inside.append(replace(shape, x=x + dx, y=y + dy))
        above = _end_labels(named, frame, place)
        above += [shape for note in self.notes for shape in _corner(*note, frame)]
        left, _, right, bottom = frame
        edge = [Line(((left, bottom), (right, bottom)), "muted", 1)]
        return Drawing(below, self._across_ticks(frame, place), edge, clipped, inside, above, frame)

    def _frame(self, widest_label):
        left = max((text_width(text, SIZE - 1) for _, text in self.y.ticks), default=0)
        left = max(left, self.left) + TICK + 6
        last = text_width(self.x.ticks[-1][1], SIZE - 1) / 2 if self.x.ticks else 0
        right = self.width - (widest_label + 12 if widest_label else max(self.right, last + 2))
        top = 8 + 15 * len(self._title_lines()) + (16 if self.y_label else 0)
        bottom = self.height - (18 if self.x.ticks else 4) - (15 if self.x_label else 0)
        return left, top, right, bottom

    def _title_lines(self):
        return wrap(self.title, self.width - 20, SIZE + 0.5) if self.title else []

    def _head(self, frame):
        lines = self._title_lines()
        head = [Text(2, 13 + 15 * place, line, size=SIZE + 0.5, bold=True)
                for place, line in enumerate(lines)]
        if self.y_label:
            head.append(Text(2, 15 * len(lines) + 13, self.y_label, "muted", SIZE))
        if self.x_label:
            head.append(Text(frame[2], self.height - 3, self.x_label, "muted", SIZE, "end"))
        return head

    def _up_ticks(self, frame, place):
        left, _, right, _ = frame
        found = []
        for value, text in self.y.ticks:
            y = place(self.x.low, value)[1]
            if "y" in self.grid:
                found.append(Line(((left, y), (right, y)), "grid", 1))
            found.append(Text(left - TICK - 2, y + 3.6, text, "muted", SIZE - 1, "end"))
        return found

    def _across_ticks(self, frame, place):
        _, top, _, bottom = frame
        found = []
        at = [place(value, self.y.low)[0] for value, _ in self.x.ticks]
        shown = _with_room(at, self.x.ticks)
        for (_, text), x, is_shown in zip(self.x.ticks, at, shown):
            if "x" in self.grid and is_shown:
                found.append(Line(((x, top), (x, bottom)), "grid", 1))
            if "x" in self.grid or "y" in self.grid:
                found.append(Line(((x, bottom), (x, bottom + TICK)), "muted", 1))
            if is_shown:
                found.append(Text(x, bottom + 15, text, "muted", SIZE - 1, "middle"))
        return found


class _Place:
    """Converts axis values to pixels."""

    def __init__(self, panel, frame):
        self.panel, self.frame = panel, frame

    def __call__(self, x, y):
        left, top, right, bottom = self.frame
        up = self.panel.y.at(y)
        down = up if self.panel.downwards else 1 - up
        return (left + min(max(self.panel.x.at(x), -1.0), 2.0) * (right - left),
                top + min(max(down, -1.0), 2.0) * (bottom - top))

    def is_inside(self, x, y):
        return all(-1e-6 <= each <= 1 + 1e-6 for each in (self.panel.x.at(x), self.panel.y.at(y)))


def _with_room(places, ticks):
    """The ticks with texts that do not overlap; the ends and powers of two have priority."""
    def rank(at):
        value = ticks[at][0]
        even = value > 0 and math.log2(value).is_integer()
        return (at not in (0, len(ticks) - 1), not even, at)

    shown = []
    for at in sorted(range(len(ticks)), key=rank):
        width = text_width(ticks[at][1], SIZE - 1)
        if all(abs(places[at] - places[other])
               >= (width + text_width(ticks[other][1], SIZE - 1)) / 2 + 5 for other in shown):
            shown.append(at)
    return [at in shown for at in range(len(ticks))]


def _end_labels(named, frame, place):
    """The labels beside the frame, moved apart and connected to the ends of their lines."""
    left, top, right, bottom = frame
    step = SIZE * LINE
    wanted = sorted((min(max(place(place.panel.x.low, y)[1], top), bottom), lines, colour, x)
                    for y, lines, colour, x in named)
    heights = [step * len(lines) + (GAP if len(lines) > 1 else 0) for _, lines, _, _ in wanted]
    tops = _apart([y - height / 2 for (y, *_), height in zip(wanted, heights)], heights,
                  top - 6, bottom + 12)
    found = []
    for (y, lines, colour, x), begin, height in zip(wanted, tops, heights):
        middle = begin + step * len(lines) / 2
        end = place(x, place.panel.y.low)[0] if x is not None else right
        if abs(middle - y) > 3 or end < right - 4:
            found.append(Line(((end + 5, y), (right + 3, middle), (right + 6, middle)), colour,
                              0.8, opacity=0.6))
        found += [Text(right + 8, begin + step * (at + 0.75), line, colour, SIZE,
                       names=colour not in ("ink", "muted"))
                  for at, line in enumerate(lines)]
    return found


def _apart(tops, heights, first, last):
    """The tops of boxes, moved as little as possible to be disjoint and within the limits."""
    tops = list(tops)
    for _ in range(50):
        for at in range(1, len(tops)):
            over = tops[at - 1] + heights[at - 1] - tops[at]
            if over > 0:
                tops[at - 1] -= over / 2
                tops[at] += over / 2
        shift = max(first - tops[0], 0.0) if tops else 0.0
        if shift:
            tops[0] += shift
        if tops and tops[-1] + heights[-1] > last:
            tops[-1] = last - heights[-1]
    for at in range(1, len(tops)):
        tops[at] = max(tops[at], tops[at - 1] + heights[at - 1])
    return tops


def _corner(text, corner, frame):
    left, top, right, bottom = frame
    lines = text.split("\n")
    step = SIZE * LINE
    width = max(text_width(line, SIZE - 0.5) for line in lines)
    x, anchor = (right - 4, "end") if "right" in corner else (left + 6, "start")
    begin = top + 2 if "upper" in corner else bottom - step * len(lines) - 4
    from_x = x - width - 3 if anchor == "end" else x - 3
    found = [Area(box(from_x, begin, from_x + width + 6, begin + step * len(lines) + 2), "paper",
                  0.75)]
    return found + [Text(x, begin + step * (at + 0.8), line, size=SIZE - 0.5, anchor=anchor)
                    for at, line in enumerate(lines)]
