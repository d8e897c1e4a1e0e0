# SPDX-License-Identifier: MIT
"""The size of text: an upper estimate for every font of the stack."""

import textwrap

NARROW, WIDE = frozenset("iIjlftr.,:;|!'()[]/ -"), frozenset("mwMW%@&+=<>")
LINE = 1.25  # height of a line, in font sizes


def text_width(text, size):
    """The width of one line in pixels in DejaVu Sans, the widest of the fonts."""
    return size * sum(0.38 if each in NARROW else 0.92 if each in WIDE else
                      0.7 if each.isupper() else 0.61 for each in text)


def wrap(text, width, size):
    """The lines of a text within a width; at least one. Long words are broken."""
    return textwrap.wrap(text, max(int(width / (0.6 * size)), 4), break_long_words=True) or [""]
