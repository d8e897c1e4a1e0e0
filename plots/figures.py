# SPDX-License-Identifier: MIT
"""The table of figures. A new figure is one file with a `draw(study)` and one row here."""

from collections import namedtuple

import agreement
import breakdown
import convergence
import efficiency
import iteration
import ratio
import staleness
import step_times
import streams
import throughput
import time_to_target
import timeline

Figure = namedtuple("Figure", "name title caption draw")  # draw(study) -> a figure, or None

MARKS = ("Theory is a thin dashed line (a bound is dotted), a prediction a line with open marks, a "
         "measurement a filled mark with its standard error, a published figure a cross.")

REPEATS = ("Several repeats are drawn as their median, where few curves share a panel in a band "
           "from the lowest to the highest.")
FLOORS = "At the right edge: the mean loss of the last half, of curves that are level by then. "

FIGURES = (
    Figure("convergence", "Convergence",
           "Loss on held-out items (above the optimum where that is known) as time goes by, on "
           "the clock of each source. " + FLOORS + REPEATS, convergence.draw),
    Figure("learning", "Convergence by updates",
           "The same loss against updates of the model: what is left of the difference is the "
           "price of stale or fewer gradients. " + REPEATS, convergence.draw_by_updates),
    Figure("accuracy", "Accuracy",
           "Share of held-out items classified rightly as time goes by. " + REPEATS,
           convergence.draw_accuracy),
    Figure("time_to_target", "Time to target",
           "Time until the held-out loss or accuracy first reached the target. Points that never "
           "reached it are not drawn.", time_to_target.draw),
    Figure("cost_to_target", "Cost to target",
           "The machine's price for the time to the target.", time_to_target.draw_cost),
    Figure("energy_to_target", "Energy to target",
           "What the GPUs draw under load, over the time to the target.",
           time_to_target.draw_energy),
    Figure("throughput", "Throughput",
           "Items whose gradients were applied, per second. " + MARKS, throughput.draw),
    Figure("efficiency", "Scaling efficiency",
           "Speedup over the point with the fewest workers, as a share of perfect scaling.",
           efficiency.draw),
    Figure("iteration", "Iteration time",
           "Mean time between two updates of the model.", iteration.draw),
    Figure("ratio", "What waiting costs",
           "Mean iteration time of sync over that of async at the same point. In theory "
           "P E[max of P step times] / E[step time].", ratio.draw),
    Figure("agreement", "Agreement",
           "Predicted against observed mean iteration time (throughput where no time was "
           "observed). On the diagonal the prediction is right; the bands are 5 % and 15 % either "
           "side. Below, each prediction's signed error.",
           agreement.draw),
    Figure("breakdown", "How a step is spent",
           "A worker's mean step, in worker-seconds per mini-batch begun. Communication is counted "
           "only where a worker stood still for it.", breakdown.draw),
    Figure("step_times", "Step times",
           "Cumulative distribution of the time from one mini-batch's begin to the next of the "
           "same worker, over all workers. KS: the largest difference of the two, from 0 to 1.",
           step_times.draw),
    Figure("staleness", "Staleness",
           "Versions between the weights a gradient was computed at and those it was applied to; "
           "points where no gradient was stale are left out. Means are predicted / measured. "
           "Panels reach to 99.9 % of the gradients.", staleness.draw),
    Figure("timeline", "The first steps",
           "What each worker did at the beginning of the point with the most workers, predicted "
           "above measured.", timeline.draw),
    Figure("streams", "One step, stream by stream",
           "What each stream of a few roles did between the same updates of the model (dashed: "
           "updates in between), predicted above measured; fine lines part layers. Kept by "
           "--trace.", streams.draw),
)
