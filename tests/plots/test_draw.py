# SPDX-License-Identifier: MIT
"""draw.py from the user's view: files, exit codes, messages, the report, identical bytes."""

import gzip
import hashlib
import html
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

from sample import MANIFEST, blank_row, write_csv, write_dgx1, write_quickstart  # sets sys.path

from paceline import d3
from paceline.figures import FIGURES
from paceline.results import COLUMNS, NEWEST

DRAW = Path(__file__).resolve().parents[2] / "plots" / "draw.py"
ALL = ("throughput", "efficiency", "ratio", "breakdown", "iteration", "timeline", "agreement")
SAID = f"{d3.missing()}\n" if d3.missing() else ""  # on stderr
SVG = "{http://www.w3.org/2000/svg}"


def draw(*arguments, **environment):
    return subprocess.run([sys.executable, "-B", str(DRAW), *map(str, arguments)], text=True,
                          capture_output=True, env={**os.environ, **environment})


def drawn_in(folder):
    return sorted(path.name for path in (folder / "figures").iterdir())


def page_of(folder):
    """The report, with plain spaces before %."""
    return (folder / "report.html").read_text(encoding="utf-8").replace("\N{NO-BREAK SPACE}%", " %")


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
        cls.page = page_of(cls.root / "quickstart")

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

    def test_report_holds_every_point(self):
        points = re.search(r'<section id="points">.*?</section>', self.page, re.DOTALL)[0]
        for policy in ("sync", "k-sync, K=P/2", "async", "k-async, K=P/2"):
            for workers in ("1 worker", "2 workers", "4 workers", "8 workers", "16 workers"):
                cell = f'>{policy}, {workers}</a></td>'
                self.assertEqual(points.count(cell), 3, cell)
        comparison = re.search(r'<section id="agreement">.*?</section>', self.page, re.DOTALL)[0]
        self.assertEqual(comparison.count("<tr>"), 21)  # the heading and 20 points
        self.assertEqual(points.count("theory (bound)"), 3)  # k-async beyond K=1

    def test_rows_that_calibrated_the_prediction_say_so(self):
        page = page_of(self.root / "dgx1")
        self.assertEqual(page.count('<td class="text">published, given</td>'), 5)
        self.assertIn("+9.3 %</td>", page)

    def test_the_answer_stands_before_the_agreement_and_layer_times(self):
        places = [self.page.index(html.escape(said)) for said in (
            MANIFEST["question"], MANIFEST["findings"][0], MANIFEST["agreement"][0],
            MANIFEST["layer_times"][0])]
        places += [self.page.index(f'id="figure-{name}"')
                   for name in ("throughput", "breakdown", "agreement")]
        self.assertEqual(places, sorted(places))

    def test_contents_lead_to_every_section(self):
        sections = re.findall(r'<section id="([^"]*)">', self.page)
        self.assertEqual(sections, ["answer", "time", "agreement", "points", "skipped",
                                    "assumed"])
        nav = re.search(r"<nav.*?</nav>", self.page, re.DOTALL)[0]
        self.assertEqual(re.findall(r'href="#([^"]*)"', nav), sections)

    def test_captions_open_with_findings_and_end_with_layer_times(self):
        caption = re.search(r'id="figure-throughput".*?<figcaption>(.*?)</figcaption>', self.page,
                            re.DOTALL)[1]
        self.assertTrue(caption.startswith(f"<strong>{MANIFEST['findings'][0]}</strong> "))
        for found in re.findall(r"<figcaption>(.*?)</figcaption>", self.page, re.DOTALL):
            self.assertTrue(found.endswith('<span class="layers">Layer times: measured on this '
                                           "host.</span>"), found)

    def test_findings_of_any_item_open_the_caption_of_throughput(self):
        throughput, = (row for row in FIGURES if row.name == "throughput")
        self.assertRegex("8 workers train 385.0 words/sec.", throughput.finding)

    def test_no_word_of_targets_where_none_was_set(self):
        self.assertNotIn("target", re.sub(r"<(script|style)>.*?</\1>", "", self.page,
                                          flags=re.DOTALL).lower())

    def test_panels_are_pictures_of_their_own(self):
        figure = re.search(r'<figure class="broad" id="figure-breakdown">.*?</figure>', self.page,
                           re.DOTALL)[0]
        panels = re.search(r'<div class="panels">.*?</div>', figure, re.DOTALL)[0]
        self.assertEqual(len(re.findall(r'<svg class="figure" role="img"', panels)), 4)

    def test_text_is_escaped(self):
        for raw in ("Xeon <test> & co", "worker 3 <lost> & gone"):
            self.assertIn(html.escape(raw), self.page)
            self.assertNotIn(raw, self.page)

    def test_experiment_file_is_there_word_for_word(self):
        self.assertIn(html.escape(MANIFEST["yaml"]), self.page)
        self.assertIn(html.escape(MANIFEST["machine_text"].strip("\n")), self.page)
        self.assertIn("Fitted constants</span></h3>", self.page)

    def test_every_setting_has_its_origin(self):
        settings = re.search(r"<h3>Every setting</h3>.*?</table>", self.page, re.DOTALL)[0]
        rows = re.findall(r"<tr>(.*?)</tr>", settings, re.DOTALL)[1:]
        cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows]
        self.assertEqual(cells, [["name", "quickstart", "experiment"],
                                 ["update", "{kind: sync}", "experiment and defaults"],
                                 ["batch", "32", "default"]])

    def test_every_kind_of_number_has_its_source(self):
        sources = re.search(r'<dl class="sources">.*?</dl>', self.page, re.DOTALL)[0]
        self.assertEqual(re.findall(r"<dt>(.*?)</dt>", sources),
                         ["times of layers", "machine", "software stack", "random draws",
                          "measurements"])
        self.assertIn('<a href="#constants">1 fitted constant</a>', sources)
        published = page_of(self.root / "dgx1")
        self.assertIn("<dt>published figures</dt>", published)

    def test_page_asks_for_nothing_from_outside(self):
        addresses = re.findall(r'(?:href|src)="([^"]*)"', self.page)
        self.assertTrue(addresses)
        self.assertEqual([each for each in addresses if not each.startswith("#")], [])
        without_comments = re.sub(r"/\*.*?\*/", "", self.page, flags=re.DOTALL)  # licences
        self.assertNotRegex(without_comments, r"<script src|@import|url\((?!#)|"
                                              r"https?://(?!www\.w3\.org|d3js\.org)")
        self.assertEqual(self.page.count("<script"), 0 if d3.missing() else 2)

    def test_ids_are_unique_and_links_lead_somewhere(self):
        ids = re.findall(r'\sid="([^"]*)"', self.page)
        self.assertEqual(len(ids), len(set(ids)))
        targets = set(re.findall(r'href="#([^"]*)"', self.page))
        targets |= set(re.findall(r"url\(#([^)]*)\)", self.page))
        self.assertEqual(targets - set(ids), set())

    def test_page_is_well_formed(self):
        body = self.page[self.page.index("<body>"):self.page.index("</html>")]
        body = re.sub(r"<script>.*?</script>", "", body, flags=re.DOTALL)
        body = re.sub(r"<input[^>]*>", "", body)
        ElementTree.fromstring(body)  # every tag closed, every & and < escaped

    def test_several_runs_go_beside_the_first(self):
        done = draw(self.root / "quickstart", self.root / "dgx1")
        self.assertEqual((done.returncode, done.stderr), (0, SAID))
        page = page_of(self.root / "quickstart+dgx1")
        self.assertIn("<title>quickstart + tensorflow-dgx1</title>", page)
        self.assertIn(f"<strong>quickstart: {MANIFEST['findings'][0]}</strong>", page)
        self.assertIn(f"<p>quickstart: {MANIFEST['agreement'][0]}</p>", page)
        self.assertIn("published, given", page)


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


class Tolerant(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def report(self, rows, manifest):
        write_csv(self.folder / "results.csv", COLUMNS, rows)
        (self.folder / "manifest.json").write_text(json.dumps(manifest))
        done = draw(self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, SAID))
        return (self.folder / "report.html").read_text(encoding="utf-8")

    def test_nothing_but_failures(self):
        lost = blank_row(source="measured", workers=2, status="failed: out of memory")
        page = self.report([lost], {})
        self.assertIn("failed: out of memory", page)
        self.assertFalse((self.folder / "figures").exists())

    def test_any_manifest(self):
        page = self.report([blank_row(source="predicted", workers=2, throughput=5, model="<b>")],
                           {"host": 3, "fitted_constants": "?", "notes": None, "yaml": 5,
                            "machine_svg": "<svg><script>alert(1)</script></svg>"})
        self.assertNotIn("Nothing to compare", page)
        self.assertNotIn("Prediction against measurement</h2>", page)
        self.assertNotIn("alert(1)", page)

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
        self.assertNotIn("alert(1)", page)

    @unittest.skipUnless(shutil.which("dot"), "no dot")
    def test_a_machine_is_drawn_from_its_graph(self):
        row = blank_row(source="predicted", workers=2, throughput=5)
        graph = {"machine": "m", "machine_svg": "", "machine_text": "as text",
                 "machine_dot": "graph { gpu0 -- gpu1 }"}
        page = self.report([row], graph)
        self.assertIn('<img src="data:image/svg+xml;base64,', page)
        self.assertNotIn("as text", page)
        page = self.report([row], graph | {"machine_dot": "no graph {"})
        self.assertIn("<pre>as text</pre>", page)

    def test_a_large_machine_starts_at_its_full_size(self):
        row = blank_row(source="predicted", workers=2, throughput=5)
        for width, checked in (("1575pt", 0), ("4695pt", 1)):
            svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}"/>'
            page = self.report([row], {"machine": "m", "machine_svg": svg})
            self.assertEqual(page.count('checked=""'), checked, width)

    def test_a_machine_without_a_file_is_called_by_its_title(self):
        rows = [blank_row(source="predicted", workers=2, throughput=5, machine=machine)
                for machine in ("machine", "dgx1-v100")]
        page = self.report(rows, {"machine": "machine", "resolved": {
            "machine": {"title": "Two racks & a switch"}}})
        self.assertIn('>Two racks &amp; a switch, 2 workers</a></td>', page)
        self.assertIn("<dt>machine</dt><dd>Two racks &amp; a switch</dd>", page)

    def test_the_trace_is_linked(self):
        with gzip.open(self.folder / "trace.json.gz", "wt") as file:
            file.write('{"traceEvents":[]}')
        row = blank_row(source="predicted", workers=2, throughput=5, iteration_s_mean=0.1)
        self.assertIn('<a href="trace.json.gz">', self.report([row], {}))
        done = draw(self.folder, "-o", self.folder / "elsewhere")
        self.assertEqual(done.returncode, 0)
        self.assertIn('<a href="../trace.json.gz">', page_of(self.folder / "elsewhere"))

    def test_the_jitter_is_shown(self):
        page = self.report([blank_row(source="measured", workers=2, throughput=1741,
                                      throughput_stderr=20, throughput_jitter=2337)], {})
        self.assertIn('<th>jitter</th>', page)
        self.assertIn("<td>2,337</td>", page)

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


class Mappings(unittest.TestCase):
    """In a sweep of maps of one kind, points stay distinct in figures and tables."""

    def test_two_algorithms_of_one_kind(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        texts = {"{kind: allreduce, algorithm: ring}": "allreduce ring",
                 "{kind: allreduce, algorithm: nccl}": "allreduce nccl"}
        rows = [blank_row(source=source, policy="sync", aggregation="allreduce", workers=workers,
                          batch=32, throughput=100.0 * workers * (1 + place), compute_s=0.1,
                          step_s_mean=0.1, iteration_s_mean=0.1,
                          **{"swept.aggregation": text, "swept.workers": workers})
                for workers in (2, 4) for place, text in enumerate(texts)
                for source in ("predicted", "measured")]
        write_csv(Path(folder.name) / "results.csv",
                  [*COLUMNS, "swept.aggregation", "swept.workers"], rows)
        (Path(folder.name) / "manifest.json").write_text(
            json.dumps({"labels": {"aggregation": texts}}))
        done = draw(folder.name)
        self.assertEqual((done.returncode, done.stderr), (0, SAID))
        page = (Path(folder.name) / "report.html").read_text(encoding="utf-8")
        for label in texts.values():
            for workers in (2, 4):
                cell = f'<td class="text">(?:<a [^>]*>)?{re.escape(label)}, {workers} workers<'
                self.assertEqual(len(re.findall(cell, page)), 3)
        for name in ("throughput", "breakdown", "agreement"):
            svg = (Path(folder.name) / f"figures/{name}.svg").read_text(encoding="utf-8")
            for label in texts.values():
                self.assertIn(label, svg, name)


if __name__ == "__main__":
    unittest.main()
