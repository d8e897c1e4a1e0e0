"""docs/validation.md is what `paceline validate --markdown` prints."""
import os
import pathlib
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Validation(unittest.TestCase):
    def test_the_page_is_as_printed(self):
        program = os.environ.get("PACELINE")
        if not program:
            self.skipTest("PACELINE names no program")
        done = subprocess.run([program, "validate", "--markdown"], stdout=subprocess.PIPE, text=True,
                              check=True)
        page = (ROOT / "docs" / "validation.md").read_text(encoding="utf-8")
        self.assertTrue(done.stdout == page,
                        "run `paceline validate --markdown > docs/validation.md`")


if __name__ == "__main__":
    unittest.main()
