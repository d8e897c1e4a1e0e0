# SPDX-License-Identifier: MIT
"""The head of the report: the question, its answer, how good the prediction is, and the source of
layer times."""

import re

from comparison import OBSERVED, summarise
from html_text import escape, signed_percent
from manifest import text
from points import point_name


def head(study):
    """Everything between the title and the contents."""
    questions = dict.fromkeys(text(run.manifest, "question").strip() for run in study.runs)
    pieces = [f'<p class="question">{escape(each)}</p>' for each in questions if each]
    pieces += [_box("answer", "", study.sentences("findings")),
               _box("agreed", "Prediction against measurement", agreement(study)),
               _box("layers", "Layer times", study.sentences("layer_times"))]
    if study.skipped:
        noun = "row is" if len(study.skipped) == 1 else "rows are"
        pieces.append(f'<p class="note">{len(study.skipped)} {noun} left out, for the reasons '
                      '<a href="#skipped">given below</a>.</p>')
    return "\n".join(filter(None, pieces))


def _box(kind, heading, sentences):
    """A paragraph per sentence, the first one in bold if it is the answer."""
    if not sentences:
        return ""
    strong = ("<strong>", "</strong>") if kind == "answer" else ("", "")
    said = [escape(each).replace(" %", "\N{NO-BREAK SPACE}%") for each in sentences]
    said = [f"<p>{strong[0]}{said[0]}{strong[1]}</p>", *(f"<p>{each}</p>" for each in said[1:])]
    title = f"<h2>{heading}</h2>\n" if heading else ""
    return f'<div class="{kind}">\n{title}' + "\n".join(said) + "\n</div>"


def agreement(study):
    """Sentences on how far the predictions are off; the manifest's, with what these leave out."""
    said = study.sentences("agreement") or _errors(study)
    told = " ".join(said)
    for pattern, sentence in ((r"\bbias|too (high|low)|\bmean [+\u2212-]", _bias(study)),
                              (r"inject", _injected(study))):
        if sentence and not re.search(pattern, told, re.IGNORECASE):
            said = [*said, sentence]
    return said


def _errors(study):
    """A sentence per kind of observation."""
    said = []
    for source in OBSERVED:
        found = summarise([pair for pair in study.pairs if pair.observed["source"] == source])
        if found:
            worst = point_name(study, found.worst.series, found.worst.observed)
            noun = "point" if found.count == 1 else "points"
            of = f" of the {found.quantity}" if found.quantity else ""
            said.append(f"Predicted against {source}, {found.count} {noun}: median error{of} "
                        f"{100 * found.median:.1f} %, 95th percentile {100 * found.p95:.1f} %, "
                        f"worst {signed_percent(found.worst.error)} ({worst}).")
    if not said and not study.rows:
        said.append("Nothing to compare: these results hold no figures.")
    return said


def _bias(study):
    found = summarise(study.pairs)
    if not found:
        return ""
    counted = [pair for pair in study.pairs if not pair.is_given]
    above = sum(pair.error > 0 for pair in counted)
    return (f"Bias: the mean signed error is {signed_percent(found.bias)}; {above} of "
            f"{found.count} points are predicted too high.")


def _injected(study):
    """The share of the time that the experiment's own delays take."""
    shares = [row["injected_share"] for row in study.rows
              if row["source"] == "measured" and row["injected_share"]]
    if not shares:
        return ""
    low, high = (f"{100 * each:.0f}" for each in (min(shares), max(shares)))
    span = f"{low} %" if low == high else f"{low} to {high} %"
    return (f"{span} of a measured step is injected delay, which is drawn alike on both clocks: "
            "its length is no achievement of the prediction.")
