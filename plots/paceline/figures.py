# SPDX-License-Identifier: MIT
"""The table of figures. A new figure is one file with a `draw(study)` and one row here."""

import re
from collections import namedtuple

from paceline import agreement
from paceline import breakdown
from paceline import bandwidth
from paceline import convergence
from paceline import convergence_finding
from paceline import efficiency
from paceline import iteration
from paceline import ratio
from paceline import staleness
from paceline import step_times
from paceline import streams
from paceline import throughput
from paceline import time_to_target
from paceline import timeline
from paceline import utilisation

# section: its place in the report. draw(study): a Figure or None. The caption opens with a finding:
# the sentence of the run's findings with the pattern `finding`, otherwise said(study) or the
# figure's own. subject: what it is drawn of; None: of all.
Row = namedtuple("Row", "name section title caption draw finding subject said",
                 defaults=(None, "training", None))
Drawn = namedtuple("Drawn", "row figure caption")



class Caption(namedtuple("Caption", "finding description layer_times")):
    """The finding shown by a figure, reading instructions, and the source of the layer times."""

    @property
    def text(self):
        return " ".join(filter(None, self))


REPEATS = ("Several repeats are drawn as their median, where few curves share a panel in a band "
           "from the lowest to the highest.")

FIGURES = (
    Row("bus_bandwidth", "answer", "Bus bandwidth",
        "Bytes that each rank's link must carry, whatever the algorithm, over the time: the busbw "
        "of nccl-tests. It can be compared with the links' bandwidth.", bandwidth.draw_bus,
        subject="collectives", said=bandwidth.finding_of_bus),
    Row("collective_time", "answer", "Time of a collective",
        "From the last rank's begin to the last rank's end.", bandwidth.draw_time,
        subject="collectives", said=bandwidth.finding_of_time),
    Row("throughput", "answer", "Throughput",
        "Items per second whose gradients were applied. Bars on measured marks are standard "
        "errors; the jitter of single updates is in the table of every point.", throughput.draw,
        r"fastest|faster|speedup|/sec"),
    Row("efficiency", "answer", "Scaling efficiency",
        "Speedup over the point with the fewest workers, as a share of perfect scaling. Error bars "
        "hold the standard error of that base too. Above 100 % the base is slower per worker than "
        "the point: measured too low, delayed longer by chance, or with more contention.",
        efficiency.draw, r"efficien"),
    Row("ratio", "answer", "What waiting costs",
        "Time that sync takes to process a number of samples, over the time that async takes for "
        "as many: throughput of async over throughput of sync.", ratio.draw, said=ratio.finding),
    Row("time_to_target", "answer", "Time to target",
        "Time until the held-out loss or accuracy first reached the target. Points that never "
        "reached it are not drawn.", time_to_target.draw, r"target",
        said=time_to_target.finding),
    Row("cost_to_target", "answer", "Cost to target",
        "The machine's price for the time to the target.", time_to_target.draw_cost,
        said=time_to_target.finding_of_cost),
    Row("energy_to_target", "answer", "Energy to target",
        "Power draw of the GPUs under load times the time to the target.",
        time_to_target.draw_energy, said=time_to_target.finding_of_energy),
    Row("breakdown", "time", "How a step is spent",
        "A worker's mean step as shares; its time, in worker-seconds per mini-batch begun, stands "
        "beside each bar. Communication is counted only where it delayed a worker. Injected "
        "delay is drawn from the experiment's straggler model, alike on both clocks.",
        breakdown.draw, said=breakdown.finding),
    Row("iteration", "time", "Time per update",
        "Mean time between two updates of the model. An async update applies one gradient and a "
        "sync update those of all workers, so compare policies by their throughput.",
        iteration.draw, said=iteration.finding),
    Row("timeline", "time", "The first steps",
        "Activity of each worker at the beginning of the point with the most workers, predicted "
        "above measured.", timeline.draw, said=timeline.finding),
    Row("streams", "time", "One step, stream by stream",
        "Activity of each stream of a few workers and servers between the same updates of the "
        "model (dashed: updates in between), predicted above measured. Thin lines separate "
        "layers. Recorded by --trace.", streams.draw),
    Row("utilisation", "time", "Utilisation over time",
        "The share of the workers that compute, the load of the busiest link, and the memory that "
        "a worker holds by the model of its layers, over some steps. Recorded by --trace.",
        utilisation.draw),
    Row("agreement", "agreement", "Agreement",
        "Predicted against observed throughput. On the diagonal the prediction is right. "
        "Series are named at their largest error, (predicted \N{MINUS SIGN} observed) / observed.",
        agreement.draw, subject=None),
    Row("step_times", "agreement", "Step times",
        "Cumulative distribution of the time between the begins of two mini-batches of a worker, "
        "over all workers. KS: the largest vertical distance of the two curves, from 0 to 1.",
        step_times.draw, said=step_times.finding),
    Row("convergence", "learning", "Convergence",
        "Loss on held-out items (above the optimum where that is known) against time on the clock "
        "of each source. " + REPEATS, convergence.draw, said=convergence_finding.finding),
    Row("accuracy", "learning", "Accuracy",
        "Share of held-out items that are classified correctly. " + REPEATS,
        convergence.draw_accuracy, said=convergence_finding.finding_of_accuracy),
    Row("learning", "learning", "Convergence by updates",
        "The same loss against updates of the model: the remaining difference is the price of "
        "stale or fewer gradients. " + REPEATS, convergence.draw_by_updates,
        said=convergence_finding.finding_by_updates),
    Row("staleness", "learning", "Staleness",
        "Versions of the model between the weights a gradient was computed from and those it was "
        "applied to. Points without stale gradients are left out. Means are predicted / measured. "
        "Panels reach to 99.9 % of the gradients.", staleness.draw, said=staleness.finding),
)


def draw_all(study, rows=FIGURES):
    """The Drawn of every figure with data in the study."""
    figures = ((row, row.draw(study)) for row in rows if row.subject in (None, study.subject))
    return [Drawn(row, figure, _caption(study, row, figure)) for row, figure in figures if figure]


def _caption(study, row, figure):
    key, pattern = ("agreement", "") if row.name == "agreement" else ("findings", row.finding)
    found = [each for each in study.sentences(key)
             if pattern is not None and re.search(pattern, each, re.IGNORECASE)]
    finding = found[0] if found else row.said(study) if row.said else figure.finding
    return Caption(finding, row.caption,
                   " ".join(study.sentences("layer_times")))
