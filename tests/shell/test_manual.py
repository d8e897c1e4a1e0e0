# SPDX-License-Identifier: MIT
"""The manual pages: one of the program and one of each command, without a warning of man or mandoc.
Environment: PACELINE, the program."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

PACELINE = os.environ.get("PACELINE", "")


def paceline(*words, **environment):
    return subprocess.run([PACELINE, *words], check=False, capture_output=True, text=True,
                          env=os.environ | environment)


@unittest.skipUnless(PACELINE, "PACELINE names no program")
class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        paceline("manual", "-o", str(cls.folder)).check_returncode()
        cls.pages = {path.name: path.read_text(encoding="utf-8")
                     for path in cls.folder.glob("*.1")}

    def test_there_is_one_of_each_command(self):
        commands = re.findall(r"^  ([a-z]+)\b.*", paceline("--help").stdout.split("exit codes")[0],
                              re.MULTILINE)
        self.assertIn("simulate", commands)
        self.assertEqual(set(self.pages),
                         {"paceline.1"} | {f"paceline-{name}.1" for name in commands})

    def test_each_has_every_option_of_the_help(self):
        for name, page in self.pages.items():
            if name == "paceline.1":
                continue
            with self.subTest(page=name):
                command = name.removeprefix("paceline-").removesuffix(".1")
                said = paceline(command, "--help").stdout
                options = re.findall(r"^  (--?[a-z-]+)", said, re.MULTILINE)
                plain = page.replace("\\-", "-")
                for option in options:
                    self.assertIn(f"\n\\fB{option}\\fR", plain)

    def test_the_date_can_be_given(self):
        page = paceline("manual", "simulate", SOURCE_DATE_EPOCH="951782400").stdout
        self.assertIn(".TH PACELINE-SIMULATE 1 2000-02-29 ", page)

    def test_a_page_on_standard_output_is_that_of_the_folder(self):
        self.assertEqual(paceline("manual", "fit").stdout, self.pages["paceline-fit.1"])
        self.assertEqual(paceline("manual").stdout, self.pages["paceline.1"])

    def test_wrong_operands_are_refused(self):
        self.assertEqual(paceline("manual", "fi").returncode, 2)
        self.assertEqual(paceline("manual", "fit", "-o", "x").returncode, 2)

    @unittest.skipUnless(shutil.which("man"), "man is not installed")
    def test_man_has_no_warning(self):
        for name in self.pages:
            with self.subTest(page=name):
                done = subprocess.run(["man", "--warnings", "-l", self.folder / name], check=False,
                                      capture_output=True, text=True,
                                      env=os.environ | {"MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn("SYNOPSIS", done.stdout)

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_mandoc_has_no_warning(self):
        for name in self.pages:
            with self.subTest(page=name):
                done = subprocess.run(["mandoc", "-Tlint", self.folder / name],
                                      check=False, capture_output=True, text=True)
                self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
