# SPDX-License-Identifier: MIT
"""Predicted against observed mean iteration time: on the diagonal the prediction is right.

Where nothing but throughputs was observed, these are drawn instead.
"""

import statistics

from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

import style
from comparison import OBSERVED, percentile
from series import MOST_COLOURS

BANDS = ((0.15, "#EFEFEF"), (0.05, "#DADADA"))  # the error's magnitude, the grey of its band


def draw(study):
    """The diagonal with a point per pair and the errors in the corner; below it, each error."""
    quantity = ("iteration time" if any(pair.quantity == "iteration time" for pair in study.pairs)
                else "throughput")
    pairs = [(pair, *sides) for pair in study.pairs if (sides := pair.sides(quantity))]
    if not pairs:
        return None
    values = [side for _, *sides in pairs for side in sides]
    scale, unit = (style.unit_of(values) if quantity == "iteration time"
                   else (1.0, f"{study.item}/s"))
    limits = (min(values) / scale / 1.5, max(values) / scale * 1.5)
    figure = style.new_figure(style.ONE_COLUMN, 3.9)
    diagonal, errors = figure.subplots(2, 1, sharex=True, height_ratios=(3.2, 1))
    looks = _looks(pair for pair, *_ in pairs)
    used = {source: [predicted / observed - 1 for pair, observed, predicted in pairs
                     if pair.observed["source"] == source] for source in OBSERVED}
    used = {source: found for source, found in used.items() if found}
    for pair, observed, predicted in pairs:
        mark = _mark(pair, looks)
        diagonal.plot([observed / scale], [predicted / scale], **mark)
        errors.plot([observed / scale], [100 * (predicted / observed - 1)], **mark)
    _frame_diagonal(diagonal, limits)
    _frame_errors(errors, limits)
    diagonal.set_ylabel(f"predicted {quantity} ({unit})")
    errors.set_xlabel(f"{' or '.join(used)} {quantity} ({unit})")
    diagonal.text(0.98, 0.03, "\n".join(_said(*each) for each in used.items()), ha="right",
                  va="bottom", transform=diagonal.transAxes, fontsize=6.5, linespacing=1.4)
    figure.align_ylabels()
    handles = {pair.series.label: style.series_handle(pair.series.label, *looks[id(pair.series)])
               for pair, *_ in pairs if id(pair.series) in looks and pair.series.label}
    return style.finish(figure, list(handles.values()), _source_handles(used) + _band_handles())


def _looks(pairs):
    """id of a series -> (colour, shape); {} where there are too many to tell apart."""
    found = list({id(pair.series): pair.series for pair in pairs})
    if len(found) > MOST_COLOURS:
        return {}
    return {each: (style.COLOURS[place], style.SHAPES[place]) for place, each in enumerate(found)}


def _mark(pair, looks):
    source = pair.observed["source"]
    mark = style.source_mark(source, *looks.get(id(pair.series), (style.COLOURS[0], "o")))
    if source == "measured":
        mark |= {"markersize": 4.2, "markeredgewidth": 0.5, "markeredgecolor": "white"}
    return mark


def _frame_diagonal(axes, limits):
    low, high = limits
    for share, grey in BANDS:
        axes.fill_between(limits, (low * (1 - share), high * (1 - share)),
                          (low * (1 + share), high * (1 + share)), color=grey, linewidth=0)
    axes.plot(limits, limits, color=style.INK, linewidth=0.7)
    for scale, set_limits, side in (
            (axes.set_xscale, axes.set_xlim, axes.xaxis),
            (axes.set_yscale, axes.set_ylim, axes.yaxis)):
        scale("log")
        set_limits(low, high)
        style.log_ticks(side, low, high)
    axes.tick_params(axis="x", labelbottom=False)


def _frame_errors(axes, limits):
    for share, grey in BANDS:
        axes.fill_between(limits, -100 * share, 100 * share, color=grey, linewidth=0)
    axes.axhline(0, color=style.INK, linewidth=0.7, zorder=1)
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, -17), max(high, 17))
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=(1, 2, 5, 10)))
    axes.yaxis.set_major_formatter(style.plain)
    axes.set_ylabel("error (%)")


def _said(source, errors):
    worst = 100 * max(errors, key=abs)
    return (f"{source}, n = {len(errors)}\nmedian |error| "
            f"{100 * statistics.median(map(abs, errors)):.1f} %\n"
            f"95th percentile {percentile(list(map(abs, errors)), 95) * 100:.1f} %\n"
            f"worst {worst:+.1f} %".replace("-", "\N{MINUS SIGN}"))


def _source_handles(used):
    return [style.source_handle(source) for source in used] if len(used) > 1 else []


def _band_handles():
    return [Patch(color=grey, label=f"\N{PLUS-MINUS SIGN}{100 * share:.0f} %")
            for share, grey in reversed(BANDS)]
