# SPDX-License-Identifier: MIT
"""`paceline new` at a terminal: it asks, and takes the defaults for empty lines.
Environment: PACELINE, the program."""
import os
import pathlib
import pty
import subprocess
import tempfile
import unittest

PACELINE = os.environ.get("PACELINE", "")


@unittest.skipUnless(PACELINE, "PACELINE names no program")
class New(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def at_terminal(self, typed, *words):
        """The exit code, and all that a terminal shows until the program ends."""
        controller, terminal = pty.openpty()
        with os.fdopen(controller, "r+b", buffering=0) as screen:
            process = subprocess.Popen([PACELINE, "new", *words], cwd=self.folder, stdin=terminal,
                                       stdout=terminal, stderr=terminal,
                                       env=os.environ | {"TERM": "xterm"})
            os.close(terminal)
            screen.write(typed.encode())
            shown = b""
            while True:
                try:
                    part = screen.read(4096)
                except OSError:  # the other end is closed
                    break
                if not part:
                    break
                shown += part
            return process.wait(timeout=60), shown.decode()

    def test_empty_lines_take_the_defaults(self):
        code, shown = self.at_terminal("cluster\n\n\n\n\n\n", "mine")
        self.assertEqual(code, 0, shown)
        self.assertIn("machine (paceline list machines) [{of: dgx1-v100, count: 4", shown)
        self.assertIn("paceline simulate mine.yaml", shown)
        self.assertIn("name: mine ", (self.folder / "mine.yaml").read_text(encoding="utf-8"))

    def test_the_end_of_input_writes_nothing(self):
        code, shown = self.at_terminal("\n\n\x04")
        self.assertEqual(code, 2, shown)
        self.assertIn("standard input ended before the last answer", shown)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_options_ask_nothing(self):
        code, shown = self.at_terminal("", "--model", "vgg16")
        self.assertEqual(code, 0, shown)
        self.assertNotIn("[", shown)

    def test_without_a_terminal_it_takes_all_defaults(self):
        done = subprocess.run([PACELINE, "new"], cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("model: resnet50 ",
                      (self.folder / "my-question.yaml").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
