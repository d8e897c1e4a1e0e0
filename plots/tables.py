# SPDX-License-Identifier: MIT
"""The report's findings as text and tables: verdict, comparison, every point, points left out."""

from breakdown import PARTS
from comparison import OBSERVED, summarise
from html_text import escape, signed_percent, significant, table, time_text, with_spread
from points import point_name

SHORT = {"straggler delay": "delay", "exposed communication": "exposed comm.",
         "waiting for others": "wait"}
FAR = 0.15  # an error beyond this is set off in the table


def verdict(study):
    """One paragraph per kind of observation: how far the predictions are off."""
    said = []
    for source in OBSERVED:
        found = summarise([pair for pair in study.pairs if pair.observed["source"] == source])
        if found:
            worst = point_name(study, found.worst.series, found.worst.observed)
            noun = "point" if found.count == 1 else "points"
            of = f" of the {found.quantity}" if found.quantity else ""
            said.append(
                f"<p><strong>Predicted against {source}, {found.count} {noun}: median error{of} "
                f"{100 * found.median:.1f} %, 95th percentile {100 * found.p95:.1f} %, "
                f"worst {signed_percent(found.worst.error)}</strong> "
                f"({escape(worst)}).</p>")
    if not said:
        sources = sorted({row["source"] for row in study.rows})
        what = f"only {' and '.join(sources)} figures" if sources else "no figures"
        said.append(f"<p>Nothing to compare: these results hold {escape(what)}.</p>")
    if study.skipped:
        noun = "row is" if len(study.skipped) == 1 else "rows are"
        said.append(f'<p class="note">{len(study.skipped)} {noun} left out, for the reasons '
                    '<a href="#skipped">given below</a>.</p>')
    return "\n".join(said)


def comparison_table(study):
    """Every pair: both times, both throughputs, and the signed error."""
    columns = [("point", True), ("against", True), ("predicted time", False),
               ("observed time", False), (f"predicted {study.item}/s", False),
               (f"observed {study.item}/s", False), ("error of", True), ("error", False)]
    rows = []
    for pair in study.pairs:
        kind = "far" if abs(pair.error) > FAR else ""
        rows.append((point_name(study, pair.series, pair.observed), pair.observed["source"],
                     time_text(pair.predicted["iteration_s_mean"]),
                     time_text(pair.observed["iteration_s_mean"]),
                     significant(pair.predicted["throughput"]), _with_spread(pair.observed),
                     pair.quantity, (signed_percent(pair.error), kind)))
    return table(columns, rows)


def _with_spread(row):
    text = significant(row["throughput"])
    if row["throughput"] is None or not row["throughput_stderr"]:
        return text
    return with_spread(row["throughput"], row["throughput_stderr"])


def points_table(study):
    """Every row that was drawn, with how its step is spent."""
    parts = [(column, SHORT.get(label, label)) for column, label, _ in PARTS
             if any(row[column] for row in study.rows)]
    columns = [("point", True), ("source", True), (f"{study.item}/s", False),
               ("efficiency", False), ("iteration", False), ("step", False),
               *((label, False) for _, label in parts)]
    stale = any(row["staleness_mean"] for row in study.rows)
    if stale:
        columns.append(("staleness", False))
    shares = [(column, label) for column, label in (("idle_share", "idle"),
                                                    ("wasted_share", "wasted"))
              if any(row[column] for row in study.rows)]
    columns += [(label, False) for _, label in shares]
    rows = []
    for one in study.series:
        for row in _sorted_rows(one, study.axis):
            source = "theory (bound)" if row.is_bound else row["source"]
            rows.append((point_name(study, one, row), source, _with_spread(row),
                         _percent(row["efficiency"]),
                         time_text(row["iteration_s_mean"]), time_text(row["step_s_mean"]),
                         *(time_text(row[column]) for column, _ in parts),
                         *([significant(row["staleness_mean"])] if stale else []),
                         *(_percent(row[column]) for column, _ in shares)))
    return table(columns, rows)


def _percent(share):
    return "\N{EN DASH}" if share is None else f"{100 * share:.1f} %"


def _sorted_rows(one, axis):
    order = ("theory", "predicted", "measured", "published")
    return sorted(one.rows, key=lambda row: (axis.value(row) or 0, order.index(row["source"])))


def skipped_table(study):
    """Rows that hold no figures, with the reason their status gives."""
    rows = []
    for row in study.skipped:
        what = [row.run, row["model"], row["policy"], row["aggregation"],
                *(f"{key} {text}" for key, text in row.swept.items() if text and key != "workers"),
                f"{row['workers']} workers"]
        words = list(dict.fromkeys(filter(None, what)))
        rows.append(((", ".join(words), "long"), row["source"], (row["status"], "long")))
    return table([("point", True), ("source", True), ("status", True)], rows)
