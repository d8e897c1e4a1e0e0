# SPDX-License-Identifier: MIT
"""The explanation of a point: its bound, its command, its place in a trace."""

import html
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from sample import MANIFEST, blank_row, write_csv, write_quickstart  # sets sys.path
from test_streams import write_run, write_trace

from paceline.explain_command import explain_command
from paceline.explanations import Explanations, bound
from paceline.report import report
from paceline.results import COLUMNS, NUMBERS, Row
from paceline.study import Study, read_run


ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/release/paceline"
SWEEP = """name: sweep
model: resnet50
machine: dgx1-p100
workers: [2, 4]
zip: [{batch: 32, update: sync}, {batch: 64, update: {kind: k-sync, k: 50 %}}]
stragglers: {compute: {kind: exponential, mean: [10 ms, 1 s], applies: added}}
steps: 30
"""


def row_of(swept=None, **cells):
    return Row({**dict.fromkeys(NUMBERS), "experiment": "two", **cells}, swept or {}, 2)


class Bounds(unittest.TestCase):
    def test_the_longest_part_names_the_bound(self):
        self.assertEqual(bound(row_of(step_s_mean=0.01, compute_s=0.0015, delay_s=0.0085,
                                      server_busy=0.0124)),
                         "straggler-bound: 85 % of a step is injected delay; the server is busy "
                         "1.24 %")
        self.assertEqual(bound(row_of(step_s_mean=2.0, exposed_comm_s=1.2345, wait_s=0.5)),
                         "communication-bound: 61.7 % of a step waits for communication")

    def test_a_busy_server_comes_first(self):
        self.assertEqual(bound(row_of(step_s_mean=1.0, compute_s=0.9, server_busy=0.95)),
                         "server-bound: the server is busy 95 %")

    def test_nothing_without_the_parts_of_a_step(self):
        self.assertEqual(bound(row_of(step_s_mean=1.0)), "")
        self.assertEqual(bound(row_of(compute_s=1.0)), "")


class Command(unittest.TestCase):
    def command(self, words, swept=None):
        class Run:
            manifest = {"command": words}
        return explain_command(Run, row_of(swept))

    def test_keeps_the_changes_of_the_experiment_and_sets_the_point(self):
        self.assertEqual(self.command("paceline run a.yaml -o out --trace --set steps=5 -j4 "
                                      "--set=workers=[1,2] --seed 3 --plot svg",
                                      {"workers": "2", "update": "{kind: k-sync, k: 50 %}"}),
                         "paceline explain a.yaml --set steps=5 --seed 3 --set workers=2 "
                         "--set 'update={kind: k-sync, k: 50 %}'")

    def test_of_several_files_that_of_the_experiment(self):
        self.assertEqual(self.command("paceline simulate one.yaml x/two.yaml --no-plot"),
                         "paceline explain x/two.yaml")
        self.assertEqual(self.command("paceline simulate -- one.yaml"),
                         "paceline explain one.yaml")
        self.assertEqual(self.command("paceline simulate one.yaml three.yaml"), "")

    def test_none_where_the_run_is_unknown(self):
        for words in ("", "paceline", "paceline run 'a", None, ["paceline"]):
            self.assertEqual(self.command(words), "", words)


class Section(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_every_row_leads_to_its_explanation(self):
        write_quickstart(self.folder)
        page = report(Study([read_run(self.folder)]), [], self.folder)
        links = re.findall(r'<a href="#(explain-[^"]*)">', page)
        ids = re.findall(r'id="(explain-[^"]*)"', page)
        self.assertEqual((len(links), len(ids)), (60, 20))
        self.assertEqual(set(links), set(ids))
        self.assertEqual(len(re.findall(r'<tr id="point-', page)), 20)

    def test_a_traced_point_leads_to_the_trace(self):
        for folder, traced in ((self.folder / "a b", True), (self.folder / "bare", False)):
            folder.mkdir()
            write_run(folder)
            if traced:
                write_trace(folder, {"predicted": 1.0, "measured": 1.1})
            study = Study([read_run(folder)])
            explained = Explanations(study, self.folder)
            links = explained.links(study.rows[0])
            trace = [("a%20b/trace.json.gz", "trace")] if traced else []
            self.assertEqual(links, [("#explain-0", "1 worker"), *trace])
            self.assertEqual("<q>s: predicted</q> and <q>s: measured</q>" in explained.section(),
                             traced)

    def test_points_of_several_runs_are_told_apart(self):
        for name in ("one", "two"):
            write_quickstart(self.folder / name)
        study = Study([read_run(self.folder / name) for name in ("one", "two")])
        page = report(study, [], self.folder)
        ids = re.findall(r'id="([^"]*)"', page)
        self.assertEqual(len(ids), len(set(ids)))
        self.assertIn('id="explain-2-19"', page)

    def test_text_is_escaped(self):
        rows = [blank_row(experiment="x", source="predicted", model="<b>", machine="ideal",
                          policy="sync", workers=each, batch=1, throughput=1,
                          **{"swept.workers": each}) for each in (1, 2)]
        write_csv(self.folder / "results.csv", [*COLUMNS, "swept.workers"], rows)
        (self.folder / "manifest.json").write_text(json.dumps(
            {**MANIFEST, "command": "paceline run '<i>.yaml'"}))
        section = Explanations(Study([read_run(self.folder)]), self.folder).section()
        self.assertNotIn("<i>", section)
        self.assertIn("paceline explain &#x27;&lt;i&gt;.yaml&#x27; --set workers=2", section)


@unittest.skipUnless(os.access(PROGRAM, os.X_OK), "the program is not built")
class AgainstTheProgram(unittest.TestCase):
    def test_the_commands_of_a_report_say_the_same_as_the_report(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "a sweep.yaml").write_text(SWEEP, encoding="utf-8")
            subprocess.run([PROGRAM, "simulate", "a sweep.yaml", "-o", "out", "--no-plot", "--set",
                            "seed=3"], cwd=folder, check=True, capture_output=True)
            section = Explanations(Study([read_run(Path(folder) / "out")]), Path(folder)).section()
            found = re.findall(r"</b> ([^<]*)</summary>.*?<code>paceline (.*?)</code>", section)
            self.assertEqual(len(found), 8)
            bounds = set()
            for said, command in found:
                done = subprocess.run(f"{PROGRAM} {html.unescape(command)}", shell=True, text=True,
                                      cwd=folder, capture_output=True, check=True)
                sentence = " ".join(done.stdout.split("layer times:")[0].split())
                for part in html.unescape(said).split("; "):
                    self.assertIn(part.replace(" %", ""), sentence.replace(" %", ""))
                bounds.add(said.split(":")[0])
            self.assertEqual(bounds, {"compute-bound", "straggler-bound"})


if __name__ == "__main__":
    unittest.main()
