"""The sample outputs of README.md and docs/ are what the program prints."""
import os
import unittest

import sample_outputs

PACELINE = os.environ.get("PACELINE", "")


class Outputs(unittest.TestCase):
    maxDiff = None

    @unittest.skipUnless(PACELINE, "PACELINE names no program")
    def test_each_is_what_the_program_prints(self):
        for page in sample_outputs.pages():
            with self.subTest(page=page.name):
                self.assertEqual(page.read_text(encoding="utf-8"),
                                 sample_outputs.refreshed(page, PACELINE),
                                 "run tests/docs/sample_outputs.py and look at the difference")


if __name__ == "__main__":
    unittest.main()
