# SPDX-License-Identifier: MIT
"""A drawn figure as notebooks and scripts use it: SVG, PNG and PDF, with its caption."""

from collections.abc import Mapping
from pathlib import Path

from paceline.bad_input import BadInput, Error
from paceline.data_uri import data_uri
from paceline.figures import draw_all
from paceline.html_text import escape
from paceline.paper import render
from paceline.save import FORMATS, write_all
from paceline.svg import figure_svg


class Picture:
    """One figure. A notebook shows it; `save("throughput.pdf")` writes svg, pdf or png."""

    def __init__(self, drawn):
        self.name = drawn.row.name
        self.title = drawn.row.title
        self.caption = drawn.caption.text
        self._figure = drawn.figure

    def __repr__(self):
        return f"<figure {self.name}: {self.caption}>"

    @property
    def svg(self):
        """The text of an SVG file."""
        return figure_svg(self._figure, self.title, self.caption)

    @property
    def png(self):
        """The bytes of a PNG file."""
        return _rendered(self._figure, "png")

    @property
    def pdf(self):
        """The bytes of a PDF file."""
        return _rendered(self._figure, "pdf")

    def save(self, path):
        """Writes the figure; the ending of the name chooses the format."""
        path = Path(path)
        form = path.suffix[1:]
        if form not in FORMATS:
            raise BadInput(path, f"unknown format '{form}' (known: {', '.join(FORMATS)})")
        content = getattr(self, form)
        write_all({path: content.encode("utf-8") if form == "svg" else content})

    def _repr_html_(self):
        return (f'<figure style="margin:1em 0"><img src="{data_uri(self.svg)}" '
                f'alt="{escape(self.title)}" style="max-width:100%">'
                f"<figcaption>{escape(self.caption)}</figcaption></figure>")

    def _repr_png_(self):
        return self.png


class NoSuchFigure(Error, KeyError):
    """The study has no data for this figure, or there is none of this name."""

    def __str__(self):
        return self.args[0]


class Pictures(Mapping):
    """name -> Picture, for every figure with data; drawn when first needed."""

    def __init__(self, study):
        self._study = study
        self._drawn = None

    def _pictures(self):
        if self._drawn is None:
            self._drawn = {each.row.name: Picture(each) for each in draw_all(self._study)}
        return self._drawn

    def __getitem__(self, name):
        if name not in self._pictures():
            raise NoSuchFigure(f"figures: error: no figure '{name}' "
                               f"(drawn: {', '.join(self) or 'none'})")
        return self._pictures()[name]

    def __iter__(self):
        return iter(self._pictures())

    def __len__(self):
        return len(self._pictures())

    def __repr__(self):
        return f"<figures: {', '.join(self) or 'none'}>"

    def _repr_html_(self):
        return "\n".join(each._repr_html_() for each in self.values())


def _rendered(figure, form):
    try:
        return render(figure, form)
    except ModuleNotFoundError as error:
        if error.name not in ("matplotlib", "numpy"):
            raise
        raise Error("matplotlib: error: not installed (apt-get install python3-matplotlib)") \
            from None
