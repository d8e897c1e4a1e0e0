# SPDX-License-Identifier: MIT
"""The report in a browser: timelines and streams zoomed by buttons, wheel, drag and keys."""

import unittest

from report_pages import Pages


class Zoom(Pages):
    def ticks(self):
        return self.browser.run(
            "[...document.querySelectorAll('#figure-timeline .across')].map(each => "
            "[...each.querySelectorAll('text')].filter(text => text.getBoundingClientRect().width)"
            ".map(text => text.textContent))")

    def test_timelines_zoom(self):
        self.open()
        before, ticks = self.first_bar(), self.ticks()
        self.browser.click("#figure-timeline .zooms [aria-label='zoom in']")
        self.assertAlmostEqual(self.first_bar(), 2 * before, delta=1)
        self.assertNotEqual(self.ticks(), ticks)
        self.assertEqual(self.ticks()[0], self.ticks()[1])  # predicted and measured alike
        self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), 1300)
        self.browser.click("#figure-timeline .zooms [aria-label='zoom out']")
        self.assertAlmostEqual(self.first_bar(), before, delta=1)
        self.assertEqual(self.ticks(), ticks)

    def test_names_of_bars_stay_on_the_visible_part(self):
        self.open("traced")
        name = "(name => { const text = [...document.querySelectorAll('#figure-streams " \
               ".inside text')].find(each => each.textContent === name), box = " \
               "text.getBoundingClientRect(); return [box.x, box.width]; })"
        before = self.browser.run(f"{name}('push')")
        for _ in range(3):
            self.browser.click("#figure-streams .zooms [aria-label='zoom in']")
        left, right = self.browser.run(
            "(() => { const box = document.querySelector('#figure-streams .scroll svg')"
            ".getBoundingClientRect(); return [box.left, box.right]; })()")
        x, width = self.browser.run(f"{name}('push')")
        self.assertTrue(width == 0 or left < x < right - width, (x, width))
        self.browser.click("#figure-streams .zooms [aria-label='show all']")
        for now, then in zip(self.browser.run(f"{name}('push')"), before):
            self.assertAlmostEqual(now, then, delta=0.5)

    def test_zoom_by_wheel_drag_and_keys(self):
        self.open()
        before = self.first_bar()
        x, y = self.browser.move_to("#figure-timeline .scroll svg")
        wheel = {"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": -100}
        self.browser.send("Input.dispatchMouseEvent", **wheel)
        self.wait()
        self.assertAlmostEqual(self.first_bar(), before, delta=1)  # the page scrolled
        x, y = self.browser.move_to("#figure-timeline .scroll svg")
        self.browser.send("Input.dispatchMouseEvent", modifiers=2, **wheel | {"y": y})
        self.wait()
        self.assertGreater(self.first_bar(), 1.2 * before)
        left = self.first_bar("x")
        for kind, at in (("mousePressed", x), ("mouseMoved", x - 90), ("mouseReleased", x - 90)):
            self.browser.send("Input.dispatchMouseEvent", type=kind, x=at, y=y, button="left",
                              clickCount=1)
        self.assertAlmostEqual(self.first_bar("x"), left - 90, delta=1)
        self.browser.run("document.querySelector('#figure-timeline .scroll svg').focus()")
        self.browser.press("0")
        self.assertAlmostEqual(self.first_bar(), before, delta=1)
        self.browser.press("+")
        self.assertAlmostEqual(self.first_bar(), 2 * before, delta=1)


if __name__ == "__main__":
    unittest.main()
