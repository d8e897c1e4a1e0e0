# SPDX-License-Identifier: MIT
"""Reads curves.csv: the held-out loss during training. The file may be missing."""

from collections import namedtuple

from paceline.records import A_COUNT, A_NUMBER, known_source, read_records
from paceline.results import number

COLUMNS = {"point": A_COUNT, "source": known_source, "repeat": A_COUNT, "updates": A_NUMBER,
           "time_s": A_NUMBER, "items": number, "loss": number, "accuracy": number}

# After this many updates and seconds: the held-out loss (the excess over the optimum if that is
# known) and the share of items classified correctly; None if unknown.
Evaluation = namedtuple("Evaluation", "updates time_s items loss accuracy")


def read_evaluations(path):
    """(point, source) -> one list of Evaluations per repeat, in temporal order."""
    found = {}
    for point, source, repeat, *figures in read_records(path, COLUMNS):
        found.setdefault((point, source), {}).setdefault(repeat, []).append(Evaluation(*figures))
    return {key: [sorted(repeats[repeat], key=lambda each: each.time_s)
                  for repeat in sorted(repeats)] for key, repeats in found.items()}
