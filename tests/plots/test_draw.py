# SPDX-License-Identifier: MIT
"""The command as a user calls it: files, exit codes, messages, the report, the same bytes."""

import hashlib
import html
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

from sample import MANIFEST, blank_row, write_csv, write_dgx1, write_quickstart  # sets sys.path

from results import ORDER

DRAW = Path(__file__).resolve().parents[2] / "plots" / "draw.py"
ALL = ("throughput", "efficiency", "iteration", "ratio", "agreement", "breakdown", "timeline")


def draw(*arguments, **environment):
    return subprocess.run([sys.executable, "-B", str(DRAW), *map(str, arguments)], text=True,
                          capture_output=True, env={**os.environ, **environment})


def drawn_in(folder):
    return sorted(path.name for path in (folder / "figures").iterdir())


def hashes_in(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in [*(folder / "figures").iterdir(), folder / "report.html"]}


class Drawn(unittest.TestCase):
    """Both samples, drawn once."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = Path(folder.name)
        write_quickstart(cls.root / "quickstart")
        write_dgx1(cls.root / "dgx1")
        cls.results = {name: draw(cls.root / name) for name in ("quickstart", "dgx1")}
        cls.page = (cls.root / "quickstart/report.html").read_text(encoding="utf-8")

    def test_succeeds_and_says_what_it_wrote(self):
        done = self.results["quickstart"]
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, f"{self.root}/quickstart/report.html (7 figures: throughput, "
                                      "efficiency, iteration, ratio, agreement, breakdown, "
                                      "timeline)\n")

    def test_every_figure_in_every_format(self):
        self.assertEqual(drawn_in(self.root / "quickstart"),
                         sorted(f"{name}.{form}" for name in ALL for form in ("svg", "png", "pdf")))
        starts = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}
        for path in (self.root / "quickstart/figures").iterdir():
            self.assertTrue(path.read_bytes().startswith(starts[path.suffix[1:]]), path)

    def test_only_figures_that_have_data(self):
        self.assertNotIn("timeline.svg", drawn_in(self.root / "dgx1"))
        self.assertIn("agreement.svg", drawn_in(self.root / "dgx1"))

    def test_same_data_same_bytes(self):
        again = self.root / "again"
        self.assertEqual(draw(self.root / "quickstart", "-o", again).returncode, 0)
        self.assertEqual(hashes_in(again), hashes_in(self.root / "quickstart"))

    def test_two_processes_draw_what_one_draws(self):
        import save
        import style
        from figures import FIGURES
        from study import Study, read_run
        style.apply_style()
        study = Study([read_run(self.root / "quickstart")])
        for row in [row for row in FIGURES if row.name in ALL][:4]:
            for form, content in save.render(row.draw(study)).items():
                path = self.root / f"quickstart/figures/{row.name}.{form}"
                self.assertEqual(path.read_bytes(), content, path)

    def test_an_error_of_either_process_is_told(self):
        from collections import namedtuple
        from in_halves import draw_in_halves
        Row = namedtuple("Row", "name draw")
        rows = [Row("fine", lambda study: None), Row("wrong", lambda study: study["missing"])]
        with self.assertRaisesRegex(KeyError, "missing"):
            draw_in_halves({}, rows)

    def test_no_dates_in_the_figures(self):
        for name in ALL:
            svg = (self.root / f"quickstart/figures/{name}.svg").read_text()
            self.assertNotIn("<dc:date>", svg)

    def test_report_holds_every_point(self):
        points = re.search(r'<section id="points">.*?</section>', self.page, re.DOTALL)[0]
        for policy in ("sync", "k-sync, K=P/2", "async", "k-async, K=P/2"):
            for workers in ("1 worker", "2 workers", "4 workers", "8 workers", "16 workers"):
                cell = f'<td class="text">{policy}, {workers}</td>'
                self.assertEqual(points.count(cell), 3, cell)
        comparison = re.search(r'<section id="comparison">.*?</section>', self.page, re.DOTALL)[0]
        self.assertEqual(comparison.count("<tr>"), 21)  # the heading and 20 points
        self.assertEqual(points.count("theory (bound)"), 3)  # k-async beyond K=1

    def test_verdict(self):
        page = (self.root / "dgx1/report.html").read_text(encoding="utf-8")
        self.assertIn("Predicted against published, 20 points: median error of the throughput "
                      "1.2 %, 95th percentile 6.4 %, worst +9.3 %"
                      "</strong> (alexnet, 8 workers).", page)
        self.assertIn("+9.3 %</td>", page)

    def test_text_is_escaped(self):
        for raw in ("Xeon <test> & co", "worker 3 <lost> & gone"):
            self.assertIn(html.escape(raw), self.page)
            self.assertNotIn(raw, self.page)

    def test_experiment_file_is_there_word_for_word(self):
        self.assertIn(html.escape(MANIFEST["yaml"]), self.page)
        self.assertIn(html.escape(MANIFEST["machine_text"].strip("\n")), self.page)
        self.assertIn("<h3>Fitted constants (1)</h3>", self.page)

    def test_page_asks_for_nothing_from_outside(self):
        addresses = re.findall(r'(?:href|src)="([^"]*)"', self.page)
        self.assertTrue(addresses)
        self.assertEqual([each for each in addresses if not each.startswith("#")], [])
        self.assertNotRegex(self.page, r"<script|@import|url\((?!#)")

    def test_ids_are_unique_and_links_lead_somewhere(self):
        ids = re.findall(r'\sid="([^"]*)"', self.page)
        self.assertEqual(len(ids), len(set(ids)))
        targets = set(re.findall(r'href="#([^"]*)"', self.page))
        targets |= set(re.findall(r"url\(#([^)]*)\)", self.page))
        self.assertEqual(targets - set(ids), set())

    def test_page_is_well_formed(self):
        body = self.page[self.page.index("<body>"):self.page.index("</html>")]
        ElementTree.fromstring(body)  # every tag closed, every & and < escaped

    def test_several_runs_go_beside_the_first(self):
        done = draw(self.root / "quickstart", self.root / "dgx1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        page = (self.root / "quickstart+dgx1/report.html").read_text(encoding="utf-8")
        self.assertIn("<title>quickstart + tensorflow-dgx1</title>", page)
        self.assertIn("Predicted against measured, 20 points", page)
        self.assertIn("Predicted against published, 20 points", page)


class Wrong(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def assert_refused(self, line, *arguments):
        before = sorted(self.folder.rglob("*"))
        done = draw(*arguments)
        self.assertEqual((done.returncode, done.stderr, done.stdout), (2, line + "\n", ""))
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    def test_no_folder(self):
        gone = self.folder / "gone"
        self.assert_refused(f"{gone}: error: no such folder", gone)

    def test_no_results(self):
        self.assert_refused(f"{self.folder}/results.csv: error: no such file", self.folder)

    def test_bad_cell(self):
        write_quickstart(self.folder)
        path = self.folder / "results.csv"
        lines = path.read_text().splitlines()
        lines[4] = lines[4].replace(",32,", ",many,", 1)
        path.write_text("\n".join(lines) + "\n")
        self.assert_refused(f"{path}:5: error: column 'batch': 'many' is not a number", self.folder)

    def test_bad_manifest(self):
        write_quickstart(self.folder)
        path = self.folder / "manifest.json"
        path.write_text("{\n")
        self.assert_refused(f"{path}:2: error: malformed JSON (Expecting property name enclosed in "
                            "double quotes)", self.folder)

    def test_output_that_cannot_be_written(self):
        write_csv(self.folder / "results.csv", ORDER, [blank_row(source="theory", workers=1)])
        blocked = self.folder / "file"
        blocked.write_text("")
        done = draw(self.folder, "-o", blocked)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, f"{blocked}/report.html: error: cannot be written "
                                      "(File exists)\n")

    def test_no_matplotlib(self):
        write_csv(self.folder / "results.csv", ORDER, [blank_row(source="theory", workers=1)])
        hidden = self.folder / "hidden"
        hidden.mkdir()
        (hidden / "matplotlib.py").write_text(
            "raise ModuleNotFoundError('hidden', name='matplotlib')\n")
        done = draw(self.folder, PYTHONPATH=str(hidden))
        self.assertEqual((done.returncode, done.stderr),
                         (77, "matplotlib is not installed (apt-get install python3-matplotlib); "
                              "figures were not drawn\n"))
        self.assertFalse((self.folder / "report.html").exists())


class Tolerant(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def report(self, rows, manifest):
        write_csv(self.folder / "results.csv", ORDER, rows)
        (self.folder / "manifest.json").write_text(json.dumps(manifest))
        done = draw(self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return (self.folder / "report.html").read_text(encoding="utf-8")

    def test_nothing_but_failures(self):
        lost = blank_row(source="measured", workers=2, status="failed: out of memory")
        page = self.report([lost], {})
        self.assertIn("Nothing to compare: these results hold no figures.", page)
        self.assertIn("failed: out of memory", page)
        self.assertFalse((self.folder / "figures").exists())

    def test_any_manifest(self):
        page = self.report([blank_row(source="predicted", workers=2, throughput=5, model="<b>")],
                           {"host": 3, "fitted_constants": "?", "notes": None, "yaml": 5,
                            "machine_svg": "<svg><script>alert(1)</script></svg>"})
        self.assertIn("Nothing to compare: these results hold only predicted figures.", page)
        self.assertNotIn("<script", page)

    def test_gpus_that_measured(self):
        gpus = [{"name": "NVIDIA <H200>"}, {"name": "NVIDIA <H200>"}, 3]
        page = self.report([blank_row(source="measured", workers=2, throughput=5)],
                           {"cuda": {"gpus": gpus, "driver": "13.1", "cudnn": "9.19.0"}})
        self.assertIn("2 x NVIDIA &lt;H200&gt;", page)
        self.assertIn("9.19.0", page)
        self.report([blank_row(source="measured", workers=2, throughput=5)],
                    {"cuda": {"gpus": "?"}})

    def test_machine_drawing_runs_no_script(self):
        svg = ('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">'
               "<script>alert(1)</script></svg>")
        page = self.report([blank_row(source="predicted", workers=2, throughput=5)],
                           {"machine": "dgx", "machine_svg": svg})
        self.assertIn('<img src="data:image/svg+xml;base64,', page)
        self.assertNotIn("<script", page)

    def test_any_name_can_be_drawn(self):
        names = ("a$b_{", "_hidden", "x" * 90, "two words " * 9, "<&>", "tab\there")
        page = self.report([blank_row(source="predicted", workers=w, model=name, throughput=w)
                            for name in names[:4] for w in (1, 2)]
                           + [blank_row(source="predicted", workers=1, model=name, throughput=1)
                              for name in names[4:]], {})
        self.assertIn("a$b_{, 2 workers", page)
        self.assertIn("&lt;&amp;&gt;, 1 worker", page)
        self.assertIn("tab here, 1 worker", page)

    def test_a_figure_that_no_longer_applies_goes(self):
        row = blank_row(source="predicted", workers=2, throughput=5, iteration_s_mean=0.1)
        self.report([row], {})
        self.assertTrue((self.folder / "figures/iteration.svg").exists())
        self.report([row | {"iteration_s_mean": ""}], {})
        self.assertFalse((self.folder / "figures/iteration.svg").exists())
        self.assertTrue((self.folder / "figures/throughput.svg").exists())


if __name__ == "__main__":
    unittest.main()
