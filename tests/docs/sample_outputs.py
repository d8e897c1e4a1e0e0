"""The sample outputs of the pages: `<!-- output: COMMAND -->`, then a block of what it prints.

    PACELINE=build/release/paceline python3 tests/docs/sample_outputs.py

runs the commands again, all of a page in one folder, and writes what they print into the pages.
Commands that measure (run, execute, calibrate) are left alone: with --measured they run too.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml_blocks

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLE = re.compile(r"(<!-- output: (.+?) -->\n```\n)(.*?)(^```$)", re.MULTILINE | re.DOTALL)
TABLE = re.compile(r"^```csv\n(# (\S+\.csv): .*?)^```$", re.MULTILINE | re.DOTALL)
MEASURES = re.compile(r"paceline (?:run|execute|calibrate)\b")


def pages():
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def named_files(page):
    """Blocks that name their file in the first line: `# my-box.yaml: what it is`; tables are CSV."""
    text = page.read_text(encoding="utf-8")
    files = {name: table for table, name in TABLE.findall(text)}
    for block in yaml_blocks.blocks_of(page, text):
        first = block.text.split("\n")[0]
        if first.startswith("# ") and ".yaml:" in first:
            files[first[2:].split(":")[0]] = block.text
    return files


def prepare(folder, page):
    """Puts what a reader of the page has into the folder: its files, and the experiments."""
    (folder / "experiments").symlink_to(ROOT / "experiments")
    for name, text in named_files(page).items():
        (folder / name).write_text(text, encoding="utf-8")


def output_of(command, folder, program):
    """What the shell prints for the command, in which `paceline` is the program."""
    bin_folder = pathlib.Path(folder) / ".bin"
    bin_folder.mkdir(exist_ok=True)
    link = bin_folder / "paceline"
    if not link.exists():
        link.symlink_to(pathlib.Path(program).resolve())
    environment = dict(os.environ, PATH=f"{bin_folder}:{os.environ['PATH']}", NO_COLOR="1",
                       COLUMNS="100")
    done = subprocess.run(["bash", "-c", command.replace("build/release/paceline", "paceline")],
                          cwd=folder, env=environment, stdout=subprocess.PIPE, text=True,
                          check=True)
    return "\n".join(line.rstrip() for line in done.stdout.split("\n"))


def refreshed(page, program, measured=False):
    """The page's text with the outputs of its commands."""
    text = page.read_text(encoding="utf-8")
    if not SAMPLE.search(text):
        return text
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(folder, page)

        def again(sample):
            if MEASURES.search(sample[2]) and not measured:
                return sample[0]
            return sample[1] + output_of(sample[2], folder, program) + sample[4]

        return SAMPLE.sub(again, text)


if __name__ == "__main__":
    built = os.path.abspath(os.environ.get("PACELINE", "build/release/paceline"))
    for one in pages():
        one.write_text(refreshed(one, built, "--measured" in sys.argv), encoding="utf-8")
