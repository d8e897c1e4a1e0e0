# SPDX-License-Identifier: MIT
"""Makes an SVG fit for an HTML page that holds several: its ids become its own."""

import base64
import re
from xml.etree import ElementTree

_ID = re.compile(r'(\sid=")([^"]+)(")')
_LOCAL_LINK = re.compile(r'((?:xlink:)?href="#)([^"]+)(")')
_LOCAL_URL = re.compile(r'(url\(#)([^)]+)(\))')


def inline(svg, prefix, title):
    """The <svg> element alone, every id in it prefixed, named for screen readers.

    `svg` is one of our own figures, `title` is already escaped.
    """
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    for pattern in (_ID, _LOCAL_LINK, _LOCAL_URL):
        svg = pattern.sub(lambda found: f"{found[1]}{prefix}-{found[2]}{found[3]}", svg)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{title}" ', 1)


def data_uri(svg):
    """A foreign SVG as a data: address, "" where it is no SVG.

    A browser runs no script of such an image and fetches nothing for it.
    """
    try:
        root = ElementTree.fromstring(svg)
    except (ElementTree.ParseError, ValueError):
        return ""
    if root.tag != "{http://www.w3.org/2000/svg}svg":
        return ""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode("utf-8", "replace")).decode()
