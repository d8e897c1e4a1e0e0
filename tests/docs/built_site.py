"""scripts/build-site builds the documents as a site. Exit code 77, with the reason, if the packages
of scripts/packages-site.txt are not installed. Environment: PACELINE, the program."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
THEME = pathlib.Path("/usr/share/mkdocs/themes/material")
PAGES = ["index", "CHANGELOG", "docs/getting-started", "docs/policies/sync", "docs/howto/validate",
         "docs/notebook.ipynb", "manual/paceline-simulate", "experiments/quickstart.yaml",
         "experiments/measured/index", "topology/gpus/index"]


class Built(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def build(self, folder):
        return subprocess.run([ROOT / "scripts/build-site", folder], text=True,
                              capture_output=True, check=False)

    def test_all_pages_are_built(self):
        site = self.folder / "site"
        done = self.build(site)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for name in PAGES:
            self.assertTrue((site / f"{name}.html").is_file(), name)
        self.assertTrue((site / "search/search_index.json").is_file())

    def test_another_folder_is_not_overwritten(self):
        (self.folder / "mine").touch()
        done = self.build(self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, f"build-site: {self.folder} is not empty and holds no site "
                                      "(name another folder)\n")


if __name__ == "__main__":
    if not THEME.is_dir() or not shutil.which("mkdocs"):
        print("skipped: mkdocs-material is not installed (scripts/packages-site.txt)")
        sys.exit(77)
    unittest.main()
