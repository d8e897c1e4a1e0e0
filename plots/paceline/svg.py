# SPDX-License-Identifier: MIT
"""Writes figures as SVG: text remains text, colours come from a style sheet, no element has an id.
"""

import json
from html import escape

from paceline.figure import KEY_HEIGHT, KEY_WIDTH
from paceline.layout import lay_out
from paceline.palette import style_sheet
from paceline.shapes import Area, Line, Mark, Text, corners_of, strokes_of


def figure_svg(figure, title, description):
    """A whole figure with its legend as a separate file; white or dark by the reader's setting."""
    width, height, placed, keys, texts = lay_out(figure)
    pieces = [f'<rect width="{width}" height="{height}" class="f-paper"/>']
    for key, x, y in keys:
        pieces.append(f'<g transform="translate({_n(x)} {_n(y)})">{_shapes(key.shapes)}</g>')
    pieces += [_shape(text) for text in texts]
    pieces += [f'<g transform="translate({_n(x)} {_n(y)})">{_panel(panel.shapes(), _plain)}</g>'
               for panel, x, y in placed]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" class="figure" role="img">\n'
            f"<title>{escape(title)}</title>\n<desc>{escape(description)}</desc>\n"
            f"<style>\n{style_sheet()}</style>\n" + "\n".join(pieces) + "\n</svg>\n")


def panel_svg(panel, title, zooms=False):
    """One panel as an element of a page that contains the style sheet.

    zooms: with the groups and the axis that a script needs to stretch it.
    """
    name = escape(f"{title}: {panel.title}" if panel.title else title)
    drawing = panel.shapes()
    left, top, right, bottom = drawing.frame
    axis = (panel.x.low, panel.x.high, left, right, top, bottom)
    across = f' data-across="{" ".join(f"{each:.6g}" for each in axis)}"' if zooms else ""
    if any(isinstance(shape, Line) and shape.tip for shape in drawing.clipped):
        across += f' data-axes="{escape(_axes(panel, drawing.frame))}"'
    return (f'<svg class="figure" role="img" aria-label="{name}" '
            f'viewBox="0 0 {panel.width} {panel.height}" width="{panel.width}" '
            f'height="{panel.height}"{across}>{_panel(drawing, _group if zooms else _plain)}</svg>')


def _axes(panel, frame):
    """Each axis as [low, high, 1 if logarithmic, label, pixel of low, pixel of high]."""
    left, top, right, bottom = frame
    return json.dumps([[float(f"{scale.low:.6g}"), float(f"{scale.high:.6g}"), int(scale.is_log),
                        label, round(begin, 2), round(end, 2)]
                       for scale, label, begin, end in ((panel.x, panel.x_label, left, right),
                                                        (panel.y, panel.y_label, bottom, top))])


def key_svg(key):
    """The sample of a key, placed before its text in a page."""
    return (f'<svg class="figure" aria-hidden="true" viewBox="0 0 {KEY_WIDTH} {KEY_HEIGHT}" '
            f'width="{KEY_WIDTH}" height="{KEY_HEIGHT}">{_shapes(key.shapes)}</svg>')


def _panel(drawing, group):
    """group(name, text): the part of a panel that a script changes."""
    left, top, right, bottom = drawing.frame
    frame = (f'x="{_n(left)}" y="{_n(top)}" width="{_n(right - left)}" '
             f'height="{_n(bottom - top)}"')
    view = f'viewBox="{_n(left)} {_n(top)} {_n(right - left)} {_n(bottom - top)}"'
    clipped = _shapes(drawing.clipped)
    clipped = (f'<svg {frame} {view} overflow="hidden">{group("stretched", clipped)}</svg>'
               if clipped else "")
    return (_shapes(drawing.below) + group("across", _shapes(drawing.across))
            + _shapes(drawing.edge) + clipped + group("inside", _shapes(drawing.inside))
            + _shapes(drawing.above))


def _plain(_, text):
    return text


def _group(name, text):
    return f'<g class="{name}">{text}</g>'


def _shapes(shapes):
    return "".join(map(_shape, shapes))


def _n(value):
    """A number with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _tip(shape):
    return f"<title>{escape(shape.tip)}</title>" if getattr(shape, "tip", "") else ""


def _of(shape):
    of = f' data-of="{shape.source}"' if shape.source else ""
    point = getattr(shape, "point", "")
    return of + (f' data-point="{point}"' if point else "")


def _shape(shape):
    return _WRITERS[type(shape)](shape)


def _points(points):
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in points)


def _thinned(points):
    """The points, without those within a third of a pixel of the previous one."""
    kept = [points[0]]
    for point in points[1:-1]:
        if abs(point[0] - kept[-1][0]) + abs(point[1] - kept[-1][1]) > 0.35:
            kept.append(point)
    return kept + [points[-1]]


def _line(line):
    dash = f' stroke-dasharray="{" ".join(map(_n, line.dash))}"' if line.dash else ""
    opacity = f' opacity="{_n(line.opacity)}"' if line.opacity < 1 else ""
    return _close("polyline", f'points="{_points(_thinned(line.points))}" fill="none"{_of(line)} '
                  f'class="s-{line.colour}" stroke-width="{_n(line.width)}" '
                  f'stroke-linejoin="round"{dash}{opacity}', _tip(line))


def _area(area):
    outline = f" s-{area.outline}" if area.outline else ""
    opacity = f' fill-opacity="{_n(area.opacity)}"' if area.opacity < 1 else ""
    return _close("polygon", f'points="{_points(area.points)}"{_of(area)} '
                  f'class="f-{area.colour}{outline}"{opacity}', _tip(area))


def _mark(mark):
    look = (f'class="f-{mark.colour} s-paper" stroke-width="0.6"' if mark.filled else
            f'class="f-paper s-{mark.colour}" stroke-width="1.3"') + _of(mark)
    strokes = strokes_of(mark)
    if strokes:
        path = "".join(f"M{_n(a)} {_n(b)}L{_n(c)} {_n(d)}" for (a, b), (c, d) in strokes)
        return _close("path", f'd="{path}" class="s-{mark.colour}" stroke-width="1.5"'
                      f"{_of(mark)}", _tip(mark))
    corners = corners_of(mark)
    if corners:
        return _close("polygon", f'points="{_points(corners)}" {look}', _tip(mark))
    return _close("circle", f'cx="{_n(mark.x)}" cy="{_n(mark.y)}" r="{_n(mark.size / 2)}" {look}',
                  _tip(mark))


def _text(text):
    anchor = f' text-anchor="{text.anchor}"' if text.anchor != "start" else ""
    bold = ' font-weight="600"' if text.bold else ""
    bold += f' data-names="{text.colour}"' if text.names else ""
    return (f'<text x="{_n(text.x)}" y="{_n(text.y)}" class="f-{text.colour}" '
            f'font-size="{_n(text.size)}"{anchor}{bold}>{escape(text.text, quote=False)}</text>')


def _close(tag, attributes, content):
    return f"<{tag} {attributes}>{content}</{tag}>" if content else f"<{tag} {attributes}/>"


_WRITERS = {Line: _line, Area: _area, Mark: _mark, Text: _text}
