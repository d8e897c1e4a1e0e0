# SPDX-License-Identifier: MIT
"""plots/draw.py run as a user runs it, and what it wrote."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from sample import Samples  # sets sys.path

from paceline import d3

DRAW = Path(__file__).resolve().parents[2] / "plots" / "draw.py"
SAID = f"{d3.missing()}\n" if d3.missing() else ""  # on stderr


def draw(*arguments, **environment):
    """The finished process of draw.py with these arguments; environment: variables beside ours."""
    return subprocess.run([sys.executable, "-B", str(DRAW), *map(str, arguments)], text=True,
                          capture_output=True, env={**os.environ, **environment})


def drawn_in(folder):
    """The names of the figures' files, sorted."""
    return sorted(path.name for path in (folder / "figures").iterdir())


def page_of(folder):
    """The report, with plain spaces before %."""
    return (folder / "report.html").read_text(encoding="utf-8").replace("\N{NO-BREAK SPACE}%", " %")


def hashes_in(folder):
    """Name -> hash of the figures and the report."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in [*(folder / "figures").iterdir(), folder / "report.html"]}


class Drawn(Samples):
    """Both samples, drawn once for each class of tests."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.results = {name: draw(cls.root / name) for name in ("quickstart", "dgx1")}
        cls.page = page_of(cls.root / "quickstart")
