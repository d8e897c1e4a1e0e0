# SPDX-License-Identifier: MIT
"""Assembles report.html: one self-contained page that needs no script to be read."""

import os
from pathlib import Path

from paceline import assumptions
from paceline import convergence_table
from paceline import d3
from paceline import palette
from paceline import provenance
from paceline import report_head
from paceline import step_times_table
from paceline import tables
from paceline.explanations import Explanations
from paceline.html_text import escape
from paceline.manifest import text
from paceline.report_figures import figures_of
from paceline.spans import TRACE

STYLE = Path(__file__).with_name("report.css")
SCRIPTS = [Path(__file__).with_name(f"report_{part}.js")
           for part in ("tables", "marks", "lines", "keys", "zoom")]


def report(study, drawn, output):
    """The page of a study. `drawn` is a list of Drawn; `output` is the folder of the page."""
    title = " + ".join(dict.fromkeys(_name(run) for run in study.runs))
    sections = [(name, heading, content) for name, heading, content in (
        ("answer", "Throughput and scaling", figures_of(drawn, "answer")),
        ("learning", "Learning", figures_of(drawn, "learning") + _training(study)),
        ("time", "Where the time goes", figures_of(drawn, "time") + _traces(study, output)),
        ("agreement", "Prediction against measurement" if study.pairs else "Step times",
         figures_of(drawn, "agreement") + _comparison(study) + _step_times(study)),
        ("points", "Every point", _points(study, output) if study.rows else ""),
        ("skipped", "Left out", tables.skipped_table(study) if study.skipped else ""),
        ("assumed", "What was assumed", _assumed(study))) if content]
    body = "\n".join(f'<section id="{name}">\n<h2>{heading}</h2>\n{content}\n</section>'
                     for name, heading, content in sections)
    contents = "\n".join(f'<li><a href="#{name}">{heading}</a></li>'
                         for name, heading, _ in sections)
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<meta name="color-scheme" content="light dark">\n'
            f"<title>{escape(title)}</title>\n<style>\n{STYLE.read_text(encoding='utf-8')}"
            f"{palette.style_sheet()}</style>\n</head>\n<body>\n"
            f"<header>\n<h1>{escape(title)}</h1>\n{report_head.head(study)}\n</header>\n"
            f'<nav aria-label="Contents">\n<ul>\n{contents}\n</ul>\n</nav>\n'
            f"<main>\n{body}\n</main>\n{_scripts()}</body>\n</html>\n")


def _scripts():
    """The scripts of the page; "" without D3."""
    if d3.missing():
        return ""
    own = "\n".join(path.read_text(encoding="utf-8") for path in SCRIPTS)
    return f"<script>\n{d3.modules()}\n</script>\n<script>\n{own}</script>\n"


def _name(run):
    """The experiment's name; the folder's if the manifest has none."""
    return text(run.manifest, "experiment") or run.directory.resolve().name


def _traces(study, output):
    """Links to the traces of the runs."""
    links = []
    for run in study.runs:
        if (run.directory / TRACE).is_file():
            path = os.path.relpath(run.directory / TRACE, output)
            links.append(f'<p><a href="{escape(path)}">{escape(path)}</a>: the trace of this run, '
                         "for Perfetto or chrome://tracing</p>")
    return "\n".join(links)


def _comparison(study):
    if not study.pairs:
        return ""
    given = (" Rows marked <em>given</em> calibrated the prediction and are not counted."
             if any(pair.is_given for pair in study.pairs) else "")
    return ("<h3>Point by point</h3>\n"
            '<p class="note">The error is (predicted \N{MINUS SIGN} observed) / observed, of the '
            f"throughput where one was observed, else of the time per update.{given}</p>\n"
            + tables.comparison_table(study))


def _points(study, output):
    explained = Explanations(study, output)
    return ('<p class="note">The name of a point leads to its explanation.</p>\n'
            f"{tables.points_table(study, explanations=explained)}\n<h3>Explanations</h3>\n"
            f"{explained.section()}")


def _training(study):
    if not convergence_table.trained(study):
        return ""
    summary = convergence_table.summary(study)
    return (f"<h3>Results of training</h3>\n{summary}\n"
            '<p class="note">Pairs are predicted / measured. The loss floor is the mean held-out '
            "loss of the last half of the evaluations.</p>\n"
            f"{convergence_table.convergence_table(study)}")


def _step_times(study):
    found = step_times_table.comparisons(study)
    if not found:
        return ""
    return (f"<h3>Distributions of step times</h3>\n{step_times_table.summary(study, found)}\n"
            '<p class="note">Pairs are predicted / measured. The KS distance counts where the '
            f"measured CV is at least {step_times_table.SPREAD_CV} and either side has "
            f"{step_times_table.ENOUGH_STEPS} steps; elsewhere the quantiles count.</p>\n"
            f"{step_times_table.step_times_table(study, found)}")


def _assumed(study):
    """The origin of all numbers, of every run, under the run's name if there are several."""
    pieces = []
    for at, run in enumerate(study.runs):
        mark = f"-{at + 1}" if at else ""
        parts = [("", assumptions.sources(run, mark)),
                 ("Every setting", assumptions.settings(run)),
                 (f'<span id="constants{mark}">Fitted constants</span>',
                  assumptions.constants(run)),
                 (f'<span id="machine{mark}">Machine</span>', _machine(run)),
                 ("Notes", provenance.notes(run.manifest)),
                 ("Experiment file", provenance.experiment_file(run.manifest)),
                 ("How it was run", provenance.provenance(run.manifest))]
        shown = [(f"<h3>{heading}</h3>\n" if heading else "") + part
                 for heading, part in parts if part]
        if shown and len(study.runs) > 1:
            shown.insert(0, f"<h3>{escape(_name(run))} ({escape(run.directory)})</h3>")
        pieces += shown
    return "\n".join(pieces)


def _machine(run):
    drawing = provenance.machine(run.manifest)
    name = provenance.machine_name(run.manifest)
    return f"<p>{escape(name)}</p>\n{drawing}" if drawing and name else drawing
