# SPDX-License-Identifier: MIT
"""Which checks scripts/check-all counts as failures, with made-up checks in place of two."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class CheckAll(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        scripts = self.folder / "scripts"
        scripts.mkdir()
        for name in ("check-all", "environment.sh"):
            shutil.copy(ROOT / "scripts" / name, scripts)
        self.write("install-packages", 0)

    def write(self, script, code):
        """A script that ends with this exit code."""
        path = self.folder / "scripts" / script
        path.write_text(f"#!/bin/sh\nexit {code}\n")
        path.chmod(0o755)

    def check(self, portable, bare):
        """(exit code, what was printed) where the two checks end with these exit codes."""
        self.write("portable", portable)
        self.write("bare-machine", bare)
        said = subprocess.run(["bash", self.folder / "scripts/check-all", "portable", "bare"],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              check=False)
        return said.returncode, said.stdout

    def test_skips_what_this_computer_cannot_run(self):
        code, printed = self.check(0, 77)
        self.assertEqual(code, 0)
        self.assertIn("skipped: bare", printed)
        self.assertIn("all clean", printed)

    def test_fails_with_any_check(self):
        code, printed = self.check(1, 77)
        self.assertEqual(code, 1)
        self.assertIn("skipped: bare", printed)
        self.assertIn("failed: portable", printed)
        self.assertNotIn("all clean", printed)


if __name__ == "__main__":
    unittest.main()
