# SPDX-License-Identifier: MIT
"""How much room text takes: an upper estimate that holds for every font of the stack."""

import textwrap

NARROW, WIDE = frozenset("iIjlftr.,:;|!'()[]/ -"), frozenset("mwMW%@&+=<>")
LINE = 1.25  # the height of a line, in font sizes


def text_width(text, size):
    """The width of one line of text in pixels, as in DejaVu Sans, the widest of the fonts."""
    return size * sum(0.38 if each in NARROW else 0.92 if each in WIDE else
                      0.7 if each.isupper() else 0.61 for each in text)


def wrap(text, width, size):
    """The lines of a text that fit into a width; at least one, and a long word is broken."""
    return textwrap.wrap(text, max(int(width / (0.6 * size)), 4), break_long_words=True) or [""]
