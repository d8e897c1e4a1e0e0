# SPDX-License-Identifier: MIT
"""docs/notebook.ipynb runs and prints what it holds; scripts/run-notebook notices a cell that does
not."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "docs/notebook.ipynb"
PROGRAM = ROOT / "build/release/paceline"


def run(*words):
    return subprocess.run([sys.executable, "-B", str(ROOT / "scripts/run-notebook"),
                           *map(str, words)], capture_output=True, text=True, check=False)


class Notebook(unittest.TestCase):
    @unittest.skipUnless(os.access(PROGRAM, os.X_OK), "the program is not built")
    @unittest.skipUnless(all(map(importlib.util.find_spec, ("pandas", "matplotlib"))),
                         "pandas or Matplotlib is not installed")
    def test_runs(self):
        before = NOTEBOOK.read_bytes()
        done = run("--check", NOTEBOOK)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(NOTEBOOK.read_bytes(), before)

    def test_holds_its_outputs(self):
        cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
        kinds = [kind for cell in cells for output in cell.get("outputs", ())
                 for kind in output.get("data", {output.get("name"): 0})]
        self.assertLessEqual({"image/png", "text/html", "stdout"}, set(kinds))

    def written(self, *sources):
        """The path of a notebook with these cells."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "it.ipynb"
        path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": [source]}
                                              for source in sources]}), encoding="utf-8")
        return path

    def test_stores_what_cells_show(self):
        path = self.written("a = 6\nprint('six')", "a * 7")
        self.assertEqual(run(path).returncode, 0)
        first, second = json.loads(path.read_text(encoding="utf-8"))["cells"]
        self.assertEqual(first["outputs"][0]["text"], ["six\n"])
        self.assertEqual(second["outputs"][0]["data"], {"text/plain": ["42"]})

    def test_a_cell_that_fails_is_an_error(self):
        path = self.written("1", "1 / 0")
        done = run("--check", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cell 2 failed", done.stderr)


    def test_a_cell_that_prints_something_else_than_is_stored_is_an_error(self):
        path = self.written("import random\nprint(random.random())")
        self.assertEqual(run(path).returncode, 0)
        done = run("--check", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cell 1 prints something else than is stored", done.stderr)


if __name__ == "__main__":
    unittest.main()
