# SPDX-License-Identifier: MIT
"""What the scripts build, with a made-up cmake: a configuring that failed is never taken for one that
succeeded, and scripts/quickstart needs no package of the tests."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Configuring fails while there is a file `broken`; else it writes what the real one writes.
CMAKE = """#!/bin/sh
echo "$@" >>calls
[ "$1" = --preset ] || exit 0
mkdir -p "build/$2"
case "$*" in *TESTS=OFF*) tests=OFF ;; *) tests=ON ;; esac
echo "PACELINE_TESTS:BOOL=$tests" >"build/$2/CMakeCache.txt"
[ ! -e broken ] || exit 1
touch "build/$2/build.ninja"
echo "CUDA plug-in: not built (nvcc not found)" >"build/$2/left-out.txt"
"""


class Build(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for part in ("scripts", "tools"):
            (self.folder / part).mkdir()
        shutil.copy(ROOT / "scripts/environment.sh", self.folder / "scripts")
        (self.folder / "CMakePresets.json").write_text("{}")
        cmake = self.folder / "tools/cmake"
        cmake.write_text(CMAKE)
        cmake.chmod(0o755)

    def run_lines(self, lines):
        """(exit code, stdout, stderr, cmake's arguments) of a script that has these lines."""
        (self.folder / "calls").write_text("")
        script = self.folder / "scripts/it"
        script.write_text('. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"\n' + lines)
        environment = dict(os.environ, PATH=f"{self.folder / 'tools'}:/usr/bin:/bin")
        said = subprocess.run(["bash", script], env=environment, text=True, capture_output=True,
                              check=False)
        return (said.returncode, said.stdout, said.stderr,
                (self.folder / "calls").read_text().splitlines())

    def test_configures_again_after_a_failure(self):
        (self.folder / "broken").touch()
        failed = (1, "", "it: cmake --preset release -DPACELINE_TESTS=ON failed\n",
                  ["--preset release -DPACELINE_TESTS=ON"])
        # without `set -e`, too
        for lines in ("build release\n", "set -e\nbuild release\necho built\n"):
            for _ in range(2):
                self.assertEqual(self.run_lines(lines), failed)
        (self.folder / "broken").unlink()
        self.assertEqual(self.run_lines("build release\n")[3],
                         ["--preset release -DPACELINE_TESTS=ON", "--build --preset release"])
        self.assertEqual(self.run_lines("build release cli_test exec_test\n")[3],
                         ["--build --preset release --target cli_test exec_test"])

    def test_configures_again_when_the_presets_change(self):
        self.run_lines("build dev\n")
        later = (self.folder / "build/dev/configured").stat().st_mtime + 10
        os.utime(self.folder / "CMakePresets.json", (later, later))
        self.assertEqual(len(self.run_lines("build dev\n")[3]), 2)

    def test_builds_the_program_without_the_tests(self):
        code, out, err, calls = self.run_lines("build_program\n")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out, "CUDA plug-in: not built (nvcc not found)\n")
        self.assertEqual(calls, ["--preset release -DPACELINE_TESTS=OFF",
                                 "--build --preset release --target program"])
        # the tests are added when they are asked for, and stay
        self.assertEqual(self.run_lines("build release\n")[3],
                         ["--preset release -DPACELINE_TESTS=ON", "--build --preset release"])
        # a toolkit may have been installed since
        self.assertEqual(self.run_lines("build_program\n")[3],
                         ["--preset release", "--build --preset release --target program"])
        (self.folder / "build/release/left-out.txt").write_text("")
        self.assertEqual(self.run_lines("build_program\n")[3],
                         ["--build --preset release --target program"])


if __name__ == "__main__":
    unittest.main()
