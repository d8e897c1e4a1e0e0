# SPDX-License-Identifier: MIT
"""The results of one or several runs, for scripts and notebooks."""

from functools import cached_property
from pathlib import Path

from paceline import data_frames, tables
from paceline.bad_input import Error
from paceline.html_text import escape
from paceline.manifest import text
from paceline.picture import Pictures
from paceline.report_head import head
from paceline.study import Study, read_run

MOST_LINES = 40  # of the table that a notebook shows


class Results:
    """Tables and figures of the results. Tables are pandas', see `paceline.data_frames`.

    results: a line per point and source. comparison: predicted against observed. steps, step_times,
    curves, staleness: what the CSV files of these names hold. manifest: where they come from.
    figures: name -> figure.
    """

    def __init__(self, directories):
        data_frames.pandas()  # a clear error now, not at the first table
        self._study = Study([read_run(each) for each in directories])
        self.directories = [run.directory for run in self._study.runs]
        self.name = " + ".join(dict.fromkeys(
            text(run.manifest, "experiment") or run.directory.resolve().name
            for run in self._study.runs))
        self.question = " ".join(dict.fromkeys(
            text(run.manifest, "question").strip() for run in self._study.runs))
        self.findings = self._study.sentences("findings")
        self.agreement = self._study.sentences("agreement")
        self.figures = Pictures(self._study)

    @cached_property
    def results(self):
        return data_frames.results_table(self._study.runs)

    @cached_property
    def comparison(self):
        return data_frames.comparison_table(self._study)

    @cached_property
    def steps(self):
        return data_frames.steps_table(self._study.runs)

    @cached_property
    def step_times(self):
        return data_frames.step_times_table(self._study.runs)

    @cached_property
    def curves(self):
        return data_frames.curves_table(self._study.runs)

    @cached_property
    def staleness(self):
        return data_frames.staleness_table(self._study.runs)

    @cached_property
    def manifest(self):
        return data_frames.manifest_table(self._study.runs)

    def __repr__(self):
        lines = [f"<results of {self.name}: {len(self._study.rows)} rows, "
                 f"{', '.join(map(str, self.directories))}>", self.question, *self.findings]
        return "\n".join(filter(None, lines))

    def _repr_html_(self):
        return (f"<h3>{escape(self.name)}</h3>\n{head(self._study, linked=False)}\n"
                f"{tables.points_table(self._study, MOST_LINES) if self._study.rows else ''}")

    def _repr_png_(self):
        return next(iter(self.figures.values())).png if self.figures else None


def load(*directories):
    """The results in a folder; several folders are compared in one table and one figure."""
    if not directories:
        raise Error("load: error: a results folder is needed, such as results/quickstart")
    for each in directories:
        if not isinstance(each, (str, Path)):
            raise Error(f"load: error: a folder is needed, not {type(each).__name__}")
    return Results(directories)
