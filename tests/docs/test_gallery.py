"""docs/gallery.md shows every figure of the table in plots/paceline/figures.py, with the experiment
that made it, and no other."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
ROW = re.compile(r'^    Row\("(\w+)", "\w+", "([^"]+)"', re.MULTILINE)
OTHERS = {"fit", "machine"}  # of commands that run no experiment


class Gallery(unittest.TestCase):
    def setUp(self):
        self.page = (DOCS / "gallery.md").read_text(encoding="utf-8")
        self.rows = dict(ROW.findall((ROOT / "plots/paceline/figures.py")
                                     .read_text(encoding="utf-8")))

    def test_shows_each_figure_once(self):
        shown = re.findall(r"\(figures/gallery/(\w+)\.svg\)", self.page)
        self.assertEqual(sorted(shown), sorted({*self.rows, *OTHERS}))
        files = {path.stem for path in (DOCS / "figures/gallery").iterdir()}
        self.assertEqual(files, set(shown))

    def test_titles_are_those_of_the_report(self):
        titles = dict(re.findall(r"!\[([^\]]+)\]\(figures/gallery/(\w+)\.svg\)", self.page))
        self.assertLessEqual(set(self.rows.values()), set(titles))

    def test_each_names_its_command(self):
        made = re.findall(r"^Made by `paceline .+`( \(\[.+\]\(.+\)\))?\.$", self.page, re.MULTILINE)
        self.assertEqual(len(made), len(self.rows) + len(OTHERS))
        self.assertEqual(sum(map(bool, made)), len(self.rows))  # a link to the experiment


if __name__ == "__main__":
    unittest.main()
