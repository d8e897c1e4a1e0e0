# SPDX-License-Identifier: MIT
"""Turns figures into bytes, and bytes into files: every file is written whole, or not at all."""

import io
import os

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG

from bad_input import BadInput

FORMATS = ("svg", "png", "pdf")
# No dates and no versions: the same data give the same bytes.
METADATA = {"svg": {"Date": None, "Creator": None},
            "png": {"Software": None},
            "pdf": {"CreationDate": None, "Producer": None, "Creator": None}}


CANVASES = {"svg": FigureCanvasSVG, "png": FigureCanvasAgg, "pdf": FigureCanvasPdf}


def render(figure):
    """format -> bytes of one Matplotlib figure, whose layout is fixed.

    Each canvas is asked itself: `savefig` would draw everything once more, for the layout.
    """
    drawn, dpi = {}, figure.dpi
    for form in FORMATS:
        stream = io.BytesIO()
        figure.dpi = 300 if form == "png" else 72
        getattr(CANVASES[form](figure), f"print_{form}")(stream, metadata=METADATA[form])
        drawn[form] = stream.getvalue()
    figure.dpi = dpi
    return drawn


def write_all(files, stale=()):
    """Writes {path: bytes} under temporary names, then renames them all; removes stale files."""
    written = []
    try:
        for path, content in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = path.with_name(f".{path.name}.{os.getpid()}")
            written.append(temporary)
            temporary.write_bytes(content)
        for path, temporary in zip(files, written):
            os.replace(temporary, path)
        for path in stale:
            path.unlink(missing_ok=True)
    except OSError as error:
        for temporary in written:
            temporary.unlink(missing_ok=True)
        raise BadInput(path, f"cannot be written ({error.strerror})") from None
