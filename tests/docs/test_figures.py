"""docs/figures.md explains every figure of the table in plots/paceline/figures.py, and no other."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r'^    (?:Row|Figure)\("(\w+)", ', re.MULTILINE)
NAMED = re.compile(r"`(\w+)\.svg`")
OTHERS = {"fit"}  # drawn by `paceline fit`, which has no table


class Figures(unittest.TestCase):
    def test_each_is_explained(self):
        drawn = set(ROW.findall((ROOT / "plots" / "paceline" / "figures.py").read_text(encoding="utf-8")))
        page = (ROOT / "docs" / "figures.md").read_text(encoding="utf-8")
        self.assertGreater(len(drawn), 10)
        self.assertEqual(drawn, set(NAMED.findall(page)) - OTHERS)


if __name__ == "__main__":
    unittest.main()
