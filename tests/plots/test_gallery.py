# SPDX-License-Identifier: MIT
"""scripts/draw-gallery: the drawings that are not of an experiment."""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

from script import load_script
from test_fit import write_fit


class Gallery(unittest.TestCase):
    def test_draws_a_fit_and_a_machine(self):
        script = load_script("draw-gallery")
        with tempfile.TemporaryDirectory() as folder:
            script.OUT = script.PICTURES = Path(folder)
            (script.OUT / "fit").mkdir()
            write_fit(script.OUT / "fit")
            with mock.patch.object(script, "run") as run:
                entries = script.draw_others()
            self.assertIn("<title>Fitted distributions</title>",
                          (script.PICTURES / "fit.svg").read_text(encoding="utf-8"))
        self.assertEqual([call.args[0][:2] for call in run.call_args_list],
                         [["fit", "results/gallery/quickstart/steps.csv"], ["topology", "show"]])
        for name, entry in zip(("fit", "machine"), entries, strict=True):
            self.assertIn(f"(figures/gallery/{name}.svg)", entry)


if __name__ == "__main__":
    unittest.main()
