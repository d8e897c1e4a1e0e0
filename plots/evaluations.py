# SPDX-License-Identifier: MIT
"""Reads curves.csv: the loss on held-out items as training went on. The file may be missing."""

from collections import namedtuple

from records import A_COUNT, A_NUMBER, known_source, read_records
from results import number

COLUMNS = {"point": A_COUNT, "source": known_source, "repeat": A_COUNT, "updates": A_NUMBER,
           "time_s": A_NUMBER, "items": number, "loss": number, "accuracy": number}

# After so many updates and seconds: the held-out loss (the excess over the optimum where that is
# known) and the share of items classified rightly; None where not known.
Evaluation = namedtuple("Evaluation", "updates time_s items loss accuracy")


def read_evaluations(path):
    """(point, source) -> a list per repeat of its Evaluations, in the order of time."""
    found = {}
    for point, source, repeat, *figures in read_records(path, COLUMNS):
        found.setdefault((point, source), {}).setdefault(repeat, []).append(Evaluation(*figures))
    return {key: [sorted(repeats[repeat], key=lambda each: each.time_s)
                  for repeat in sorted(repeats)] for key, repeats in found.items()}
