# SPDX-License-Identifier: MIT
"""Measured step times and the distributions fitted to them: how often a time occurs, and how many
times are longer.

Reads fit.csv (a family each, the best first) and curves.csv (the cdf of the times and of each
family) of a `paceline fit` folder; writes figures/fit.{svg,png,pdf} there.
"""

from collections import namedtuple

from bad_input import BadInput
from results import csv_lines, number

BINS = 40    # of the histogram
CURVE = 120  # points of a fitted density
BEST = 3     # families drawn: more cannot be told apart

Fitted = namedtuple("Fitted", "kind times keys")  # times: how many it was fitted to
Curves = namedtuple("Curves", "times_s measured families")  # families: kind -> cdf at times_s


def is_fit(directory):
    """Whether a folder holds a fit rather than a run."""
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
    """The columns of curves.csv as Curves; times rise, and every cell is a number."""
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
    """(edges, share per second in between) of a cdf, over about so many pieces of its times."""
    stride = max(1, (len(times_s) - 1) // pieces)
    at = list(range(0, len(times_s) - 1, stride)) + [len(times_s) - 1]
    edges = [times_s[place] for place in at]
    return edges, [(cdf[b] - cdf[a]) / (times_s[b] - times_s[a]) for a, b in zip(at, at[1:])]


def draw(directory):
    """The figure."""
    import style  # needs Matplotlib, which need not be here to find a mistake in the input
    fits = read_fit(directory / "fit.csv")
    curves = read_curves(directory / "curves.csv")
    shown = [fit for fit in fits if fit.kind in curves.families][:BEST]
    looks = dict(zip((fit.kind for fit in shown), style.COLOURS))
    unit_s, unit = style.unit_of(curves.times_s)
    times = [time_s / unit_s for time_s in curves.times_s]
    figure = style.new_figure(style.TWO_COLUMNS, 2.3)
    left, right = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2)

    edges, heights = density(times, curves.measured, BINS)
    left.stairs(heights, edges, fill=True, color=style.GRID)
    left.stairs(heights, edges, color=style.INK, linewidth=0.6)
    for fit in shown:
        edges, heights = density(times, curves.families[fit.kind], CURVE)
        middles = [(a + b) / 2 for a, b in zip(edges, edges[1:])]
        left.plot(middles, heights, color=looks[fit.kind], linewidth=1.2)
    left.set_xlabel(f"step time ({unit})")
    left.set_ylabel(f"share of the steps per {unit}")
    left.set_ylim(bottom=0)

    longer = [1 - share for share in curves.measured]
    least = 0.5 / float(fits[0].times)  # below one in all of them nothing was measured
    right.step(times, longer, where="post", color=style.INK, linewidth=0.9)
    for fit in shown:
        tail = [max(1 - share, least / 1000) for share in curves.families[fit.kind]]
        right.plot(times, tail, color=looks[fit.kind], linewidth=1.2)
    right.set_yscale("log")
    right.set_ylim(least, 1.3)
    style.log_ticks(right.yaxis, least, 1.3)
    right.set_xlabel(f"step time ({unit})")
    right.set_ylabel("share of the steps that take longer")

    from matplotlib.lines import Line2D
    handles = [Line2D([], [], color=style.INK, linewidth=0.9, label="measured")]
    handles += [Line2D([], [], color=looks[fit.kind], linewidth=1.6,
                       label=f"{fit.kind} ({fit.keys})") for fit in shown]
    return style.finish(figure, handles)


def draw_into(directory, output):
    """Draws the fit of a folder; returns the path of the SVG written."""
    import save
    import style
    style.apply_style()
    rendered = save.render(draw(directory))
    save.write_all({output / "figures" / f"fit.{form}": content
                    for form, content in rendered.items()})
    return output / "figures" / "fit.svg"
