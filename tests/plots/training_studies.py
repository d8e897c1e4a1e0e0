# SPDX-License-Identifier: MIT
"""Studies of results of training, and the parts of their figures that tests look at."""

import tempfile
from pathlib import Path

from folders import InOneFolder
from sample import write_csv  # sets sys.path
from sample_training import write_policies, write_training

from paceline.results import COLUMNS
from paceline.shapes import Line
from paceline.study import Study, read_run


def keys_of(figure):
    return [key.label for key in figure.keys]


def titles_of(figure):
    return [panel.title for panel in figure.panels]


def labels_of(panel):
    return [text for _, text, _, _ in panel.labels]


def lines_of(panel, colour=None):
    return [shape for shape in panel.lines if isinstance(shape, Line)
            and (colour is None or shape.colour == colour)]


def marks_of(panel, shape):
    return [mark for mark in panel.marks if getattr(mark, "shape", "") == shape]


class Studies(InOneFolder):
    """The samples of training, read once for each class of tests."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        write_training(cls.root / "training")
        write_policies(cls.root / "policies")
        cls.training = Study([read_run(cls.root / "training")])
        cls.policies = Study([read_run(cls.root / "policies")])

    def study(self, rows, swept=(), **files):
        """The study of rows of results.csv; files: name -> records of another CSV file."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        write_csv(Path(folder.name) / "results.csv", [*COLUMNS, *swept], rows)
        for name, records in files.items():
            write_csv(Path(folder.name) / f"{name}.csv", list(records[0]), records)
        return Study([read_run(folder.name)])
