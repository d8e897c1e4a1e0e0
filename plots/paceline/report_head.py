# SPDX-License-Identifier: MIT
"""The head of the report: the question, its answer, the accuracy of the prediction, and the source
of the layer times."""

from paceline.html_text import escape
from paceline.manifest import text


def head(study, linked=True):
    """The part between the title and the contents; linked: in a page that has the section named."""
    questions = dict.fromkeys(text(run.manifest, "question").strip() for run in study.runs)
    pieces = [f'<p class="question">{escape(each)}</p>' for each in questions if each]
    pieces += [_box("answer", "", study.sentences("findings")),
               _trust(study)]
    if study.skipped:
        noun = "row is" if len(study.skipped) == 1 else "rows are"
        where = (', for the reasons <a href="#skipped">given below</a>.' if linked else
                 ": column status gives the reasons.")
        pieces.append(f'<p class="note">{len(study.skipped)} {noun} left out{where}</p>')
    return "\n".join(filter(None, pieces))


def _trust(study):
    """How far to trust the answer: the agreement beside the source of the layer times."""
    boxes = [_box("agreed", "Prediction against measurement", study.sentences("agreement")),
             _box("layers", "Layer times", study.sentences("layer_times"))]
    shown = "\n".join(filter(None, boxes))
    return f'<div class="trust">\n{shown}\n</div>' if shown else ""


def _box(kind, heading, sentences):
    """One paragraph per sentence; the first one is bold if it is the answer."""
    if not sentences:
        return ""
    strong = ("<strong>", "</strong>") if kind == "answer" else ("", "")
    said = [escape(each).replace(" %", "\N{NO-BREAK SPACE}%") for each in sentences]
    said = [f"<p>{strong[0]}{said[0]}{strong[1]}</p>", *(f"<p>{each}</p>" for each in said[1:])]
    title = f"<h2>{heading}</h2>\n" if heading else ""
    return f'<div class="{kind}">\n{title}' + "\n".join(said) + "\n</div>"
