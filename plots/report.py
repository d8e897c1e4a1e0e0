# SPDX-License-Identifier: MIT
"""Assembles report.html: one page that needs nothing but itself."""

from pathlib import Path

import convergence_table
import provenance
import step_times_table
import tables
from html_text import escape
from inline_svg import inline
from manifest import text

STYLE = Path(__file__).with_name("report.css")


def report(study, drawn):
    """The page of a study; `drawn` is a list of (row of the table of figures, SVG text)."""
    title = " + ".join(dict.fromkeys(_name(run) for run in study.runs))
    sections = [
        ("figures", "Figures", _figures(drawn)),
        ("comparison", "Predicted and observed", _comparison(study)),
        ("convergence", "Convergence", _convergence(study)),
        ("step-times", "Step-time distribution", _step_times(study)),
        ("points", "Every point", tables.points_table(study) if study.rows else ""),
        ("skipped", "Left out", tables.skipped_table(study) if study.skipped else ""),
        ("machine", "Machine", _per_run(study, _machine)),
        ("provenance", "Where this came from",
         _per_run(study, lambda run: provenance.provenance(run.manifest))),
        ("experiment", "Experiment file",
         _per_run(study, lambda run: provenance.experiment_file(run.manifest)))]
    body = "\n".join(f'<section id="{name}">\n<h2>{heading}</h2>\n{content}\n</section>'
                     for name, heading, content in sections if content)
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(title)}</title>\n"
            f"<style>\n{STYLE.read_text(encoding='utf-8')}</style>\n</head>\n<body>\n"
            f"<header>\n<h1>{escape(title)}</h1>\n{_questions(study)}\n"
            f'<div class="verdict">\n{tables.verdict(study)}\n</div>\n</header>\n'
            f"<main>\n{body}\n</main>\n</body>\n</html>\n")


def _name(run):
    """The experiment's name; the folder's where the manifest does not say."""
    return text(run.manifest, "experiment") or run.directory.resolve().name


def _questions(study):
    questions = dict.fromkeys(text(run.manifest, "question").strip() for run in study.runs)
    return "\n".join(f'<p class="question">{escape(each)}</p>' for each in questions if each)


def _figures(drawn):
    """Figures of one column stand side by side, those of two across the page."""
    shown = "\n".join(_figure(row, svg) for row, svg in drawn)
    return f'<div class="figures">\n{shown}\n</div>' if shown else ""


def _figure(row, svg):
    title = escape(row.title)
    width = float(svg.split('width="', 1)[1].split("pt", 1)[0])  # points, as Matplotlib writes it
    kind = "two" if width > 400 else "one"
    return (f'<figure class="{kind}" id="figure-{row.name}">\n<h3>{title}</h3>\n'
            f"{inline(svg, row.name, title)}\n<figcaption>{escape(row.caption)}</figcaption>\n"
            f"</figure>")


def _comparison(study):
    if not study.pairs:
        return ""
    return ('<p class="note">The error is (predicted \N{MINUS SIGN} observed) / observed, of the '
            "mean iteration time where one was observed, else of the throughput.</p>\n"
            + tables.comparison_table(study))


def _convergence(study):
    if not convergence_table.trained(study):
        return ""
    return (f"{convergence_table.summary(study)}\n"
            '<p class="note">The difference is (predicted \N{MINUS SIGN} measured) / measured. '
            "Pairs are predicted / measured. The loss floor is the mean held-out loss of the last "
            f"half of the evaluations.</p>\n{convergence_table.convergence_table(study)}")


def _step_times(study):
    found = step_times_table.comparisons(study)
    if not found:
        return ""
    return (f"{step_times_table.summary(study, found)}\n"
            '<p class="note">Pairs are predicted / measured. The KS distance counts where the '
            f"measured CV is at least {step_times_table.SPREAD_CV} and either side has "
            f"{step_times_table.ENOUGH_STEPS} steps; elsewhere the quantiles do.</p>\n"
            f"{step_times_table.step_times_table(study, found)}")


def _machine(run):
    drawing = provenance.machine(run.manifest)
    name = text(run.manifest, "machine")
    return f"<p>{escape(name)}</p>\n{drawing}" if drawing and name else drawing


def _per_run(study, content):
    """The content of every run that has some, under the run's name where there are several."""
    pieces = []
    for run in study.runs:
        piece = content(run)
        if piece and len(study.runs) > 1:
            piece = f"<h3>{escape(_name(run))} ({escape(run.directory)})</h3>\n{piece}"
        pieces.append(piece)
    return "\n".join(filter(None, pieces))
