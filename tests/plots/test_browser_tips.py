# SPDX-License-Identifier: MIT
"""The report in a browser: tips, pins and links of marks and lines, and what hides them."""

import unittest

from report_pages import Pages


class Tips(Pages):
    def test_hover_shows_both_clocks_and_the_error(self):
        self.open()
        self.browser.move_to("#figure-throughput .panels [data-of=measured]:has(> title)", 3)
        said = self.tip()
        self.assertRegex(said, r"^sync, 8 workers, measured: 1,419 \S+ 11 images/s\n"
                               r"predicted: 1,419 \(.0\.1 %\)\ntheory: 1,419$")
        self.assertEqual(self.count(".tip"), 1)
        self.browser.press("Escape")
        self.assertEqual(self.count(".tip"), 0)

    def test_a_line_shows_its_value_and_that_of_the_other_source(self):
        self.open("policies")
        said = self.along("#figure-step_times .panels polyline[data-of=measured]")
        self.assertRegex(said, r"^sync, .*, (measured|predicted): share of steps [\d.]+ % at "
                               r"step time [\d.]+ ms\n(predicted|measured): share of steps "
                               r"[\d.]+ %$")
        measured = "#figure-convergence .keys [data-hides='source measured'] button"
        self.browser.click(measured)
        said = self.along("#figure-convergence .panels polyline[data-of=predicted]", 0.12)
        self.assertRegex(said, r"^.*, predicted: held-out loss [\d.]+ at time [\d.]+ m?s$")
        self.browser.click(measured)
        self.browser.move_to("#figure-convergence .panels circle[data-of=measured]", 2)
        self.assertRegex(self.tip(),
                         r"^.*, measured: [\d.]+\npredicted: [\d.]+ \([+\u2212][\d.]+ %\)$")

    def along(self, selector, share=0.5):
        """What the tip says at a share of the width of a line."""
        x, y = self.browser.run(
            f"(() => {{ const line = document.querySelector({selector!r}); "
            "line.scrollIntoView({block: 'center'}); "
            "const points = line.getAttribute('points').split(' '); "
            f"const [x, y] = points[Math.floor(points.length * {share})].split(','); "
            "const place = new DOMPoint(x, y).matrixTransform(line.getScreenCTM()); "
            "return [place.x, place.y]; })()")
        self.browser.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        return self.tip()

    def test_a_click_pins_the_values_with_links(self):
        self.open()
        self.browser.click("#figure-throughput .panels [data-of=measured]:has(> title)", 3)
        self.assertEqual(self.pinned(), [["explanation", "#explain-3"], ["row", "#point-3"]])
        self.browser.move_to("#figure-efficiency .panels circle")
        self.assertEqual(len(self.pinned()), 2)  # until it is closed
        self.browser.click(".tip.pinned a")
        self.assertEqual(self.pinned(), [])
        self.assertTrue(self.is_open(3))
        self.assertRegex(self.browser.run("document.querySelector('#explain-3').innerText"),
                         r"(?s)^predicted: a step of .*measured: a step of .*"
                         r"paceline explain experiments/quickstart.yaml --set workers=8 "
                         r"--set update=sync$")

    def test_keys_reach_a_point_its_row_and_its_explanation(self):
        self.open()
        self.browser.run("document.querySelector('#figure-throughput [data-names]').focus()")
        for _ in range(9):
            self.browser.press("Tab")
            if self.browser.run("document.activeElement.matches('svg.figure')"):
                break
        for key in ("ArrowRight", "ArrowRight", "Enter"):
            self.browser.press(key)
        self.assertEqual(len(self.pinned()), 2)
        self.assertEqual(self.browser.run("document.activeElement.textContent"), "explanation")
        self.browser.press("Escape")
        self.assertEqual(self.pinned(), [])
        self.assertTrue(self.browser.run("document.activeElement.matches('svg.figure')"))
        self.browser.run("document.querySelector('#point-3 a').focus()")
        self.browser.press("Enter")
        self.assertTrue(self.is_open(3))
        self.assertEqual(self.browser.problems, [])

    def test_explanations_open_without_scripts(self):
        self.open(scripts=False)
        self.browser.click("#point-3 a")
        self.browser.send("Emulation.setScriptExecutionDisabled", value=False)
        self.assertEqual((self.is_open(3), self.is_open(4)), (True, False))

    def test_arrow_keys_walk_along_the_marks(self):
        self.open()
        self.browser.run("document.querySelector('#figure-throughput .panels svg').focus()")
        said = []
        for _ in range(2):
            self.browser.press("ArrowRight")
            said.append(self.tip())
        self.assertRegex(said[0], "^sync, 1 worker, predicted: ")
        self.assertRegex(said[1], "^sync, 2 workers, predicted: ")

    def test_a_traced_point_leads_to_the_trace(self):
        self.open("traced")
        self.browser.click("#figure-throughput .panels [data-of=measured]:has(> title)")
        self.assertEqual(self.pinned()[-1], ["trace", "trace.json.gz"])
        self.assertEqual(self.browser.run(
            "document.querySelector('#point-0 a + a').getAttribute('href')"), "trace.json.gz")

    def test_a_hidden_source_is_not_the_nearest(self):
        self.open()
        self.browser.click("#figure-throughput .keys [data-hides='source measured'] button")
        self.browser.move_to("#figure-throughput .panels circle[data-of=predicted]", 3)
        self.assertRegex(self.tip(),
                         "^sync, 8 workers, predicted: ")

    def test_the_nearest_mark_is_found_beside_it(self):
        self.open()
        x, y = self.browser.move_to("#figure-throughput .panels [data-of=measured]:has(> title)", 3)
        self.browser.send("Input.dispatchMouseEvent", type="mouseMoved", x=x + 11, y=y + 11)
        self.assertRegex(self.tip(),
                         "^sync, 8 workers, ")
        self.browser.send("Input.dispatchMouseEvent", type="mouseMoved", x=x + 60, y=y + 60)
        self.assertEqual(self.count(".tip"), 0)

    def test_keys_hide_a_source(self):
        self.open()
        marks = "#figure-throughput .panels [data-of=measured]"
        before = self.count(marks)
        key = "#figure-throughput .keys [data-hides='source measured'] button"
        self.browser.click(key)
        self.assertEqual((before > 19, self.count(marks)), (True, 0))
        self.assertEqual(self.browser.run(f"getComputedStyle(document.querySelector({key!r}))"
                                          ".opacity"), "0.45")
        self.assertGreater(self.count("#figure-throughput .panels [data-of=predicted]"), 0)
        self.assertGreater(self.count("#figure-efficiency .panels [data-of=measured]"), 0)
        self.browser.run(f"document.querySelector({key!r}).focus()")
        self.browser.press("Enter")
        self.assertEqual(self.count(marks), before)

    def test_the_name_of_a_line_hides_it(self):
        self.open()
        circles = "#figure-throughput .panels circle"  # of the first series
        self.assertEqual(self.count(circles), 10)
        self.browser.click("#figure-throughput [data-names=blue]")
        self.assertEqual(self.count(circles), 0)
        self.assertEqual(self.count("#figure-throughput [data-names=blue]"), 1)
        self.browser.run("document.querySelector('#figure-throughput [data-names=blue]').focus()")
        self.browser.press("Enter")
        self.assertEqual(self.count(circles), 10)


if __name__ == "__main__":
    unittest.main()
