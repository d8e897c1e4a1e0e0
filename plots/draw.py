#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the figures and the HTML report of one or several runs from their results files alone.

    python3 plots/draw.py DIR [DIR...] [-o OUTDIR]

Reads results.csv, steps.csv and manifest.json of each DIR; writes OUTDIR/figures/*.svg, *.png,
*.pdf and OUTDIR/report.html. OUTDIR is DIR unless given; several runs go to a folder beside the
first, named after them all. A DIR of `paceline fit` has fit.csv and curves.csv instead, and gets
figures/fit.*. Exit code: 0 drawn, 2 the input is wrong, 77 no Matplotlib here.
"""

import argparse
import sys
from pathlib import Path

import fit
from bad_input import BadInput
from study import Study, read_run

NO_MATPLOTLIB = ("matplotlib is not installed (apt-get install python3-matplotlib); "
                 "figures were not drawn")


def default_output(directories):
    """Where the figures go when no -o says so."""
    if len(directories) == 1:
        return directories[0]
    names = [directory.resolve().name for directory in directories]
    return directories[0].resolve().parent / "+".join(dict.fromkeys(names))


def draw_all(study, output):
    """Draws and writes everything; returns the names of the figures drawn."""
    import save  # these need Matplotlib, which need not be here to find a mistake in the input
    import style
    from figures import FIGURES
    from in_halves import draw_in_halves
    from report import report
    style.apply_style()
    drawn = draw_in_halves(study, FIGURES)
    files = {output / "figures" / f"{row.name}.{form}": content
             for row, rendered in drawn for form, content in rendered.items()}
    stale = [path for row in FIGURES for form in save.FORMATS
             if (path := output / "figures" / f"{row.name}.{form}") not in files]
    files[output / "report.html"] = report(
        study, [(row, rendered["svg"].decode()) for row, rendered in drawn]).encode(
            "utf-8", "replace")
    save.write_all(files, stale)
    return [row.name for row, _ in drawn]


def main(arguments):
    parser = argparse.ArgumentParser(prog="draw.py", description=__doc__.splitlines()[0])
    parser.add_argument("directories", metavar="DIR", nargs="+", type=Path,
                        help="folder with results.csv, steps.csv, manifest.json")
    parser.add_argument("-o", dest="output", metavar="OUTDIR", type=Path,
                        help="where to write (default: DIR)")
    chosen = parser.parse_args(arguments)
    try:
        if len(chosen.directories) == 1 and fit.is_fit(chosen.directories[0]):
            directory = chosen.directories[0]
            print(fit.draw_into(directory, chosen.output or directory))
            return 0
        study = Study([read_run(directory) for directory in chosen.directories])
        output = chosen.output or default_output(chosen.directories)
        names = draw_all(study, output)
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        if error.name not in ("matplotlib", "numpy"):
            raise
        print(NO_MATPLOTLIB, file=sys.stderr)
        return 77
    print(f"{output / 'report.html'} ({len(names)} figures: {', '.join(names) or 'none'})")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
