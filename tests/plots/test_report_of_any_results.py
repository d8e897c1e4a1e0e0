# SPDX-License-Identifier: MIT
"""The report of results and manifests of any kind: failures, odd names, missing parts, maps."""

import gzip
import json
import re
import shutil
import unittest

from drawing import SAID, draw, page_of
from folders import InFolder
from sample import blank_row, write_csv  # sets sys.path

from paceline.results import COLUMNS


class AnyResults(InFolder):
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

    def test_two_algorithms_of_one_kind_stay_distinct(self):
        """In figures and tables of a sweep of maps."""
        texts = {"{kind: allreduce, algorithm: ring}": "allreduce ring",
                 "{kind: allreduce, algorithm: nccl}": "allreduce nccl"}
        rows = [blank_row(source=source, policy="sync", aggregation="allreduce", workers=workers,
                          batch=32, throughput=100.0 * workers * (1 + place), compute_s=0.1,
                          step_s_mean=0.1, iteration_s_mean=0.1,
                          **{"swept.aggregation": text, "swept.workers": workers})
                for workers in (2, 4) for place, text in enumerate(texts)
                for source in ("predicted", "measured")]
        write_csv(self.folder / "results.csv",
                  [*COLUMNS, "swept.aggregation", "swept.workers"], rows)
        (self.folder / "manifest.json").write_text(
            json.dumps({"labels": {"aggregation": texts}}))
        done = draw(self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, SAID))
        page = (self.folder / "report.html").read_text(encoding="utf-8")
        for label in texts.values():
            for workers in (2, 4):
                cell = f'<td class="text">(?:<a [^>]*>)?{re.escape(label)}, {workers} workers<'
                self.assertEqual(len(re.findall(cell, page)), 3)
        for name in ("throughput", "breakdown", "agreement"):
            svg = (self.folder / f"figures/{name}.svg").read_text(encoding="utf-8")
            for label in texts.values():
                self.assertIn(label, svg, name)


if __name__ == "__main__":
    unittest.main()
