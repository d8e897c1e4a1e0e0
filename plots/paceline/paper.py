# SPDX-License-Identifier: MIT
"""Draws figures through Matplotlib, for the formats that need it: PDF and PNG, on white."""

import io

from paceline.layout import lay_out
from paceline.palette import LIGHT, LIGHT_TEXT
from paceline.shapes import Area, Line, Text, corners_of, strokes_of

PIXELS_AN_INCH = 96
POINT = 72 / PIXELS_AN_INCH
# Without dates and versions, equal data give equal bytes.
METADATA = {"png": {"Software": None},
            "pdf": {"CreationDate": None, "Producer": None, "Creator": None}}


def render(figure, form):
    """The bytes of a figure as pdf or png."""
    import matplotlib
    from matplotlib.figure import Figure
    matplotlib.rcdefaults()
    matplotlib.rcParams.update({"pdf.fonttype": 42, "text.parse_math": False})
    width, height, placed, keys, texts = lay_out(figure)
    sheet = Figure(figsize=(width / PIXELS_AN_INCH, height / PIXELS_AN_INCH), facecolor="white")
    axes = sheet.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.axis("off")
    pen = _Pen(axes)
    for key, x, y in keys:
        pen.draw(key.shapes, x, y)
    pen.draw(texts, 0, 0)
    for panel, x, y in placed:
        drawing = panel.shapes()
        pen.draw(drawing.below + drawing.across + drawing.edge, x, y)
        pen.draw(drawing.clipped, x, y, drawing.frame)
        pen.draw(drawing.inside + drawing.above, x, y)
    stream = io.BytesIO()
    if form == "png":
        from matplotlib.backends.backend_agg import FigureCanvasAgg as Canvas
        sheet.dpi = 2 * PIXELS_AN_INCH
    else:
        from matplotlib.backends.backend_pdf import FigureCanvasPdf as Canvas
        sheet.dpi = 72
    getattr(Canvas(sheet), f"print_{form}")(stream, metadata=METADATA[form])
    return stream.getvalue()


class _Pen:
    """Adds shapes, in their order, to axes with pixels as units."""

    def __init__(self, axes):
        from matplotlib.lines import Line2D
        from matplotlib.patches import Circle, Polygon
        from matplotlib.transforms import Bbox, TransformedBbox
        self.line, self.circle, self.polygon = Line2D, Circle, Polygon
        self.box = lambda left, top, right, bottom: TransformedBbox(
            Bbox(((left, bottom), (right, top))), axes.transData)
        self.axes, self.order = axes, 0

    def draw(self, shapes, x, y, frame=None):
        clip = None
        if frame:
            left, top, right, bottom = frame
            clip = self.box(x + left, y + top, x + right, y + bottom)
        for shape in shapes:
            for artist in self._artists(shape, x, y):
                self.order += 1
                artist.set_zorder(self.order)
                self.axes.add_artist(artist)
                artist.set_clip_box(clip)
                artist.set_clip_on(clip is not None)

    def _artists(self, shape, x, y):
        colour = LIGHT[shape.colour]
        if isinstance(shape, Line):
            across, down = zip(*shape.points)
            dashes = {"dashes": [each / shape.width for each in shape.dash]} if shape.dash else {}
            return [self.line([x + each for each in across], [y + each for each in down],
                              color=colour, linewidth=POINT * shape.width, alpha=shape.opacity,
                              **dashes)]
        if isinstance(shape, Area):
            fill = self._polygon(shape.points, x, y, facecolor=colour, linewidth=0,
                                 alpha=shape.opacity)
            outline = [self._polygon(shape.points, x, y, fill=False, linewidth=POINT,
                                     edgecolor=LIGHT[shape.outline])] if shape.outline else []
            return [fill, *outline]
        if isinstance(shape, Text):
            return [self.axes.text(x + shape.x, y + shape.y, shape.text,
                                   color=LIGHT_TEXT.get(shape.colour, colour),
                                   fontsize=POINT * shape.size, va="baseline",
                                   ha={"start": "left", "middle": "center",
                                       "end": "right"}[shape.anchor],
                                   fontweight="bold" if shape.bold else "normal")]
        return self._mark(shape, colour, x, y)

    def _mark(self, mark, colour, x, y):
        strokes = strokes_of(mark)
        if strokes:
            return [self.line([x + a for a, _ in stroke], [y + b for _, b in stroke],
                              color=colour, linewidth=1.5 * POINT) for stroke in strokes]
        look = ({"facecolor": colour, "edgecolor": "white", "linewidth": 0.6 * POINT}
                if mark.filled else
                {"facecolor": "white", "edgecolor": colour, "linewidth": 1.3 * POINT})
        corners = corners_of(mark)
        if corners:
            return [self._polygon(corners, x, y, **look)]
        return [self.circle((x + mark.x, y + mark.y), mark.size / 2, **look)]

    def _polygon(self, points, x, y, **look):
        return self.polygon([(x + a, y + b) for a, b in points], closed=True, **look)
