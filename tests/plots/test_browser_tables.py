# SPDX-License-Identifier: MIT
"""The report in a browser: the table of every point, sorted, filtered and large."""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

from report_pages import POINTS, Pages
from sample import write_many  # sets sys.path

from paceline.draw import main


class Tables(Pages):
    def test_every_point_is_sorted_and_filtered(self):
        self.open()
        column = self.browser.run("[...document.querySelectorAll('#points th')].findIndex("
                                  "each => each.textContent === 'images/s')")
        values = f"[...document.querySelectorAll('{POINTS}')].map(row => parseFloat(" \
                 f"row.cells[{column}].textContent.replace(',', '')))"
        for reverse in (False, True):
            self.browser.click("#points th button", column)
            found = self.browser.run(values)
            self.assertEqual(found, sorted(found, reverse=reverse))
        self.browser.run("document.querySelector('#points input').focus()")
        for key in "k-async meas":
            self.browser.press(key)
        self.assertEqual(self.count(POINTS), 5)
        self.assertEqual(self.browser.run("document.querySelector('#points output').textContent"),
                         "5 of 60 rows")

    def test_filters_by_the_begins_of_words_and_by_whole_numbers(self):
        self.open()
        for words, count in (("async 8 workers", 3), ("8 workers", 12), ("async", 15),
                             ("k-", 30), ("1", 12), ("(bound", 3), ("sync, 1", 3), ("[", 0),
                             ("", 60)):
            self.browser.run("(() => { const field = document.querySelector('#points input'); "
                             f"field.value = {words!r}; "
                             "field.dispatchEvent(new Event('input')); })()")
            self.assertEqual(self.count(POINTS), count, words)

    def test_a_large_sweep_stays_small_and_is_laid_out_where_it_is_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            write_many(Path(folder))
            with mock.patch("sys.stdout"):
                main([folder])
            page = Path(folder) / "report.html"
            self.assertLess(page.stat().st_size, 4e6)
            self.browser.open(page)
            self.assertEqual(self.browser.problems, [])
            rendered = "document.querySelector('#points td').checkVisibility(" \
                       "{contentVisibilityAuto: true})"
            self.assertFalse(self.browser.run(rendered))
            self.browser.run("document.querySelector('#point-7').scrollIntoView()")
            self.wait()
            self.assertTrue(self.browser.run(rendered))
            self.browser.run("document.querySelector('#points input').focus()")
            for key in "batch 77,":
                self.browser.press(key)
            self.assertEqual(self.count(POINTS), 32)
            self.browser.run("location.hash = 'explain-1300'")
            self.wait()
            self.assertTrue(self.is_open(1300))
            top = "document.querySelector('#explain-1300').getBoundingClientRect().top"
            self.assertTrue(0 < self.browser.run(top) < 900)


if __name__ == "__main__":
    unittest.main()
