# SPDX-License-Identifier: MIT
"""What scripts/bare-machine says where it cannot run."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class BareMachine(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for part in ("scripts", "tools"):
            (self.folder / part).mkdir()
        for script in ("bare-machine", "environment.sh"):
            shutil.copy(ROOT / "scripts" / script, self.folder / "scripts")
        for tool in ("bash", "dirname", "basename", "mkdir", "nproc", "rm", "sed", "env"):
            os.symlink(shutil.which(tool), self.folder / "tools" / tool)

    def tool(self, name, text):
        path = self.folder / "tools" / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)

    def bare_machine(self, *words):
        return subprocess.run([self.folder / "scripts/bare-machine", *words], text=True,
                              env={"PATH": str(self.folder / "tools")}, capture_output=True,
                              check=False)

    def test_refuses_an_unknown_option(self):
        said = self.bare_machine("--kep")
        self.assertEqual((said.returncode, said.stdout), (2, ""))
        self.assertEqual(said.stderr, "bare-machine: no option '--kep' (--keep, "
                         "--copy FILE, then a command)\n")

    def test_copies_only_files_that_exist(self):
        said = self.bare_machine("--copy", "no.deb", "true")
        self.assertEqual((said.returncode, said.stdout), (2, ""))
        self.assertEqual(said.stderr, "bare-machine: --copy: no file 'no.deb'\n")

    def test_helps(self):
        said = self.bare_machine("--help")
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        self.assertIn("Usage: scripts/bare-machine [--keep] [--copy FILE] [COMMAND]\n", said.stdout)

    def test_needs_root(self):
        self.tool("id", "echo 1000\n")
        said = self.bare_machine()
        self.assertEqual((said.returncode, said.stdout), (77, ""))
        self.assertRegex(said.stderr, r"^bare-machine: needs root, .*\n$")

    def test_needs_mmdebstrap(self):
        self.tool("id", "echo 0\n")
        said = self.bare_machine()
        self.assertEqual((said.returncode, said.stdout), (77, ""))
        self.assertEqual(said.stderr,
                         "bare-machine: needs mmdebstrap (apt-get install mmdebstrap)\n")

    def test_needs_namespaces(self):
        self.tool("id", "echo 0\n")
        for name in ("mmdebstrap", "git"):
            self.tool(name, "exit 0\n")
        self.tool("unshare", "exit 1\n")
        said = self.bare_machine()
        self.assertEqual((said.returncode, said.stdout), (77, ""))
        self.assertIn("lets root make no namespace", said.stderr)
        self.assertEqual(said.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
