# SPDX-License-Identifier: MIT
"""The table of figures. A new figure is one file with a `draw(study)` and one row here."""

from collections import namedtuple

import agreement
import breakdown
import efficiency
import iteration
import throughput
import timeline

Figure = namedtuple("Figure", "name title caption draw")  # draw(study) -> a figure, or None

MARKS = ("Theory is a thin dashed line (a bound is dotted), a prediction a line with open marks, a "
         "measurement a filled mark with its standard error, a published figure a cross.")

FIGURES = (
    Figure("throughput", "Throughput",
           "Items whose gradients were applied, per second. " + MARKS, throughput.draw),
    Figure("efficiency", "Scaling efficiency",
           "Speedup over the point with the fewest workers, as a share of perfect scaling.",
           efficiency.draw),
    Figure("iteration", "Iteration time",
           "Mean time between two updates of the model.", iteration.draw),
    Figure("agreement", "Agreement",
           "Predicted against observed mean iteration time (throughput where no time was "
           "observed). On the diagonal the prediction is right; the bands are 5 % and 15 % either "
           "side. Below, each prediction's signed error.",
           agreement.draw),
    Figure("breakdown", "How a step is spent",
           "A worker's mean step, in worker-seconds per mini-batch begun. Communication is counted "
           "only where a worker stood still for it.", breakdown.draw),
    Figure("timeline", "The first steps",
           "What each worker did at the beginning of the point with the most workers, predicted "
           "above measured.", timeline.draw),
)
