# SPDX-License-Identifier: MIT
"""Tidy pandas tables of runs: one observation a line, one quantity a column, SI units.

Columns have the names of the CSV files. Every table has `point`, the number of the point in its
run, and `source`; with several runs all have `run`, the name of the folder.
"""

from paceline.bad_input import Error
from paceline.results import COUNTS, NUMBERS, SWEPT, TEXT, number_points
from paceline.steps import Step


def pandas():
    """The module; Error if it is missing. `paceline plot` works without it."""
    try:
        import pandas as module
    except ModuleNotFoundError:
        raise Error("pandas: error: not installed (apt-get install python3-pandas)") from None
    return module


def results_table(runs):
    """One line per point and source: the columns of results.csv, `swept.KEY` at the end.

    Swept numbers are numbers; quantities with a unit stay text. Columns of mappings are split:
    `swept.update.kind`.
    """
    lines = []
    for run in runs:
        for point, row in zip(number_points(run.rows), run.rows):
            cells = {**_head(runs, run), "point": point,
                     **{name: row[name] for name in (*TEXT, *COUNTS, *NUMBERS)}}
            lines.append(cells | {SWEPT + key: text for key, text in row.swept.items()})
    table = pandas().DataFrame(lines)
    for column in table:
        if column in COUNTS:
            table[column] = table[column].astype("Int64")
        elif column in NUMBERS:
            table[column] = table[column].astype("float64")
        elif column.startswith(SWEPT):
            table[column] = _swept(table[column])
    return table


def steps_table(runs):
    """One line per step of a worker: the first steps of each point (steps.csv)."""
    lines = [(*_head(runs, run).values(), *step) for run in runs for step in run.steps]
    return pandas().DataFrame(lines, columns=[*_head(runs, runs[0]), *Step._fields])


def step_times_table(runs):
    """One line per quantile of the distribution of step times (step_times.csv)."""
    return _joined(runs, "step_times", ("steps", "mean_s", "cv", "share", "step_s"),
                   lambda times: [(times.steps, times.mean_s, times.cv, share, step_s)
                                  for share, step_s in zip(times.shares, times.step_s)])


def curves_table(runs):
    """One line per evaluation during training (curves.csv)."""
    return _joined(runs, "evaluations",
                   ("repeat", "updates", "time_s", "items", "loss", "accuracy"),
                   lambda repeats: [(repeat, *each) for repeat, evaluations in enumerate(repeats)
                                    for each in evaluations])


def staleness_table(runs):
    """One line per staleness: how many gradients had it (staleness.csv)."""
    return _joined(runs, "staleness", ("staleness", "gradients"), lambda counts: counts.items())


def comparison_table(study):
    """One line per point with a prediction and an observation, with the error of the prediction.

    error is (predicted - observed) / observed of `quantity`. Points that calibrated the prediction
    are marked as given.
    """
    lines = []
    columns = {"throughput": "throughput", "time per update": "iteration_s_mean"}
    at = {id(row): (run, point) for run in study.runs
          for point, row in zip(number_points(run.rows), run.rows)}
    for pair in study.pairs:
        run, point = at[id(pair.observed)]
        name = columns[pair.quantity]
        lines.append({**_head(study.runs, run), "point": point, "source": pair.observed["source"],
                      "series": pair.series.label, "workers": pair.observed["workers"],
                      "quantity": name, "predicted": pair.predicted[name],
                      "observed": pair.observed[name], "error": pair.error,
                      "given": pair.is_given})
    return pandas().DataFrame(lines, columns=[
        *_head(study.runs, study.runs[0]), "point", "source", "series", "workers", "quantity",
        "predicted", "observed", "error", "given"])


def manifest_table(runs):
    """One line per entry of the manifest, indexed by its dotted key; lists stay lists."""
    lines = [{**_head(runs, run), "key": key, "value": value}
             for run in runs for key, value in _flat(run.manifest)]
    return pandas().DataFrame(lines, columns=[*_head(runs, runs[0]), "key", "value"]) \
        .set_index("key")


def _head(runs, run):
    """The name of the run if there are several."""
    return {"run": run.directory.resolve().name} if len(runs) > 1 else {}


def _joined(runs, attribute, columns, records):
    """The records that the rows of a run hold in an attribute, after their point and source."""
    names = [*_head(runs, runs[0]), "point", "source", *columns]
    lines = [(*_head(runs, run).values(), point, row["source"], *record)
             for run in runs for point, row in zip(number_points(run.rows), run.rows)
             if (held := getattr(row, attribute)) for record in records(held)]
    return pandas().DataFrame(lines, columns=names)


def _swept(column):
    """Numbers if all given texts of a swept key are numbers; blanks are missing."""
    blank = column == ""
    numbers = pandas().to_numeric(column.mask(blank), errors="coerce")
    if blank.all() or numbers[~blank].isna().any():
        return column
    whole = (numbers[~blank] % 1 == 0).all()
    return numbers.astype("Int64" if whole else "float64")


def _flat(entries, prefix=""):
    for key, value in entries.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
