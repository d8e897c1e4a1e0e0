# SPDX-License-Identifier: MIT
"""The package `paceline`: tables, figures, notebooks, runs from Python, errors of one line."""

import fnmatch
import importlib.util
import os
import re
import stat
import subprocess
import sys
import tomllib
import unittest
import warnings
from pathlib import Path
from unittest import mock

from sample import Samples  # sets sys.path
from sample_training import write_training

import paceline
from paceline.flow_text import flow_text

ROOT = Path(__file__).resolve().parents[2]
HAS_PANDAS = bool(importlib.util.find_spec("pandas"))
HAS_MATPLOTLIB = bool(importlib.util.find_spec("matplotlib"))
# Writes its arguments and the experiment to a log, and ends as $CODE says.
FAKE = """#!/bin/sh
for word; do printf '%s\\n' "$word" >> "$LOG"; last=$word; done
cat "$last" >> "$LOG"
printf "$SAID" "$last" >&2
[ "$CODE" = 2 ] || echo "results: $RESULTS/results.csv"
exit "$CODE"
"""


class Written(Samples):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        write_training(cls.root / "training")

    def error_of(self, act, *arguments, **more):
        with self.assertRaises(paceline.Error) as caught:
            act(*arguments, **more)
        text = str(caught.exception)
        self.assertNotIn("\n", text)
        return text


@unittest.skipUnless(HAS_PANDAS, "pandas is not installed")
class Tables(Written):
    def test_results_have_a_line_per_point_and_source(self):
        table = paceline.load(self.root / "quickstart").results
        self.assertEqual(len(table), len((self.root / "quickstart/results.csv")
                                         .read_text(encoding="utf-8").splitlines()) - 1)
        self.assertFalse(table.duplicated(["point", "source"]).any())
        self.assertEqual(len(set(table.columns)), len(table.columns))

    def test_columns_have_types(self):
        table = paceline.load(self.root / "quickstart").results
        self.assertEqual({name: str(table[name].dtype) for name in
                          ("point", "workers", "k", "throughput", "source", "swept.workers")},
                         {"point": "int64", "workers": "Int64", "k": "Int64",
                          "throughput": "float64", "source": "object", "swept.workers": "Int64"})

    def test_a_table_pivots(self):
        table = paceline.load(self.root / "quickstart").results
        wide = table[table.source == "predicted"].pivot_table(
            index="workers", columns="policy", values="throughput")
        self.assertGreater(wide.loc[16, "async"], wide.loc[16, "sync"])

    def test_comparison_is_that_of_the_report(self):
        results = paceline.load(self.root / "quickstart")
        table = results.comparison
        self.assertEqual(len(table), 20)
        error = table.predicted / table.observed - 1
        self.assertLess((error - table.error).abs().max(), 1e-12)
        self.assertFalse(table.given.any())
        given = paceline.load(self.root / "dgx1").comparison
        self.assertEqual(set(given.workers[given.given]), {1})

    def test_files_beside_the_results(self):
        results = paceline.load(self.root / "training")
        for table in (results.curves, results.staleness, results.step_times):
            self.assertGreater(len(table), 0)
            self.assertEqual(list(table.columns[:2]), ["point", "source"])
        self.assertEqual(list(results.steps.columns[:4]), ["point", "source", "worker", "step"])
        shares = results.step_times.groupby(["point", "source"]).share
        self.assertTrue((shares.first() == 0).all() and (shares.last() == 1).all())

    def test_the_manifest_is_a_table(self):
        manifest = paceline.load(self.root / "quickstart").manifest
        self.assertEqual(manifest.value["experiment"], "quickstart")
        self.assertIn("host.cpu", manifest.index)

    def test_several_runs_are_told_apart(self):
        both = paceline.load(self.root / "quickstart", self.root / "dgx1")
        self.assertEqual(set(both.results.run), {"quickstart", "dgx1"})
        self.assertEqual(set(both.comparison.run), {"quickstart", "dgx1"})
        self.assertEqual(both.name, "quickstart + tensorflow-dgx1")

    def test_the_names_of_columns_are_those_of_an_empty_run_too(self):
        results = paceline.load(self.root / "dgx1")
        self.assertEqual(list(results.curves.columns),
                         ["point", "source", "repeat", "updates", "time_s", "items", "loss",
                          "accuracy"])


@unittest.skipUnless(HAS_PANDAS, "pandas is not installed")
class Notebook(Written):
    def test_results_show_the_answer_and_the_points(self):
        results = paceline.load(self.root / "quickstart")
        page = results._repr_html_()
        self.assertIn(results.question, page)
        self.assertIn("<th class=\"text\">point</th>", page)
        self.assertIn("and 20 more rows", page)
        self.assertNotIn("<script", page)
        self.assertTrue(repr(results).startswith("<results of quickstart: 60 rows"))

    def test_a_figure_is_a_picture_with_its_caption(self):
        figure = paceline.load(self.root / "quickstart").figures["throughput"]
        self.assertIn("data:image/svg+xml;base64,", figure._repr_html_())
        self.assertIn("<figcaption>", figure._repr_html_())
        self.assertTrue(figure.svg.startswith("<svg"))

    @unittest.skipUnless(HAS_MATPLOTLIB, "Matplotlib is not installed")
    def test_png_of_the_results_and_of_a_figure(self):
        results = paceline.load(self.root / "dgx1")
        for shown in (results, results.figures["agreement"]):
            self.assertTrue(shown._repr_png_().startswith(b"\x89PNG"))

    def test_saves_by_the_ending(self):
        figure = paceline.load(self.root / "dgx1").figures["agreement"]
        figure.save(self.root / "out/agreement.svg")
        self.assertEqual((self.root / "out/agreement.svg").read_text(encoding="utf-8"), figure.svg)
        self.assertRegex(self.error_of(figure.save, self.root / "agreement.gif"),
                         r"agreement.gif: error: unknown format 'gif' \(known: svg, pdf, png\)$")

    def test_an_unknown_figure_lists_those_drawn(self):
        figures = paceline.load(self.root / "dgx1").figures
        self.assertRegex(self.error_of(figures.__getitem__, "staleness"),
                         r"^figures: error: no figure 'staleness' \(drawn: throughput, .*\)$")
        self.assertNotIn("staleness", figures)
        self.assertEqual(figures.get("staleness"), None)


class Errors(Written):
    @unittest.skipUnless(HAS_PANDAS, "pandas is not installed")
    def test_of_load(self):
        self.assertEqual(self.error_of(paceline.load, self.root / "none"),
                         f"{self.root}/none: error: no such folder")
        self.assertIn("a results folder is needed", self.error_of(paceline.load))
        self.assertIn("not int", self.error_of(paceline.load, 7))
        (self.root / "empty").mkdir()
        self.assertIn("results.csv: error: no such file",
                      self.error_of(paceline.load, self.root / "empty"))

    def test_without_pandas(self):
        with mock.patch.dict(sys.modules, {"pandas": None}):
            for act in (paceline.load, paceline.simulate):
                self.assertEqual(self.error_of(act, self.root / "dgx1"), "pandas: error: not "
                                 "installed (apt-get install python3-pandas)")

    def test_importing_needs_neither_pandas_nor_matplotlib(self):
        done = subprocess.run(
            [sys.executable, "-B", "-c", "import sys, paceline, paceline.draw\n"
             "print([each for each in ('pandas', 'matplotlib') if each in sys.modules])"],
            cwd=ROOT / "plots", capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "[]\n")


@unittest.skipUnless(HAS_PANDAS, "pandas is not installed")
class Runs(Written):
    """With a program that only notes how it was called."""

    def setUp(self):
        self.log = self.root / f"{self.id()}.log"
        fake = self.root / "paceline"
        fake.write_text(FAKE, encoding="utf-8")
        fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
        self.environment = {"PACELINE": str(fake), "LOG": str(self.log), "CODE": "0", "SAID": "",
                            "RESULTS": str(self.root / "dgx1")}

    def calling(self, act, *arguments, code=0, said="", **more):
        with mock.patch.dict(os.environ, self.environment | {"CODE": str(code), "SAID": said}):
            return act(*arguments, **more)

    def words(self):
        return self.log.read_text(encoding="utf-8").splitlines()

    def test_a_file_with_overrides(self):
        file = self.root / "x.yaml"
        file.write_text("name: x\n", encoding="utf-8")
        results = self.calling(paceline.run, file, output="out", trace=True, workers=[1, 2],
                               stragglers__compute__mean="20 ms", update=["sync", {"kind": "ssp"}])
        self.assertEqual(results.name, "tensorflow-dgx1")
        self.assertEqual(self.words(), [
            "run", "--no-plot", "-o", "out", "--trace", "--set", "workers=[1, 2]",
            "--set", "stragglers.compute.mean=20 ms", "--set", "update=[sync, {kind: ssp}]",
            "--", str(file), "name: x"])

    def test_a_mapping_and_a_text(self):
        self.calling(paceline.simulate, {"name": "x", "batch": range(1, 3), "cost": 0.5})
        self.assertEqual(self.words()[-1], "{name: x, batch: [1, 2], cost: 0.5}")
        self.assertEqual(self.words()[0], "simulate")
        self.calling(paceline.execute, "name: y\nmodel: mlp\n")
        self.assertEqual(self.words()[-2:], ["name: y", "model: mlp"])

    def test_wrong_input_is_the_first_line_of_the_program(self):
        said = self.error_of(self.calling, paceline.simulate, {"name": "x"}, code=2,
                             said="%s:1:2: error: unknown\\n\\n%s:3: error: another\\n")
        self.assertEqual(said, "experiment.yaml:1:2: error: unknown (and 1 more error)")
        self.assertIn("NoneType", self.error_of(self.calling, paceline.simulate, None))
        self.assertEqual(self.error_of(self.calling, paceline.run, "x.yaml", model=object)[:14],
                         "model: error: ")

    def test_failed_points_are_a_warning(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.calling(paceline.run, {"name": "x"}, code=1, said="point 3: error: diverged")
        self.assertEqual([str(each.message) for each in caught], ["point 3: error: diverged"])

    def test_no_program(self):
        with mock.patch.dict(os.environ, {"PACELINE": "", "PATH": ""}), \
                mock.patch("os.access", return_value=False):
            self.assertIn("was not found", self.error_of(paceline.run, "x.yaml"))


@unittest.skipUnless(HAS_PANDAS and os.access(ROOT / "build/release/paceline", os.X_OK),
                     "pandas is not installed, or the program is not built")
class RealRuns(Written):
    SPEC = {"name": "two", "model": {"kind": "mlp", "inputs": 8, "hidden": [8], "classes": 2},
            "machine": "ideal", "batch": 4, "workers": [1, 2], "steps": 5,
            "stragglers": {"compute": {"kind": "constant", "value": "20 ms", "applies": "added"}}}

    def test_simulates(self):
        results = paceline.simulate(self.SPEC, output=self.root / "two", workers=[1, 2, 4])
        predicted = results.results[results.results.source == "predicted"]
        self.assertEqual(list(predicted.workers), [1, 2, 4])
        self.assertEqual(results.directories, [self.root / "two"])

    def test_a_mistake_is_one_line_without_a_temporary_path(self):
        said = self.error_of(paceline.simulate, {**self.SPEC, "model": "resnet51"})
        self.assertRegex(said, r"^experiment\.yaml:1:\d+: error: unknown model 'resnet51'")


class Questions(Written):
    """explain, compare, collective and fit return what the program prints with --json."""

    def setUp(self):
        self.fake = self.root / "paceline-json"
        self.fake.write_text("""#!/bin/sh
[ -z "$SAID" ] || { echo "$SAID" >&2; exit 2; }
printf '[{"words": ["%s"' "$1"; shift
for word; do printf ', "%s"' "$word"; done
printf ']}]'
""", encoding="utf-8")
        self.fake.chmod(self.fake.stat().st_mode | stat.S_IXUSR)

    def asked(self, act, *arguments, said="", **more):
        with mock.patch.dict(os.environ, {"PACELINE": str(self.fake), "SAID": said}):
            return act(*arguments, **more)

    def test_words_are_those_of_the_command_line(self):
        words = self.asked(paceline.explain, "x.yaml", workers=4, update__k=2)["words"]
        self.assertEqual(words, ["explain", "--json", "--set", "workers=4", "--set", "update.k=2",
                                 "--", "x.yaml"])
        words = self.asked(paceline.compare, "x.yaml", machine=["a", "b"])[0]["words"]
        self.assertEqual(words[2:4], ["--set", "machine=[a, b]"])
        words = self.asked(paceline.collective, {"of": "dgx-h100", "count": 2}, op="all-gather",
                           e="1G", output="out", execute=True)[0]["words"]
        self.assertEqual(words, ["collective", "--json", "--no-plot", "--machine",
                                 "{of: dgx-h100, count: 2}", "--op", "all-gather", "-e", "1G",
                                 "-o", "out", "--execute"])
        words = self.asked(paceline.fit, Path("t.csv"), only=["a=1", "b=2"])[0]["words"]
        self.assertEqual(words, ["fit", "--json", "--only", "a=1", "--only", "b=2", "--", "t.csv"])

    def test_an_error_is_one_line(self):
        error = "x.yaml:1:1: error: no"
        self.assertEqual(self.error_of(self.asked, paceline.explain, "x.yaml", said=error), error)


class FlowText(unittest.TestCase):
    def test_writes_values_that_the_program_reads(self):
        for value, text in (("10 ms", "10 ms"), ("25 %", "25 %"), ("a, b", '"a, b"'), ("", '""'),
                            ("x: y", '"x: y"'), (True, "true"), (None, "null"), (3, "3"),
                            (2.5, "2.5"), ([1, ["a"]], "[1, [a]]"), ({"k": {}}, "{k: {}}"),
                            ("- a", '"- a"'), ("#a", '"#a"'), ("results/x", "results/x")):
            self.assertEqual(flow_text(value), text)


class Project(unittest.TestCase):
    def test_the_version_is_that_of_the_program(self):
        version = re.search(r'^version = "(.+)"$', (ROOT / "plots/pyproject.toml")
                            .read_text(encoding="utf-8"), re.MULTILINE)[1]
        self.assertEqual(paceline.__version__, version)
        self.assertIn(f"project(paceline VERSION {version} ",
                      (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))

    def test_installs_every_file_of_the_package(self):
        project = tomllib.loads((ROOT / "plots/pyproject.toml").read_text(encoding="utf-8"))
        patterns = project["tool"]["setuptools"]["package-data"]["paceline"]
        files = {path.name for path in (ROOT / "plots/paceline").iterdir()
                 if path.is_file() and path.suffix != ".py"}
        installed = {name for pattern in patterns for name in fnmatch.filter(files, pattern)}
        self.assertEqual(files - installed, set())


if __name__ == "__main__":
    unittest.main()
