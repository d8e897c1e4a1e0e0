# SPDX-License-Identifier: MIT
"""Reads steps.csv: the start and the end of each worker's steps. The file may be missing."""

from collections import namedtuple

from paceline.records import A_COUNT, A_NUMBER, flag, known_source, or_zero, read_records

COLUMNS = {"point": A_COUNT, "source": known_source, "worker": A_COUNT, "step": A_COUNT,
           "began_s": A_NUMBER, "delay_s": or_zero, "compute_s": or_zero,
           "exposed_comm_s": or_zero, "wait_s": or_zero, "input_s": or_zero,
           "validation_s": or_zero, "end_s": A_NUMBER, "accepted": flag}
NEWER = ("input_s", "validation_s")  # older results lack them
Step = namedtuple("Step", list(COLUMNS))


def read_steps(path):
    """Every step of the run as a list of Step, [] if there is no file or no header."""
    return [Step(*record) for record in read_records(path, COLUMNS, NEWER)]
