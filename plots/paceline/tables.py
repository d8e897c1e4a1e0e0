# SPDX-License-Identifier: MIT
"""The report's tables: predicted and observed, every point, omitted points."""

from paceline.breakdown import PARTS, SHORT
from paceline.html_text import signed_percent, significant, table, time_text, with_spread
from paceline.points import point_name

FAR = 0.15  # larger errors are emphasised in the table


def comparison_table(study):
    """Every pair: throughputs and their error, then the times per update."""
    item = f"{study.item}/s"
    others = any(pair.quantity != "throughput" for pair in study.pairs)
    columns = [("point", True), ("against", True), (f"predicted {item}", False),
               (f"observed {item}", False), ("error", False), *([("of", True)] if others else []),
               ("predicted time per update", False), ("observed time per update", False)]
    rows = []
    for pair in study.pairs:
        kind = "far" if abs(pair.error) > FAR else ""
        given = ", given" if pair.is_given else ""
        rows.append((point_name(study, pair.series, pair.observed),
                     study.source_name(pair.observed["source"]) + given,
                     significant(pair.predicted["throughput"]), _with_spread(pair.observed),
                     (signed_percent(pair.error), kind),
                     *([pair.quantity] if others else []),
                     time_text(pair.predicted["iteration_s_mean"]),
                     time_text(pair.observed["iteration_s_mean"])))
    return table(columns, rows)


def _with_spread(row):
    text = significant(row["throughput"])
    if row["throughput"] is None or not row["throughput_stderr"]:
        return text
    return with_spread(row["throughput"], row["throughput_stderr"])


def points_table(study, most=None, explanations=None):
    """Every row that was drawn, or the first `most`, with the parts of its step; empty columns are
    left out. With `explanations` the names are links to these, and the first row of a point has
    an id."""
    columns = _columns_of_collectives(study) if study.subject == "collectives" else _columns(study)
    every = [(one, row) for one in study.series for row in _sorted_rows(one, study.axis)]
    rows = [(explanations.links(row) if explanations else point_name(study, one, row),
             *(cell(row) for _, _, cell in columns)) for one, row in every]
    named = set()
    ids = ["" if row.point in named or named.add(row.point) else f"point-{row.point}"
           for _, row in every] if explanations else ()
    more = len(rows) - most if most else 0
    note = f'<p class="note">and {more:,} more rows</p>' if more > 0 else ""
    headings = [("point", True), *((name, is_text) for name, is_text, _ in columns)]
    return table(headings, rows[:most], ids) + note


def _columns_of_collectives(study):
    return [("source", True, lambda row: study.source_name(row["source"])),
            ("time", False, lambda row: time_text(row["iteration_s_mean"])),
            *((heading, False, lambda row, name=name: _gigabytes(row[name]))
              for name, heading in (("throughput", "algbw (GB/s)"), ("busbw", "busbw (GB/s)")))]


def _gigabytes(rate):
    return significant(None if rate is None else rate / 1e9)


def _columns(study):
    columns = [("source", True, lambda row: "theory (bound)" if row.is_bound else row["source"]),
               (f"{study.item}/s", False, _with_spread),
               *_if_any(study, ("throughput_jitter", "jitter", significant)),
               *_if_any(study, ("efficiency", "efficiency", _percent)),
               ("time per update", False, lambda row: time_text(row["iteration_s_mean"])),
               ("step", False, lambda row: time_text(row["step_s_mean"])),
               *(each for column, *_ in PARTS
                 for each in _if_any(study, (column, SHORT[column], time_text))),
               *(each for column in (("injected_share", "injected share", _percent),
                                     ("server_busy", "server busy", _percent),
                                     ("staleness_mean", "staleness", significant),
                                     ("idle_share", "idle", _percent),
                                     ("wasted_share", "wasted", _percent))
                 for each in _if_any(study, column))]
    if any(row["layer_times"] for row in study.rows):
        columns.append(("layer times", True, lambda row: row["layer_times"]))
    return columns


def _if_any(study, column):
    """[(heading, is text, cell of a row)] of a column if any row has a figure in it, otherwise [].
    """
    name, heading, shown = column
    return ([(heading, False, lambda row: shown(row[name]))]
            if any(row[name] for row in study.rows) else [])


def _percent(share):
    return "\N{EN DASH}" if share is None else f"{100 * share:.1f} %"


def _sorted_rows(one, axis):
    order = ("theory", "predicted", "measured", "published")
    return sorted(one.rows, key=lambda row: (axis.value(row) or 0, order.index(row["source"])))


def skipped_table(study):
    """The rows without figures, with the reason from their status."""
    rows = []
    for row in study.skipped:
        swept = {key: text for key, text in row.swept.items()
                 if text and key != "workers" and key.split(".")[0] not in row.labels}
        what = [row.run, row["model"], row["policy"], row["aggregation"], *row.labels.values(),
                *(f"{key} {text}" for key, text in swept.items()),
                f"{row['workers']} workers"]
        words = list(dict.fromkeys(filter(None, what)))
        rows.append(((", ".join(words), "long"), row["source"], (row["status"], "long")))
    return table([("point", True), ("source", True), ("status", True)], rows)
