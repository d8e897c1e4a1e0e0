# SPDX-License-Identifier: MIT
"""Draws the figures and the HTML report of one or several runs from their results files alone.

    python3 plots/draw.py DIR [DIR...] [-o OUTDIR] [--plot svg,pdf,png]

Reads results.csv, manifest.json and the files beside them; writes OUTDIR/figures/*.svg and
OUTDIR/report.html. The default of OUTDIR is DIR; with several runs it is a folder beside the first,
named after all of them. If DIR is a folder of `paceline fit`, draw.py reads fit.csv and curves.csv
instead and writes figures/fit.*. PDF and PNG need Matplotlib. Exit code: 0 drawn, 2 the input is
wrong, 77 Matplotlib is missing.
"""

import argparse
import sys
from pathlib import Path

from paceline import d3
from paceline import fitted
from paceline.bad_input import Error
from paceline.figures import FIGURES, draw_all
from paceline.paper import render
from paceline.report import report
from paceline.save import FORMATS, write_all
from paceline.study import Study, read_run
from paceline.svg import figure_svg

NO_MATPLOTLIB = ("matplotlib is not installed, which PDF and PNG need (apt-get install "
                 "python3-matplotlib); figures were not drawn")


def default_output(directories):
    """The folder for the figures if -o is not given."""
    if len(directories) == 1:
        return directories[0]
    names = [directory.resolve().name for directory in directories]
    return directories[0].resolve().parent / "+".join(dict.fromkeys(names))


def formats_of(text):
    """The formats of `svg,pdf`."""
    formats = [each.strip() for each in text.split(",")]
    for each in formats:
        if each not in FORMATS:
            raise argparse.ArgumentTypeError(f"unknown format '{each}' (known: "
                                             f"{', '.join(FORMATS)})")
    return list(dict.fromkeys(formats))


def rendered(figure, formats, title, description):
    """format -> bytes of a figure."""
    return {form: figure_svg(figure, title, description).encode("utf-8", "replace")
            if form == "svg" else render(figure, form) for form in formats}


def draw_study(study, output, formats):
    """Draws and writes everything; returns the names of the figures drawn."""
    drawn = draw_all(study)
    files = {output / "figures" / f"{each.row.name}.{form}": content for each in drawn
             for form, content in rendered(each.figure, formats, each.row.title,
                                           each.caption.text).items()}
    stale = [path for row in FIGURES for form in FORMATS
             if (path := output / "figures" / f"{row.name}.{form}") not in files]
    files[output / "report.html"] = report(study, drawn, output).encode("utf-8", "replace")
    write_all(files, stale)
    return [each.row.name for each in drawn]


def draw_fit(directory, output, formats):
    """Draws the fit of a folder; returns the path of the first file written."""
    files = {output / "figures" / f"fit.{form}": content for form, content in rendered(
        fitted.draw(directory), formats, "Fitted distributions",
        "Measured step times and the distributions fitted to them.").items()}
    write_all(files)
    return next(iter(files))


def main(arguments):
    parser = argparse.ArgumentParser(prog="draw.py", description=__doc__.splitlines()[0])
    parser.add_argument("directories", metavar="DIR", nargs="+", type=Path,
                        help="folder with results.csv and manifest.json")
    parser.add_argument("-o", dest="output", metavar="OUTDIR", type=Path,
                        help="where to write (default: DIR)")
    parser.add_argument("--plot", dest="formats", metavar="FORMATS", type=formats_of,
                        default=["svg"], help="svg, pdf, png, or several with commas "
                        "(default: svg)")
    chosen = parser.parse_args(arguments)
    output = chosen.output or default_output(chosen.directories)
    try:
        if len(chosen.directories) == 1 and fitted.is_fit(chosen.directories[0]):
            print(draw_fit(chosen.directories[0], output, chosen.formats))
            return 0
        study = Study([read_run(directory) for directory in chosen.directories])
        names = draw_study(study, output, chosen.formats)
    except Error as error:
        print(error, file=sys.stderr)
        return 2
    except MemoryError:
        print(f"{chosen.directories[0]}: error: the results do not fit into memory",
              file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        if error.name not in ("matplotlib", "numpy"):
            raise
        print(NO_MATPLOTLIB, file=sys.stderr)
        return 77
    if d3.missing():
        print(d3.missing(), file=sys.stderr)
    print(f"{output / 'report.html'} ({len(names)} figures: {', '.join(names) or 'none'})")
    return 0
