# SPDX-License-Identifier: MIT
"""scripts/draw-generations: the figure of the README, of made-up families."""

import sys
import unittest

from script import load_script

FAMILY = ((8, 1000.0), {16: 1900.0, 64: 7000.0}, {16: 2000.0, 64: 7700.0},
          {16: True, 64: False})


class Generations(unittest.TestCase):
    def test_draws_and_names_every_family(self):
        drawing = load_script("draw-generations")
        figure = drawing.draw([FAMILY] * len(drawing.FAMILIES))
        page = drawing.figure_svg(figure, "title", "description")
        for name, _, _ in drawing.FAMILIES:
            self.assertIn(name.split(",")[0], page)
        right = figure.panels[1]
        filled = {mark.x for mark in right.marks if mark.filled}
        self.assertEqual(filled, {16})  # a constant was fitted on that row
        ideal = next(line for line in right.lines if line.source == "ideal")
        self.assertEqual(ideal.points[1], (64, 100 * (8000 / 7000 - 1)))

    def test_errors_are_of_the_published_throughput(self):
        errors = load_script("draw-generations").errors_of(FAMILY[1], FAMILY[2])
        self.assertAlmostEqual(errors[64], 0.1)
        self.assertAlmostEqual(errors[16], 1 / 19)


if __name__ == "__main__":
    sys.exit(unittest.main())
