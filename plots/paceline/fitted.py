# SPDX-License-Identifier: MIT
"""Measured step times and fitted distributions: their densities and their tails.

Reads fit.csv (one family per line, the best first) and curves.csv (the CDFs of the times and of
each family) of a `paceline fit` folder; writes figures/fit.svg there.
"""

from collections import namedtuple

from paceline.bad_input import BadInput
from paceline.figure import Figure, size_of
from paceline.marks import line_key
from paceline.palette import SERIES
from paceline.panel import Panel
from paceline.results import csv_lines, number
from paceline.scales import Linear, Log, unit_of
from paceline.shapes import Area, Line

BINS = 40    # of the histogram
CURVE = 120  # points of a fitted density
BEST = 3     # families drawn; more would be indistinguishable

Fitted = namedtuple("Fitted", "kind times keys")  # times: number of fitted times
Curves = namedtuple("Curves", "times_s measured families")  # families: kind -> CDF at times_s


def is_fit(directory):
    """True if the folder is from `paceline fit`, not from a run."""
    return (directory / "fit.csv").is_file()


def read_fit(path):
    """The families of fit.csv in their order, as a list of Fitted."""
    lines = csv_lines(path)
    line, header = next(lines, (1, []))
    for column in Fitted._fields:
        if column not in header:
            raise BadInput(path, f"column '{column}' is missing", line)
    place = [header.index(column) for column in Fitted._fields]
    fits = []
    for line, cells in lines:
        if len(cells) != len(header):
            raise BadInput(path, f"{len(cells)} cells where the header has {len(header)}", line)
        fits.append(Fitted(*(cells[at] for at in place)))
        if not (number(fits[-1].times, "times", path, line) or 0) >= 1:
            raise BadInput(path, "column 'times': a number of times is needed", line)
    if not fits:
        raise BadInput(path, "no family")
    return fits


def read_curves(path):
    """The columns of curves.csv as Curves; times ascend, and every cell is a number."""
    lines = csv_lines(path)
    line, header = next(lines, (1, []))
    if header[:2] != ["time_s", "measured"]:
        raise BadInput(path, "the first columns are not 'time_s' and 'measured'", line)
    columns = [[] for _ in header]
    for line, cells in lines:
        if len(cells) != len(header):
            raise BadInput(path, f"{len(cells)} cells where the header has {len(header)}", line)
        for name, text, column in zip(header, cells, columns):
            value = number(text, name, path, line)
            if value is None:
                raise BadInput(path, f"column '{name}': a number is needed", line)
            column.append(value)
        if len(columns[0]) > 1 and columns[0][-1] <= columns[0][-2]:
            raise BadInput(path, "the times do not rise", line)
    if len(columns[0]) < 2:
        raise BadInput(path, "fewer than two times")
    return Curves(columns[0], columns[1], dict(zip(header[2:], columns[2:])))


def density(times_s, cdf, pieces):
    """(edges, share per second between edges) of a CDF, in about this many intervals."""
    stride = max(1, (len(times_s) - 1) // pieces)
    at = list(range(0, len(times_s) - 1, stride)) + [len(times_s) - 1]
    edges = [times_s[place] for place in at]
    return edges, [(cdf[b] - cdf[a]) / (times_s[b] - times_s[a]) for a, b in zip(at, at[1:])]


def draw(directory):
    """The figure of the best families in the order of their rank."""
    fits = read_fit(directory / "fit.csv")
    curves = read_curves(directory / "curves.csv")
    shown = [fit for fit in fits if fit.kind in curves.families][:BEST]
    looks = dict(zip((fit.kind for fit in shown), SERIES))
    unit_s, unit = unit_of(curves.times_s)
    times = [time_s / unit_s for time_s in curves.times_s]
    keys = [line_key("measured", "ink")]
    keys += [line_key(f"{rank}. {fit.kind} ({fit.keys})", looks[fit.kind])
             for rank, fit in enumerate(shown, 1)]
    return Figure([_densities(times, curves, looks, unit),
                   _tails(times, curves, looks, unit, float(fits[0].times))], keys, columns=2)


def _densities(times, curves, looks, unit):
    """A histogram of the times, and the densities of the families."""
    edges, heights = density(times, curves.measured, BINS)
    fitted = {}
    for kind in looks:
        places, each = density(times, curves.families[kind], CURVE)
        fitted[kind] = tuple(((a + b) / 2, y) for a, b, y in zip(places, places[1:], each))
    highest = max([*heights, *(y for line in fitted.values() for _, y in line)])
    panel = Panel(Linear(times[0], times[-1]), Linear(0, 1.05 * highest),
                  f"step time ({unit})", f"share of the steps per {unit}", **size_of(2))
    steps = [(edges[0], 0.0)]
    for left, right, height in zip(edges, edges[1:], heights):
        steps += [(left, height), (right, height)]
    panel.add(Area((*steps, (edges[-1], 0.0)), "grid", outline="muted"))
    panel.add(*(Line(line, looks[kind], 1.6) for kind, line in fitted.items()))
    return panel


def _tails(times, curves, looks, unit, count):
    """The share of longer steps, down to one step, below which there are no measurements."""
    least = 0.5 / count
    panel = Panel(Linear(times[0], times[-1]), Log(least, 1.0), f"step time ({unit})",
                  "share of the steps that take longer", **size_of(2))
    longer = [max(1 - share, least / 1000) for share in curves.measured]
    steps = tuple(point for at in range(len(times) - 1)
                  for point in ((times[at], longer[at]), (times[at + 1], longer[at])))
    panel.add(Line(steps, "ink", 1.2))
    for kind, colour in looks.items():
        panel.add(Line(tuple((at, max(1 - share, least / 1000))
                             for at, share in zip(times, curves.families[kind])), colour, 1.6))
    return panel
