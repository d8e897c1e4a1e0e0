# SPDX-License-Identifier: MIT
"""The figure of a fit: drawn only from fit.csv and curves.csv, and errors in these files."""

import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from sample import write_csv  # sets sys.path

from paceline.bad_input import BadInput
from paceline.fitted import density, draw, read_curves, read_fit

DRAW = Path(__file__).resolve().parents[2] / "plots" / "draw.py"


def write_fit(folder, points=101):
    """A folder in the format of `paceline fit`: exponential times of mean 10 ms and two families.
    """
    times_s = [0.0005 * place for place in range(points)]
    write_csv(folder / "fit.csv", ["kind", "parameters", "times", "log_likelihood", "aic",
                                   "distance", "keys"],
              [{"kind": kind, "parameters": 1, "times": 200, "log_likelihood": -1, "aic": 4,
                "distance": 0.01, "keys": keys}
               for kind, keys in (("exponential", "mean 10 ms"), ("gamma", "mean 10 ms, cv 1"))])
    write_csv(folder / "curves.csv", ["time_s", "measured", "exponential", "gamma"],
              [{"time_s": time_s, "measured": round(200 * (share := 1 - math.exp(-time_s / 0.01)))
                / 200, "exponential": share, "gamma": share} for time_s in times_s])


class Fitting(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        write_fit(self.folder)

    def draw(self, **environment):
        return subprocess.run([sys.executable, "-B", str(DRAW), str(self.folder)], text=True,
                              capture_output=True, env={**os.environ, **environment})

    def test_draws_svg_or_what_is_asked_for(self):
        done = self.draw()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, f"{self.folder}/figures/fit.svg\n")
        self.assertEqual(sorted(path.name for path in (self.folder / "figures").iterdir()),
                         ["fit.svg"])

    def test_the_keys_are_in_the_order_of_the_rank(self):
        self.assertEqual([key.label for key in draw(self.folder).keys],
                         ["measured", "1. exponential (mean 10 ms)", "2. gamma (mean 10 ms, cv 1)"])

    def test_same_data_same_bytes(self):
        self.draw()
        first = (self.folder / "figures/fit.svg").read_bytes()
        self.draw()
        self.assertEqual((self.folder / "figures/fit.svg").read_bytes(), first)

    def test_density_is_the_slope_of_the_cdf(self):
        edges, heights = density([0.0, 1.0, 2.0, 4.0], [0.0, 0.5, 0.75, 1.0], 3)
        self.assertEqual(edges, [0.0, 1.0, 2.0, 4.0])
        self.assertEqual(heights, [0.5, 0.25, 0.125])

    def test_reads_what_was_written(self):
        self.assertEqual([(one.kind, one.keys) for one in read_fit(self.folder / "fit.csv")],
                         [("exponential", "mean 10 ms"), ("gamma", "mean 10 ms, cv 1")])
        curves = read_curves(self.folder / "curves.csv")
        self.assertEqual(list(curves.families), ["exponential", "gamma"])
        self.assertEqual(len(curves.times_s), 101)

    def test_mistakes_are_one_line(self):
        path = self.folder / "curves.csv"
        for text, problem in (
                ("a,b\n1,2\n", ":1: error: the first columns are not 'time_s' and 'measured'"),
                ("time_s,measured\n1\n", ":2: error: 1 cells where the header has 2"),
                ("time_s,measured\n1,x\n", ":2: error: column 'measured': 'x' is not a number"),
                ("time_s,measured\n1,\n", ":2: error: column 'measured': a number is needed"),
                ("time_s,measured\n1,0\n1,1\n", ":3: error: the times do not rise"),
                ("time_s,measured\n1,0\n", ": error: fewer than two times")):
            path.write_text(text, encoding="utf-8")
            with self.assertRaises(BadInput) as caught:
                read_curves(path)
            self.assertEqual(str(caught.exception), f"{path}{problem}")
        done = self.draw()
        self.assertEqual((done.returncode, done.stdout), (2, ""))


if __name__ == "__main__":
    unittest.main()
