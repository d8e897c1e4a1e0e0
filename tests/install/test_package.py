# SPDX-License-Identifier: MIT
"""cpack makes a Debian package of the installed files, with the packages that the program's
libraries are in. Environment: CPACK; BUILD, the build folder."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

NEEDS = ["dpkg-deb", "dpkg-shlibdeps", "file", "gzip"]


def output_of(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


@unittest.skipUnless(all(map(shutil.which, NEEDS)), f"needs {', '.join(NEEDS)}")
class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, folder)
        # Compressing takes most of the time.
        subprocess.run([os.environ["CPACK"], "--config", f"{os.environ['BUILD']}/CPackConfig.cmake",
                        "-B", folder, "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none",
                        "-D", "CPACK_STRIP_FILES=OFF"], check=True, capture_output=True)
        cls.package = str(next(pathlib.Path(folder).glob("paceline_*.deb")))

    def test_depends_on_what_the_program_is_linked_to(self):
        names = [one.split()[0] for one in
                 output_of("dpkg-deb", "-f", self.package, "Depends").strip().split(", ")]
        for name in ("python3", "libc6", "libstdc++6", "libexpat1", "zlib1g"):
            self.assertIn(name, [each.removesuffix("t64") for each in names])
        self.assertFalse([name for name in names if "cud" in name or "nccl" in name])

    def test_has_the_files_where_debian_has_them(self):
        rows = [row.split(maxsplit=5) for row in
                output_of("dpkg-deb", "-c", self.package).splitlines()]
        files = {row[5].removeprefix("./"): row[0] for row in rows if row[0].startswith("-")}
        self.assertEqual(files["usr/bin/paceline"], "-rwxr-xr-x")
        self.assertLessEqual({
            "usr/share/paceline/plots/draw.py", "usr/share/paceline/experiments/quickstart.yaml",
            "usr/share/man/man1/paceline-simulate.1.gz", "usr/share/doc/paceline/copyright",
            "usr/share/doc/paceline/changelog.gz", "usr/share/doc/paceline/changelog.Debian.gz",
            "usr/share/zsh/vendor-completions/_paceline"}, set(files))
        wrong = (".cpp", ".hpp", ".1", "_cuda.so")
        self.assertFalse([name for name in files if name.endswith(wrong)])
        self.assertTrue(all(name.startswith("usr/") for name in files))

    def test_removes_what_python_compiled(self):
        script = output_of("dpkg-deb", "-I", self.package, "prerm")
        with tempfile.TemporaryDirectory() as folder:
            plots = pathlib.Path(folder, "plots")
            (plots / "paceline/__pycache__").mkdir(parents=True)
            (plots / "paceline/__pycache__/a.pyc").touch()
            (plots / "paceline/a.py").touch()
            subprocess.run(["sh", "-c", script.replace("/usr/share/paceline", folder)], check=True)
            self.assertEqual([path.name for path in sorted(plots.rglob("*"))], ["paceline", "a.py"])


if __name__ == "__main__":
    unittest.main()
