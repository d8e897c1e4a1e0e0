# SPDX-License-Identifier: MIT
"""Reports opened in a browser: three runs, drawn once for each class of tests."""

import contextlib
import io
import unittest

from browser import Browser, find
from folders import InOneFolder
from sample import write_quickstart  # sets sys.path
from sample_training import write_policies
from test_streams import write_run, write_trace

from paceline import d3
from paceline.draw import main

VISIBLE = "(selector => [...document.querySelectorAll(selector)].filter(each => " \
          "each.getBoundingClientRect().width > 0).length)"
POINTS = "#points tbody tr"


@unittest.skipUnless(find(), "Chromium is not installed")
@unittest.skipIf(d3.missing(), d3.missing())
class Pages(InOneFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        write_quickstart(cls.root / "quickstart")
        write_policies(cls.root / "policies")
        (cls.root / "traced").mkdir()
        write_run(cls.root / "traced")
        write_trace(cls.root / "traced", {"predicted": 1.0, "measured": 1.1})
        cls.pages = {}
        for name in ("quickstart", "policies", "traced"):
            with contextlib.redirect_stdout(io.StringIO()):
                main([str(cls.root / name)])
            cls.pages[name] = cls.root / name / "report.html"
        cls.browser = cls.enterClassContext(Browser())

    def open(self, name="quickstart", **look):
        """Opens a page; look: width, scheme, scripts as of Browser.open."""
        self.browser.open(self.pages[name], **look)

    def count(self, selector):
        """The number of visible elements."""
        return self.browser.run(f"{VISIBLE}({selector!r})")

    def tip(self):
        """The text of the tip that is shown."""
        return self.browser.run("document.querySelector('.tip').textContent")

    def pinned(self):
        """[text, address] of each link of the pinned tip."""
        return self.browser.run("[...document.querySelectorAll('.tip.pinned a')].map(each => "
                                "[each.textContent, each.getAttribute('href')])")

    def is_open(self, point):
        """Whether the explanation of a point is unfolded."""
        return self.browser.run(f"document.querySelector('#explain-{point}').parentNode.open")

    def first_bar(self, side="width"):
        """Pixels of the first bar of the timelines."""
        return self.browser.run("document.querySelector('#figure-timeline .stretched > polygon')"
                                f".getBoundingClientRect().{side}")

    def wait(self):
        """Until a transition has ended."""
        self.browser.run("new Promise(done => setTimeout(done, 400))")
