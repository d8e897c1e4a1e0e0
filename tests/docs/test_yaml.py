"""Every YAML block of README.md and docs/ is a file, or part of one, that `check` accepts."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import sample_outputs
import yaml_blocks

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACELINE = os.environ.get("PACELINE", "")
# Files that blocks name, which a reader has beside the experiment.
BESIDE = {"tf-dgx1-p100.csv": ROOT / "experiments" / "published" / "tf-dgx1-p100.csv",
          "jobs/resnet50.yaml": ROOT / "experiments" / "jobs" / "resnet50.yaml",
          "jobs/vgg16.yaml": ROOT / "experiments" / "jobs" / "vgg16.yaml"}


class Blocks(unittest.TestCase):
    def test_there_are_some(self):
        self.assertGreater(sum(len(list(yaml_blocks.blocks_of(page, page.read_text())))
                               for page in sample_outputs.pages()), 10)

    @unittest.skipUnless(PACELINE, "PACELINE names no program")
    def test_each_loads(self):
        for page in sample_outputs.pages():
            for block in yaml_blocks.blocks_of(page, page.read_text(encoding="utf-8")):
                with self.subTest(place=f"{page.relative_to(ROOT)}:{block.line}"):
                    self.assertEqual(self.check(block), "")

    def check(self, block):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "jobs").mkdir()
            for name, source in BESIDE.items():
                shutil.copy(source, pathlib.Path(folder) / name)
            for name, text in sample_outputs.named_files(block.page).items():
                (pathlib.Path(folder) / name).write_text(text, encoding="utf-8")
            for name, text in yaml_blocks.files_of(block).items():
                (pathlib.Path(folder) / name).write_text(text, encoding="utf-8")
            done = subprocess.run([PACELINE, "check", "experiment.yaml"], cwd=folder,
                                  capture_output=True, text=True, check=False)
            return "" if done.returncode == 0 else done.stdout + done.stderr


if __name__ == "__main__":
    unittest.main()
