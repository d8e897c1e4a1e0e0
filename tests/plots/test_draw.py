# SPDX-License-Identifier: MIT
"""draw.py from the user's view: its files, exit codes and messages, identical bytes."""

import gzip
import importlib.util
import os
import subprocess
import sys
import unittest
from xml.etree import ElementTree

from drawing import DRAW, SAID, Drawn, draw, drawn_in, hashes_in, page_of
from folders import InFolder
from sample import blank_row, write_csv, write_quickstart  # sets sys.path

from paceline.results import COLUMNS, NEWEST

ALL = ("throughput", "efficiency", "ratio", "breakdown", "iteration", "timeline", "agreement")
SVG = "{http://www.w3.org/2000/svg}"


class Files(Drawn):
    def test_succeeds_and_says_what_it_wrote(self):
        done = self.results["quickstart"]
        self.assertEqual((done.returncode, done.stderr), (0, SAID))
        self.assertEqual(done.stdout, f"{self.root}/quickstart/report.html (7 figures: throughput, "
                                      "efficiency, ratio, breakdown, iteration, timeline, "
                                      "agreement)\n")

    def test_without_d3_the_report_has_no_script_and_a_line_names_the_package(self):
        other = self.root / "without"
        draw_without = ("import sys; from pathlib import Path; from paceline import d3, draw; "
                        "d3.FOLDER = Path('/nonexistent'); sys.exit(draw.main(sys.argv[1:]))")
        done = subprocess.run([sys.executable, "-B", "-c", draw_without, self.root / "quickstart",
                               "-o", other], text=True, capture_output=True,
                              env={**os.environ, "PYTHONPATH": str(DRAW.parent)})
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"^D3 is not installed \(apt-get install node-d3-array .*"
                                      r"node-d3-zoom.*\); the report was written without hover, "
                                      r"filters and zoom\n$")
        page = page_of(other)
        self.assertNotIn("<script", page)
        self.assertEqual(page.count("<tr>"), self.page.count("<tr>"))

    def test_svg_only_unless_asked_for_more(self):
        self.assertEqual(drawn_in(self.root / "quickstart"), sorted(f"{name}.svg" for name in ALL))

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "Matplotlib is not installed")
    def test_pdf_and_png_through_matplotlib(self):
        more = self.root / "more"
        done = draw(self.root / "dgx1", "-o", more, "--plot", "svg,pdf,png")
        self.assertEqual((done.returncode, done.stderr), (0, SAID))
        names = {name.split(".")[0] for name in drawn_in(more)}
        self.assertEqual(drawn_in(more), sorted(f"{name}.{form}" for name in names
                                                for form in ("svg", "png", "pdf")))
        starts = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<svg"}
        for path in (more / "figures").iterdir():
            self.assertTrue(path.read_bytes().startswith(starts[path.suffix[1:]]), path)
        first = hashes_in(more)
        draw(self.root / "dgx1", "-o", more, "--plot", "svg,pdf,png")
        self.assertEqual(hashes_in(more), first)

    def test_an_unknown_format_is_refused(self):
        done = draw(self.root / "dgx1", "--plot", "svg,bmp")
        self.assertEqual(done.returncode, 2)
        self.assertIn("unknown format 'bmp' (known: svg, pdf, png)", done.stderr)

    def test_text_stays_text(self):
        svg = ElementTree.parse(self.root / "quickstart/figures/throughput.svg").getroot()
        texts = [element.text for element in svg.iter(f"{SVG}text")]
        for said in ("throughput (images/s)", "k-async, K=P/2", "predicted", "16"):
            self.assertIn(said, texts)
        self.assertEqual(svg[0].tag, f"{SVG}title")
        self.assertEqual((svg[0].text, svg[1].tag), ("Throughput", f"{SVG}desc"))
        self.assertIn("Layer times: measured on this host.", svg[1].text)

    def test_marks_tell_their_values(self):
        svg = (self.root / "quickstart/figures/throughput.svg").read_text(encoding="utf-8")
        self.assertRegex(svg, r"<title>async, 16 workers, measured: [\d,]+ \S+ \d+ "
                              r"images/s\npredicted: [\d,]+ \(.\d\.\d %\)\n"
                              r"theory: [\d,]+</title>")

    def test_only_figures_that_have_data(self):
        self.assertNotIn("timeline.svg", drawn_in(self.root / "dgx1"))
        self.assertIn("agreement.svg", drawn_in(self.root / "dgx1"))

    def test_same_data_same_bytes(self):
        again = self.root / "again"
        self.assertEqual(draw(self.root / "quickstart", "-o", again).returncode, 0)
        self.assertEqual(hashes_in(again), hashes_in(self.root / "quickstart"))


class Wrong(InFolder):
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
        write_csv(self.folder / "results.csv", COLUMNS, [blank_row(source="theory", workers=1)])
        blocked = self.folder / "file"
        blocked.write_text("")
        done = draw(self.folder, "-o", blocked)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, f"{blocked}/report.html: error: cannot be written "
                                      "(File exists)\n")

    def hidden_matplotlib(self):
        hidden = self.folder / "hidden"
        hidden.mkdir(exist_ok=True)
        (hidden / "matplotlib.py").write_text(
            "raise ModuleNotFoundError('hidden', name='matplotlib')\n")
        return {"PYTHONPATH": str(hidden)}

    def test_svg_and_the_report_need_no_matplotlib(self):
        write_csv(self.folder / "results.csv", COLUMNS, [
            blank_row(source="predicted", workers=1, throughput=5)])
        done = draw(self.folder, **self.hidden_matplotlib())
        self.assertEqual((done.returncode, done.stderr), (0, SAID))
        self.assertTrue((self.folder / "figures/throughput.svg").exists())

    def test_pdf_without_matplotlib_says_so(self):
        write_csv(self.folder / "results.csv", COLUMNS, [
            blank_row(source="predicted", workers=1, throughput=5)])
        done = draw(self.folder, "--plot", "pdf", **self.hidden_matplotlib())
        self.assertEqual((done.returncode, done.stderr),
                         (77, "matplotlib is not installed, which PDF and PNG need (apt-get "
                              "install python3-matplotlib); figures were not drawn\n"))
        self.assertFalse((self.folder / "report.html").exists())

    def test_a_trace_that_unpacks_without_end(self):
        write_quickstart(self.folder)
        (self.folder / "trace.json.gz").write_bytes(gzip.compress(b" " * (1 << 24)))
        self.assert_refused(f"{self.folder}/trace.json.gz: error: a line of 64 KiB or more is no "
                            "event", self.folder)

    def test_results_of_an_older_version(self):
        write_csv(self.folder / "results.csv", [column for column in COLUMNS
                                                if column not in NEWEST], [])
        self.assert_refused(f"{self.folder}/results.csv:1: error: column 'layer_times' is missing: "
                            "an older paceline wrote this file, run the experiment again",
                            self.folder)


if __name__ == "__main__":
    unittest.main()
