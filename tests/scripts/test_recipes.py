# SPDX-License-Identifier: MIT
"""The recipes for other services: container image, continuous integration, citation. They are not
run here: their form is checked, and the files that they name exist."""

import json
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = "/usr/bin/python3"  # Debian's, for which python3-yaml is
READ = "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin), default=str))"


def has_yaml():
    done = subprocess.run([PYTHON, "-c", "import yaml"], capture_output=True, check=False)
    return done.returncode == 0


def read(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    done = subprocess.run([PYTHON, "-c", READ], input=text, text=True, capture_output=True,
                          check=True)
    return json.loads(done.stdout)


@unittest.skipUnless(has_yaml(), "python3-yaml is not installed")
class Yaml(unittest.TestCase):
    def test_workflow_runs_what_a_contributor_runs(self):
        jobs = read(".github/workflows/ci.yml")["jobs"]
        self.assertEqual(set(jobs), {"test", "site"})
        for name, job in jobs.items():
            self.assertEqual(job["container"], "debian:12")
            scripts = [step["run"] for step in job["steps"]
                       if step.get("run", "").startswith("scripts/")]
            called = {"test": "scripts/test", "site": "scripts/build-site"}[name]
            self.assertEqual(scripts, [called])

    def test_pipeline_runs_what_a_contributor_runs(self):
        pipeline = read(".gitlab-ci.yml")
        self.assertEqual(pipeline["default"]["image"], "debian:12")
        self.assertEqual(pipeline["test"]["script"], ["scripts/test"])
        self.assertEqual(pipeline["site"]["script"], ["scripts/build-site"])

    def test_citation_has_the_required_keys(self):
        """Those of the Citation File Format 1.2.0, and of an author."""
        citation = read("CITATION.cff")
        self.assertLessEqual({"authors", "cff-version", "message", "title"}, set(citation))
        self.assertEqual(citation["cff-version"], "1.2.0")
        self.assertIn(citation["type"], {"software", "dataset"})
        for author in citation["authors"]:
            self.assertTrue({"name", "family-names", "given-names", "alias"} & set(author))
        self.assertRegex(citation["date-released"], r"^\d{4}-\d\d-\d\d$")
        self.assertIn(f"VERSION {citation['version']} ",
                      (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))


class Dockerfile(unittest.TestCase):
    def setUp(self):
        text = (ROOT / "docker/Dockerfile").read_text(encoding="utf-8")
        commands = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)
        self.lines = commands.replace("\\\n", "").split("\n")

    def test_both_stages_are_debian(self):
        stages = [line.split()[1:] for line in self.lines if line.startswith("FROM ")]
        self.assertEqual(stages, [["debian:12", "AS", "build"], ["debian:12"]])

    def test_copied_and_called_files_exist(self):
        for line in self.lines:
            if line.startswith("COPY ") and "--from" not in line:
                for name in line.split()[1:-1]:
                    self.assertTrue((ROOT / name).exists(), name)
            for name in re.findall(r"\bscripts/[\w.-]+", line if line.startswith("RUN ") else ""):
                self.assertTrue((ROOT / name).exists(), name)

    def test_lists_are_those_of_the_package(self):
        package = (ROOT / "cmake/Package.cmake").read_text(encoding="utf-8")
        named = re.findall(r'PACKAGE_(?:RECOMMENDS|SUGGESTS) "?([^")]+)', package)
        listed = re.findall(r"^([a-z0-9-]+)", (ROOT / "scripts/packages-run.txt").read_text(),
                            re.MULTILINE)
        self.assertEqual(set(", ".join(named).split(", ")), set(listed))


if __name__ == "__main__":
    unittest.main()
