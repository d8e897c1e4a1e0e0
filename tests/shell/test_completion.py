# SPDX-License-Identifier: MIT
"""Completion in the shells: bash completes lines on a terminal of its own; the scripts for zsh and
fish are checked where these are installed. Environment: PACELINE, the program."""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time
import unittest

PACELINE = os.environ.get("PACELINE", "")
END = "=end="


def script(shell):
    return subprocess.run([PACELINE, "completion", shell], check=True, capture_output=True,
                          text=True).stdout


class Terminal:
    """An interactive bash on a pseudo-terminal, with the completion sourced."""

    def __init__(self, folder):
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.chdir(folder)
            environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "TERM": "dumb", "PS1": "$ ",
                           "INPUTRC": "/dev/null"}
            os.execve("/bin/bash", ["bash", "--norc", "--noprofile", "-i"], environment)
        # paceline prints its arguments, so that the line as completed is seen
        self.send("bind 'set enable-bracketed-paste off'; paceline() { printf '<%s>' \"$@\"; echo "
                  + END[:3] + "''" + END[3:] + "; }; source completion; stty -echo; echo rea''dy\n")
        self.read_to("ready")

    def send(self, text):
        os.write(self.terminal, text.encode())

    def read_to(self, end):
        text, stop = "", time.monotonic() + 20
        while end not in text:
            if not select.select([self.terminal], [], [], max(0, stop - time.monotonic()))[0]:
                raise AssertionError(f"no {end!r} in {text!r}")
            text += os.read(self.terminal, 65536).decode()
        return text

    def completed(self, line):
        """The words of `line` after a press of the tabulator key and of Enter."""
        self.send(line + "\t\n")
        said = self.read_to(END)
        return re.findall(r"<([^<>]*)>", said[said.rindex("<" + line.split()[1][:2]):])

    def close(self):
        os.close(self.terminal)
        os.waitpid(self.child, 0)


@unittest.skipUnless(PACELINE, "PACELINE names no program")
class Bash(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        (cls.folder / "completion").write_text(script("bash"), encoding="utf-8")
        (cls.folder / "question.yaml").touch()
        (cls.folder / "results").mkdir()
        (cls.folder / "results" / "question@seed=2").mkdir()
        cls.bash = Terminal(cls.folder)
        cls.addClassCleanup(cls.bash.close)

    def check(self, line, *words):
        with self.subTest(line=line):
            self.assertEqual(self.bash.completed("paceline " + line), list(words))

    def test_commands(self):
        self.check("simu", "simulate")
        self.check("comple", "completion")

    def test_options(self):
        self.check("simulate --unf", "simulate", "--unfolded")
        self.check("simulate question.yaml --no", "simulate", "question.yaml", "--no-plot")
        self.check("list --rank", "list", "--rank")  # an option of other commands

    def test_values_of_options(self):
        self.check("execute --device cu", "execute", "--device", "cuda")
        self.check("execute --device=cu", "execute", "--device=cuda")
        self.check("collective --machine dgx1-p", "collective", "--machine", "dgx1-p100")
        self.check("collective --op reduce-s", "collective", "--op", "reduce-scatter")
        self.check("topology import x --gpu k80-d", "topology", "import", "x", "--gpu", "k80-d")

    def test_keys_of_an_experiment(self):
        self.check("simulate --set layer_t", "simulate", "--set", "layer_times=")
        self.check("simulate --set model=googl", "simulate", "--set", "model=googlenet")
        self.check("simulate --set=update=dow", "simulate", "--set=update=downpour")

    def test_operands(self):
        self.check("simulate ques", "simulate", "question.yaml")
        self.check("simulate -o out ques", "simulate", "-o", "out", "question.yaml")
        self.check("topology disc", "topology", "discover")
        self.check("topology show s8", "topology", "show", "s822lc-p100")
        self.check("list optimi", "list", "optimizers")
        self.check("completion fi", "completion", "fish")

    def test_folders_with_characters_that_break_words(self):
        self.check("plot resul", "plot", "results/")
        self.check("diff results results/question@se", "diff", "results",
                   "results/question@seed=2")
        self.check("diff results results/question@seed=", "diff", "results",
                   "results/question@seed=2")

    def test_an_option_without_candidates_offers_nothing(self):
        self.check("simulate --seed q", "simulate", "--seed", "q")


@unittest.skipUnless(PACELINE, "PACELINE names no program")
class OtherShells(unittest.TestCase):
    def test_each_script_is_of_the_tables(self):
        for shell in ["bash", "zsh", "fish"]:
            text = script(shell)
            for word in ["simulate", "dgx1-p100", "unfolded", "model=resnet50"]:
                self.assertIn(word, text, shell)

    def test_their_syntax(self):
        for shell in ["bash", "zsh", "fish"]:
            with self.subTest(shell=shell):
                program = shutil.which(shell)
                if program is None:
                    self.skipTest(shell + " is not installed")
                done = subprocess.run([program, "-n"], input=script(shell), text=True,
                                      capture_output=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
