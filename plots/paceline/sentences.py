# SPDX-License-Identifier: MIT
"""Parts of the sentences that state a figure's finding in numbers."""

from paceline.scales import plain

PREFERRED = ("measured", "published", "predicted", "theory")


def best_source(rows, value):
    """The source of these rows that is closest to reality among those with values; None without."""
    found = {row["source"] for row in rows if value(row) is not None}
    return next((source for source in PREFERRED if source in found), None)


def short(value):
    """A number with three significant digits."""
    return plain(float(f"{value:.3g}"))


def percent(share):
    """`48 %`, `0.5 %`."""
    return f"{short(100 * share) if share < 0.1 else f'{100 * share:.0f}'} %"


def extremes(study, value):
    """(source, [(number, series, x, row)]) of the rows of the best source, in ascending order."""
    source = best_source([row for one in study.series for row in one.rows], value)
    found = [(value(row), one, x, row) for one in study.series
             for x, row in one.by_source.get(source, []) if value(row) is not None]
    return source, sorted(found, key=lambda each: each[0])


def at_the_end(study, value):
    """As `extremes`, of the largest position on the axis that several series reach, or any does."""
    source, found = extremes(study, value)
    counts = {}
    for _, _, x, _ in found:
        counts[x] = counts.get(x, 0) + 1
    shared = [x for x, count in counts.items() if count == max(counts.values())]
    return source, [each for each in found if shared and each[2] == max(shared)]


def of_source(source):
    """` (predicted)`; nothing for a measurement, which needs no remark."""
    return "" if source in ("measured", None) else f" ({source})"
