"""The accuracy table of README.md is that of docs/validation.md, and its rows add up to all."""
import pathlib
import re
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "validation.md").read_text(encoding="utf-8")


def script():
    loader = SourceFileLoader("accuracy_table", str(ROOT / "scripts" / "accuracy-table"))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def cells_of(line):
    return [cell.strip(" *") for cell in line.strip("|").split("|")]


class Accuracy(unittest.TestCase):
    def test_the_readme_has_the_table_of_the_page(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        self.assertTrue(script().refreshed(readme, PAGE) == readme, "run scripts/accuracy-table")
        self.assertIn("\n".join(script().accuracy_table(PAGE)), readme)

    def test_every_table_is_in_a_group(self):
        self.assertEqual([table for table in script().published_rows(PAGE)
                          if script().group_of(table) is None], [])

    def test_the_groups_add_up_to_what_validate_prints(self):
        _, _, *groups, total = map(cells_of, script().accuracy_table(PAGE))
        self.assertEqual(sum(int(cells[1]) for cells in groups), int(total[1]))
        printed = cells_of(next(line for line in PAGE.splitlines() if line.startswith("| **all**")))
        self.assertEqual(total[1], printed[1])
        for place in (2, 3):  # the page's errors are rounded to 0.1 %
            self.assertAlmostEqual(*(float(cells[place].removesuffix(" %"))
                                     for cells in (total, printed)), delta=0.11)

    def test_estimates_of_one_gpu_are_those_of_the_page(self):
        """The sentence of docs/benchmarks.md about convolutional networks and BERT."""
        alike = script()
        found = {True: [], False: []}
        table = ""
        for line in PAGE.splitlines():
            table = line[3:] if line.startswith("## ") else table
            cells = cells_of(line)
            if (line.startswith("|") and len(cells) == 7 and cells[4] == "out"
                    and re.match("one-gpu-|gtx1070-clocks", table)):
                found["bert" in table + cells[0]].append(abs(float(cells[3].removesuffix(" %"))))
        text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8").replace("\n", " ")
        stated = re.search(r"(\d+) rows of convolutional networks on one GPU .*? median error of "
                           r"([\d.]+) % and a 95th percentile of (\d+) %, and (\d+) rows of BERT "
                           r"\([^)]*\) ([\d.]+) and (\d+) %", text)
        for errors, rows, median, last in ((found[False], *stated.groups()[:3]),
                                           (found[True], *stated.groups()[3:])):
            self.assertEqual(len(errors), int(rows))
            self.assertAlmostEqual(alike.percentile(errors, 50), float(median), delta=0.06)
            self.assertAlmostEqual(alike.percentile(errors, 95), float(last), delta=0.6)


if __name__ == "__main__":
    unittest.main()
