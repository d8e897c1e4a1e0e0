#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the drawing of 20 and of 1,600 points and the size of their reports, and, with Chromium,
the time until a report can be used: from the request to the second frame after its scripts. Medians
of five, alternating with the drawing of another plots/ folder if one is given.

    python3 tests/plots/time_drawing.py [DIR...] [--against PLOTS]

DIR: results folders (default: the tests' samples). Exit code 1: a goal was missed.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from browser import Browser, find
from sample import write_many, write_quickstart

PLOTS = Path(__file__).resolve().parents[2] / "plots"
TIMES = 5
# points from which it holds -> (MB, seconds of drawing, seconds until it can be used)
GOALS = {0: (1, 3.0, 1.0), 100: (4, 8.0, 1.0)}
FRAMES = ("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => "
          "done(performance.now() / 1000))))")


def measure(plots, directory, output, browser):
    """(MB, seconds of drawing, seconds until usable or None)."""
    began_s = time.monotonic()
    subprocess.run([sys.executable, "-B", plots / "draw.py", directory, "-o", output], check=True,
                   stdout=subprocess.DEVNULL)
    drawn_s = time.monotonic() - began_s
    page = output / "report.html"
    if browser:
        browser.open(page)
    return page.stat().st_size / 1e6, drawn_s, browser.run(FRAMES) if browser else None


def report(plots, measured, points):
    """Prints the medians; returns whether they meet the goals."""
    goals = GOALS[max(each for each in GOALS if each <= points)]
    medians = [statistics.median(each) for each in zip(*measured) if None not in each]
    said = ", ".join(f"{value:.2f} {unit} (goal {goal:g})" for value, unit, goal in zip(
        medians, ("MB", "s to draw", "s until it can be used"), goals))
    print(f"{plots}, {points:,} rows: {said}")
    return all(value < goal for value, goal in zip(medians, goals))


def compare(folders, plots, browser):
    """True if this folder's drawing meets all goals."""
    good = True
    for directory in folders:
        rows = len((directory / "results.csv").read_text(encoding="utf-8").splitlines()) - 1
        with tempfile.TemporaryDirectory() as output:
            found = {each: [] for each in plots}
            for _ in range(TIMES):
                for each in plots:
                    found[each].append(measure(each, directory, Path(output), browser))
        met = {each: report(each, measured, rows) for each, measured in found.items()}
        good &= met[PLOTS]
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", metavar="DIR", nargs="*", type=Path)
    parser.add_argument("--against", metavar="PLOTS", type=Path)
    chosen = parser.parse_args()
    plots = [*filter(None, [chosen.against]), PLOTS]
    with tempfile.TemporaryDirectory() as folder:
        folders = chosen.folders
        if not folders:
            folders = [Path(folder) / "quickstart", Path(folder) / "many"]
            write_quickstart(folders[0])
            write_many(folders[1])
        if not find():
            return 0 if compare(folders, plots, None) else 1
        with Browser() as browser:
            return 0 if compare(folders, plots, browser) else 1


if __name__ == "__main__":
    sys.exit(main())
