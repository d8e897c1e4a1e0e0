# SPDX-License-Identifier: MIT
"""Predicted against observed mean iteration time: on the diagonal the prediction is right."""

from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

import style
from comparison import OBSERVED, summarise
from series import MOST_COLOURS

BANDS = ((0.15, "#EFEFEF"), (0.05, "#DADADA"))  # the error's magnitude, the grey of its band


def draw(study):
    """The diagonal with a point per pair and the errors in the corner; below it, each error."""
    pairs = [pair for pair in study.pairs if pair.times_s]
    if not pairs:
        return None
    times_s = [time_s for pair in pairs for time_s in pair.times_s]
    unit_s, unit = style.unit_of(times_s)
    limits = (min(times_s) / unit_s / 1.5, max(times_s) / unit_s * 1.5)
    figure = style.new_figure(style.ONE_COLUMN, 3.9)
    diagonal, errors = figure.subplots(2, 1, sharex=True, height_ratios=(3.2, 1))
    looks = _looks(pairs)
    used = [source for source in OBSERVED if any(p.observed["source"] == source for p in pairs)]
    for pair in pairs:
        observed_s, predicted_s = pair.times_s
        mark = _mark(pair, looks)
        diagonal.plot([observed_s / unit_s], [predicted_s / unit_s], **mark)
        errors.plot([observed_s / unit_s], [100 * (predicted_s / observed_s - 1)], **mark)
    _frame_diagonal(diagonal, limits, unit)
    _frame_errors(errors, limits)
    errors.set_xlabel(f"{' or '.join(used)} iteration time ({unit})")
    diagonal.text(0.98, 0.03, "\n".join(_errors(pairs, source) for source in used), ha="right",
                  va="bottom", transform=diagonal.transAxes, fontsize=6.5, linespacing=1.4)
    figure.align_ylabels()
    handles = {pair.series.label: style.series_handle(pair.series.label, *looks[id(pair.series)])
               for pair in pairs if id(pair.series) in looks and pair.series.label}
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


def _frame_diagonal(axes, limits, unit):
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
    axes.set_ylabel(f"predicted iteration time ({unit})")


def _frame_errors(axes, limits):
    for share, grey in BANDS:
        axes.fill_between(limits, -100 * share, 100 * share, color=grey, linewidth=0)
    axes.axhline(0, color=style.INK, linewidth=0.7, zorder=1)
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, -17), max(high, 17))
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=(1, 2, 5, 10)))
    axes.yaxis.set_major_formatter(style.plain)
    axes.set_ylabel("error (%)")


def _errors(pairs, source):
    chosen = [pair for pair in pairs if pair.observed["source"] == source]
    found = summarise(chosen)
    return (f"{source}, n = {found.count}\nmedian |error| {100 * found.median:.1f} %\n"
            f"worst {100 * found.worst.error:+.1f} %".replace("-", "\N{MINUS SIGN}"))


def _source_handles(used):
    return [style.source_handle(source) for source in used] if len(used) > 1 else []


def _band_handles():
    return [Patch(color=grey, label=f"\N{PLUS-MINUS SIGN}{100 * share:.0f} %")
            for share, grey in reversed(BANDS)]
