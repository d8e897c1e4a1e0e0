# SPDX-License-Identifier: MIT
"""How every figure looks: type, colours, the mark of each source, ticks, legends above the axes.

Sizes are inches as printed: one column is 3.4 wide, two are 7.0. Matplotlib's own DejaVu Sans is
used, so that the same data give the same bytes on every machine.
"""

import math
import textwrap

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter, MaxNLocator, NullLocator

ONE_COLUMN = 3.4
TWO_COLUMNS = 7.0
MOST_PANELS = 18
MOST_SMALL_PANELS = 20  # five rows of four: two thirds of a page
SMALL_PANEL = 1.1       # inches high

# Okabe and Ito's palette for all kinds of colour vision, without its yellow (too faint for lines).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#4D4D4D")
SHAPES = ("o", "s", "^", "D", "v", "P", "p")
INK = "#333333"
GRID = "#E3E3E3"

# Ticks of a logarithmic axis that spans fewer than so many decades.
LOG_STEPS = ((0.45, (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)), (1.1, (1, 1.5, 2, 3, 5, 7)),
             (2.2, (1, 2, 5)), (4.0, (1, 3)))

ENERGY = ((3.6e9, "MWh"), (3.6e6, "kWh"), (3.6e3, "Wh"), (1.0, "J"))
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "\N{MICRO SIGN}s"), (1e-9, "ns"))


def apply_style():
    """Sets Matplotlib's parameters; whatever the user's own matplotlibrc says is set aside."""
    matplotlib.rcdefaults()
    matplotlib.rcParams.update({
        "font.family": "DejaVu Sans", "font.size": 7.5, "axes.titlesize": 7.5,
        "axes.labelsize": 7.5, "xtick.labelsize": 7, "ytick.labelsize": 7, "legend.fontsize": 7,
        "axes.edgecolor": INK, "axes.labelcolor": INK, "text.color": INK, "xtick.color": INK,
        "ytick.color": INK, "axes.linewidth": 0.6, "axes.spines.top": False,
        "axes.spines.right": False, "axes.axisbelow": True, "axes.grid": True,
        "grid.color": GRID, "grid.linewidth": 0.5, "xtick.major.width": 0.6,
        "ytick.major.width": 0.6, "xtick.major.size": 2.5, "ytick.major.size": 2.5,
        "legend.frameon": False, "legend.handlelength": 2.0, "legend.columnspacing": 1.2,
        "legend.handletextpad": 0.5, "legend.borderpad": 0.0, "legend.labelspacing": 0.35,
        "hatch.linewidth": 0.5, "text.parse_math": False,
        "svg.fonttype": "path", "svg.hashsalt": "paceline",
        "pdf.fonttype": 42})


def new_figure(width, height):
    """An empty figure whose axes arrange themselves."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def grid_of(count):
    """(rows, columns) of panels that are read one by one."""
    columns = 2 if count == 4 else min(count, 3)
    return math.ceil(count / columns), columns


def small_grid_of(count):
    """(rows, columns) of small multiples: shapes to be compared at a glance."""
    columns = 3 if count in (5, 6, 9) else min(count, 4)
    return math.ceil(count / columns), columns


def panel_title(axes, title, columns):
    """A title over a panel, on as many lines as the panel's width asks for."""
    size = 6.8 if columns > 3 else 7.5
    width = int(810 / size) // columns
    axes.set_title("\n".join(textwrap.wrap(title, width, break_long_words=True)), fontsize=size)


def shared_labels(figure, x, y, shown, total, which="the first "):
    """One label for all the panels' axes, which says when not all panels could be shown."""
    if shown < total:
        x += f" ({which}{shown} of {total} panels)"
    figure.supxlabel(x, fontsize=7.5)
    figure.supylabel(y, fontsize=7.5)


def shades(count):
    """So many colours in order, dark to light: viridis without its yellow, as in print."""
    scale = matplotlib.colormaps["viridis"]
    return [scale(0.85 * place / max(count - 1, 1))[:3] for place in range(count)]


def darker(colour, by=0.62):
    """The colour mixed with black."""
    return tuple(by * part for part in matplotlib.colors.to_rgb(colour))


def lighter(colour, by=0.5):
    """The colour mixed with white."""
    return tuple(1 - by * (1 - part) for part in matplotlib.colors.to_rgb(colour))


def source_mark(source, colour=INK, shape="o", bound=False):
    """Line2D properties of a source: the same in every figure and every legend.

    Theory is a thin line without marks, a prediction a line with open marks, a measurement a filled
    mark, a published figure a cross; so a hit shows as a filled mark or a cross in an open one.
    """
    if source == "theory":
        return {"color": darker(colour, 0.45), "linewidth": 0.8, "marker": "",
                "dashes": (1, 1.6) if bound else (4.5, 2), "zorder": 4}
    if source == "predicted":
        return {"color": colour, "linewidth": 1.5, "marker": shape, "markersize": 6.2,
                "markerfacecolor": "white", "markeredgewidth": 1.0, "zorder": 3}
    if source == "measured":
        return {"color": colour, "linestyle": "", "marker": shape, "markersize": 3.2, "zorder": 5}
    return {"color": darker(colour, 0.8), "linestyle": "", "marker": "x", "markersize": 4.2,
            "markeredgewidth": 1.1, "zorder": 6}


def source_handle(source, bound=False):
    """The legend's sample of a source."""
    return Line2D([], [], label="theory (bound)" if bound else source,
                  **source_mark(source, bound=bound))


def series_handle(label, colour, shape):
    """The legend's sample of a series: its colour, and its mark's shape."""
    label = "\n".join(textwrap.wrap(label, 46))
    label = f" {label}" if label.startswith("_") else label  # Matplotlib hides what begins with _
    return Line2D([], [], label=label, color=colour, linewidth=2.2, marker=shape, markersize=4.2)


def finish(figure, *legends):
    """Puts the legends above the axes, one row block each, and fixes the layout once for all."""
    width, height = figure.get_size_inches()
    blocks = [_legend(figure, handles) for handles in legends if handles]
    heights = [block.get_window_extent().height / figure.dpi for block in blocks]
    gap = 0.06
    extra = sum(heights) + gap * (len(blocks) + 1) if blocks else 0.0
    figure.set_size_inches(width, height + extra)
    top = 1.0
    for block, block_height in zip(blocks, heights):
        top -= gap / (height + extra)
        block.set_bbox_to_anchor((0.5, top), transform=figure.transFigure)
        top -= block_height / (height + extra)
    figure.get_layout_engine().set(rect=(0, 0, 1, height / (height + extra)))
    for block in blocks:
        block.set_in_layout(False)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


def _legend(figure, handles):
    """A legend in as few rows as the figure's width allows."""
    widest = figure.get_size_inches()[0] * figure.dpi * 0.98
    for rows in range(1, len(handles) + 1):
        columns = math.ceil(len(handles) / rows)
        block = figure.legend(handles=_down_columns(handles, columns), ncol=columns,
                              loc="upper center", borderaxespad=0.0)
        if columns == 1 or block.get_window_extent().width <= widest:
            return block
        block.remove()
    return None


def _down_columns(handles, columns):
    """Matplotlib fills a legend column by column; this order makes it read row by row."""
    return [handle for column in range(columns) for handle in handles[column::columns]]


def unit_of(values, units=UNITS):
    """(size, name) of the unit in which the largest of these values (times in s) reads best."""
    largest = max(values, default=1.0)
    for size, name in units:
        if largest >= 0.9999 * size:
            return size, name
    return units[-1]


def few_ticks():
    """Ticks of a linear axis in a small panel."""
    return MaxNLocator(5, steps=(1, 2, 2.5, 5, 10))


def plain(value, _=None):
    """A tick's text: 0.05, 20, 1,500 - never 1e3."""
    if value == 0:
        return "0"
    if abs(value) >= 1:
        text = f"{value:,.0f}" if value == round(value) else f"{value:,.4g}"
    else:
        text = f"{value:.6f}".rstrip("0") if abs(value) >= 1e-5 else f"{value:.0e}"
    return text.replace("-", "\N{MINUS SIGN}")


def labels_with_room(places, values, room):
    """The values as text, "" where a label would touch another; powers of two go first."""
    def rank(at):
        return (not math.log2(values[at]).is_integer() if values[at] > 0 else True, at)

    told = []
    for at in sorted(range(len(values)), key=rank):
        if all(abs(places[at] - places[other]) >= room for other in told):
            told.append(at)
    return [plain(value) if at in told else "" for at, value in enumerate(values)]


def ticks_at(axis, values):
    """Ticks of a log2 axis at the values that occur, labelled where there is room."""
    values = sorted(values)
    places = [math.log2(value) for value in values]
    axis.set_major_locator(FixedLocator(values))
    axis.set_major_formatter(FixedFormatter(
        labels_with_room(places, values, (places[-1] - places[0]) / 9)))
    axis.set_minor_locator(NullLocator())


def log_ticks(axis, low, high):
    """Ticks of a log10 axis at round values, as dense as the span allows, written out in full."""
    decades = math.log10(high / low)
    steps = next((steps for most, steps in LOG_STEPS if decades < most), (1,))
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    powers = range(first, last + 1, math.ceil(decades / 8))
    values = [step * 10.0 ** power for power in powers for step in steps]
    axis.set_major_locator(FixedLocator([v for v in values if low <= v * 1.0001 and v <= high]))
    axis.set_major_formatter(FuncFormatter(plain))
    axis.set_minor_locator(NullLocator())
