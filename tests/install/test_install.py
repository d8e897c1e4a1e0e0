# SPDX-License-Identifier: MIT
"""cmake --install into a prefix that is then moved: the program runs there, with its own plots,
experiments and plug-ins, and not with those of the source tree. Environment: CMAKE; BUILD, the
build folder; PLUGINS, the file names of the plug-ins that were built."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
POINT = """name: point
model: {kind: mlp, inputs: 8, hidden: [8], classes: 2}
machine: ideal
batch: 4
workers: [1, 2]
steps: 5
"""


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        first = cls.folder / "first"
        subprocess.run([os.environ["CMAKE"], "--install", os.environ["BUILD"], "--prefix", first],
                       check=True, capture_output=True)
        cls.prefix = first.rename(cls.folder / "moved")
        cls.environment = {"PATH": "/usr/bin:/bin", "HOME": str(cls.folder)}

    def paceline(self, *words, **more):
        return subprocess.run([self.prefix / "bin/paceline", *words], cwd=self.folder, text=True,
                              env=self.environment | more, capture_output=True, check=False)

    def test_holds_what_a_user_needs(self):
        files = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*")
                 if path.is_file()}
        self.assertLessEqual({
            "bin/paceline", "share/paceline/plots/draw.py",
            "share/paceline/plots/paceline/report.css", "share/paceline/plots/pyproject.toml",
            "share/paceline/experiments/quickstart.yaml",
            "share/paceline/experiments/schema.json",
            "share/paceline/experiments/published/tf-dgx1-p100.csv",
            "share/bash-completion/completions/paceline", "share/zsh/site-functions/_paceline",
            "share/fish/vendor_completions.d/paceline.fish",
            "share/man/man1/paceline.1", "share/man/man1/paceline-simulate.1", "share/doc/paceline/LICENSE", "share/doc/paceline/docs/experiment-file.md"}, files)
        # nothing of the sources
        wrong = [name for name in files if name.endswith((".cpp", ".hpp", ".a", "CMakeLists.txt"))]
        self.assertEqual(wrong, [])

    def test_says_its_version(self):
        said = self.paceline("--version")
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        self.assertRegex(said.stdout, r"^paceline \d+\.\d+\.\d+")

    def simulate(self):
        (self.folder / "point.yaml").write_text(POINT, encoding="utf-8")
        said = self.paceline("simulate", "point.yaml")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertTrue((self.folder / "results/point/results.csv").is_file())

    def test_simulates_and_draws(self):
        self.simulate()
        said = self.paceline("plot", "results/point")
        if said.returncode == 77:
            self.skipTest(said.stderr)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertTrue((self.folder / "results/point/report.html").is_file())

    def test_takes_its_own_plots_before_those_of_the_sources(self):
        marked = self.prefix / "share/paceline/plots/draw.py"
        text = marked.read_text(encoding="utf-8")
        self.addCleanup(marked.write_text, text, encoding="utf-8")
        marked.write_text("import pathlib\npathlib.Path('drawn').write_text(__file__)\n",
                          encoding="utf-8")
        self.simulate()
        said = self.paceline("plot", "results/point")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual((self.folder / "drawn").read_text(encoding="utf-8"), str(marked))

    def test_the_python_package_starts_the_program_beside_it(self):
        said = subprocess.run(
            [sys.executable, "-B", "-c", "from paceline import program; print(program.program())"],
            env=self.environment | {"PYTHONPATH": str(self.prefix / "share/paceline/plots")},
            text=True, capture_output=True, check=True)
        self.assertEqual(said.stdout, f"{self.prefix.resolve()}/bin/paceline\n")

    def test_reads_its_own_published_tables(self):
        table = self.prefix / "share/paceline/experiments/published/tf-dgx1-p100.yaml"
        text = table.read_text(encoding="utf-8")
        self.addCleanup(table.write_text, text, encoding="utf-8")
        table.write_text("name: [\n", encoding="utf-8")
        said = self.paceline("validate")
        self.assertEqual(said.returncode, 2)
        self.assertIn(str(table), said.stderr)

    def test_brings_the_plug_ins_that_were_built(self):
        folder = self.prefix / "lib/paceline"
        found = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
        self.assertEqual(found, sorted(os.environ["PLUGINS"].split()))

    @unittest.skipUnless("libpaceline_mpi.so" in os.environ["PLUGINS"] and shutil.which("mpirun"),
                         "this build has no MPI plug-in")
    def test_is_started_by_mpirun(self):
        (self.folder / "joint.yaml").write_text(
            POINT.replace("ideal", "this").replace("[1, 2]", "2"), encoding="utf-8")
        words = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2",
                 self.prefix / "bin/paceline", "execute", "joint.yaml", "-o", "joint"]
        said = subprocess.run(words, cwd=self.folder, text=True, check=False,
                              env=self.environment | {"TMPDIR": str(self.folder)},
                              capture_output=True, timeout=120)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertTrue((self.folder / "joint/results.csv").is_file())


if __name__ == "__main__":
    unittest.main()
