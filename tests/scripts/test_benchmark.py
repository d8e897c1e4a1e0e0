# SPDX-License-Identifier: MIT
"""What scripts/benchmark runs, prints and refuses, with made-up programs in place of paceline."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Benchmark(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def program(self, name, then=""):
        """A program that notes its name and arguments."""
        path = self.folder / name
        path.write_text(f'#!/bin/sh\necho {name} "$@" >> {self.folder}/runs\n{then}\n')
        path.chmod(0o755)
        return path

    def benchmark(self, *arguments):
        """(exit code, standard output, standard error)"""
        ran = subprocess.run([ROOT / "scripts/benchmark", *arguments], text=True,
                             capture_output=True, check=False)
        return ran.returncode, ran.stdout, ran.stderr

    def runs(self):
        return [line.split() for line in (self.folder / "runs").read_text().splitlines()]

    def test_alternates_with_another_build(self):
        code, printed, _ = self.benchmark(
            "point", "--rounds", "2", "--program", self.program("new"),
            "--against", self.program("old"), "--", "--unfolded")
        self.assertEqual(code, 0)
        self.assertEqual([run[0] for run in self.runs()], ["new", "old", "new", "old"])
        self.assertEqual(self.runs()[0][1:], [
            "simulate", str(ROOT / "tests/benchmarks/point.yaml"), "--no-plot", "--unfolded"])
        heading, _, row = printed.splitlines()
        self.assertEqual(heading.count("|"), 7)
        self.assertRegex(row, r"^\| point \| \d+\.\d\d \|.*\|$")
        self.assertEqual(row.count("|"), 7)

    def test_runs_every_benchmark_and_no_machine(self):
        code, printed, _ = self.benchmark("--rounds", "1", "--program", self.program("new"))
        self.assertEqual(code, 0)
        names = {pathlib.Path(run[2]).stem for run in self.runs()}
        self.assertIn("ring_4096", names)
        self.assertNotIn("node8", names)
        self.assertEqual(len(printed.splitlines()), 2 + len(names))

    def test_says_what_failed(self):
        failing = self.program("failing", "echo 'no such machine' >&2; exit 2")
        code, _, problem = self.benchmark("point", "--program", failing)
        self.assertEqual(code, 2)
        self.assertEqual(problem,
                         f"benchmark: {failing} simulate point.yaml: no such machine\n")
        code, _, problem = self.benchmark("none")
        self.assertEqual(code, 2)
        self.assertIn("no benchmark 'none' (known: ", problem)


if __name__ == "__main__":
    unittest.main()
