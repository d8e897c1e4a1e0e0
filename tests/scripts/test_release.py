# SPDX-License-Identifier: MIT
"""scripts/release in a small repository: the source archive, and the checks before it."""

import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = {
    "CMakeLists.txt": "project(paceline VERSION 1.2.3 LANGUAGES CXX)\n",
    "CITATION.cff": "version: 1.2.3\n",
    "plots/pyproject.toml": 'version = "1.2.3"\n',
    "CHANGELOG.md": "## [Unreleased]\n\n## [1.2.3] - 2026-01-02\n\n- all\n",
    ".gitignore": "/build/\n",
}
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b.invalid", "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b.invalid"}


@unittest.skipUnless(shutil.which("git"), "no git")
class Release(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for name, text in FILES.items():
            self.write(name, text)
        (self.folder / "scripts").mkdir()
        for name in ("release", "try-package", "environment.sh"):
            shutil.copy(ROOT / "scripts" / name, self.folder / "scripts")
        self.git("init", "--quiet")
        self.commit()

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def git(self, *words):
        subprocess.run(["git", *words], cwd=self.folder, env=ENVIRONMENT, check=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "--quiet", "-m", "all")

    def script(self, name, *words):
        return subprocess.run([self.folder / "scripts" / name, *words], env=ENVIRONMENT, text=True,
                              capture_output=True, check=False)

    def test_equal_commits_give_equal_bytes(self):
        archive = self.folder / "build/dist/paceline-1.2.3.tar.gz"
        self.assertEqual(self.script("release", "source").returncode, 0)
        first = archive.read_bytes()
        os.utime(self.folder / "CITATION.cff", (0, 0))
        self.assertEqual(self.script("release", "source").returncode, 0)
        self.assertEqual(archive.read_bytes(), first)
        with tarfile.open(archive) as held:
            self.assertIn("paceline-1.2.3/plots/pyproject.toml", held.getnames())
        sums = (archive.parent / "SHA256SUMS").read_text(encoding="utf-8")
        self.assertRegex(sums, r"^[0-9a-f]{64}  paceline-1.2.3.tar.gz\n$")

    def test_refuses_changes_that_are_not_committed(self):
        self.write("CITATION.cff", "version: 1.2.3\n# new\n")
        done = self.script("release", "source")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr,
                         "release: changes are not committed (git status lists them)\n")

    def test_refuses_versions_that_differ(self):
        for name in ("CITATION.cff", "plots/pyproject.toml", "CHANGELOG.md"):
            with self.subTest(name=name):
                self.write(name, FILES[name].replace("1.2.3", "1.2.2"))
                self.commit()
                done = self.script("release", "source")
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stderr, f"release: {name} has no version 1.2.3, which "
                                              "CMakeLists.txt has\n")
                self.write(name, FILES[name])

    def test_notes_changes_without_a_version(self):
        self.write("CHANGELOG.md", "## [Unreleased]\n\n- new\n\n## [1.2.3] - 2026-01-02\n")
        self.commit()
        self.assertIn("CHANGELOG.md has unreleased changes",
                      self.script("release", "source").stdout)

    def test_refuses_an_unknown_part(self):
        done = self.script("release", "rpm")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "release: no part 'rpm' (source, deb)\n"))

    def test_there_is_no_package_to_try(self):
        done = self.script("try-package")
        self.assertEqual((done.returncode, done.stderr), (
            2, "try-package: no package 'build/dist/*.deb' (scripts/release makes it)\n"))


if __name__ == "__main__":
    unittest.main()
