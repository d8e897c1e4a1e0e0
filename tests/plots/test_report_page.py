# SPDX-License-Identifier: MIT
"""The report in a browser: what a reader sees and can do, at two widths, light and dark."""

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from browser import Browser, find
from sample import write_many, write_quickstart  # sets sys.path
from sample_training import write_policies
from test_streams import write_run, write_trace

from paceline import d3
from paceline.draw import main

VISIBLE = "(selector => [...document.querySelectorAll(selector)].filter(each => " \
          "each.getBoundingClientRect().width > 0).length)"
POINTS = "#points tbody tr"
# The texts with less than a contrast of 4.5 to what is behind them.
FAINT = """(() => {
  const light = colour => {
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map(each => {
      const share = each / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const solid = colour => colour && colour !== "none" && !/, 0\\)$/.test(colour);
  const numbers = colour => colour.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const over = style => {  // the colour of an area on the page
    const page = numbers(getComputedStyle(document.body).backgroundColor);
    return `rgb(${numbers(style.fill).map((each, at) => style.fillOpacity * each
                                          + (1 - style.fillOpacity) * page[at])})`; };
  const behind = each => {  // the colour of the nearest ancestor with one; in a figure, of a bar
    if (each.tagName === "text" && (each.closest(".inside") ||
                                    each.closest("#figure-breakdown") &&
                                    each.getAttribute("font-size") === "9")) {
      each.scrollIntoView({block: "center"});
      const box = each.getBoundingClientRect();
      const bar = document.elementsFromPoint(box.x + box.width / 2, box.y + box.height / 2)
        .find(other => other.tagName === "polygon");
      if (bar) return over(getComputedStyle(bar));
    }
    for (let at = each; at; at = at.parentElement) {
      if (solid(getComputedStyle(at).backgroundColor)) return getComputedStyle(at).backgroundColor;
    } };
  const contrast = each => {
    const style = getComputedStyle(each), [low, high] = [
      light(each.tagName === "text" ? style.fill : style.color), light(behind(each))]
      .sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05); };
  const hasText = each => [...each.childNodes].some(
    node => node.nodeType === 3 && node.data.trim()) && !each.closest("title, desc, style, script");
  return [...document.body.querySelectorAll("*")]
    .filter(each => hasText(each) && each.getBoundingClientRect().width && contrast(each) < 4.5)
    .map(each => `${each.outerHTML.slice(0, 90)}: ${contrast(each)}`).slice(0, 5);
})()"""


@unittest.skipUnless(find(), "Chromium is not installed")
@unittest.skipIf(d3.missing(), d3.missing())
class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        write_quickstart(Path(folder.name) / "quickstart")
        write_policies(Path(folder.name) / "policies")
        (Path(folder.name) / "traced").mkdir()
        write_run(Path(folder.name) / "traced")
        write_trace(Path(folder.name) / "traced", {"predicted": 1.0, "measured": 1.1})
        cls.pages = {}
        with open(Path(folder.name) / "log", "w", encoding="utf-8") as log:
            out, sys.stdout = sys.stdout, log
            try:
                for name in ("quickstart", "policies", "traced"):
                    main([str(Path(folder.name) / name)])
                    cls.pages[name] = Path(folder.name) / name / "report.html"
            finally:
                sys.stdout = out
        cls.browser = cls.enterClassContext(Browser())

    def open(self, name="quickstart", **look):
        self.browser.open(self.pages[name], **look)

    def count(self, selector):
        return self.browser.run(f"{VISIBLE}({selector!r})")

    def test_no_errors_and_no_network(self):
        for name in self.pages:
            for width in (1300, 420):
                for scheme in ("light", "dark"):
                    self.open(name, width=width, scheme=scheme)
                    self.assertEqual(self.browser.problems, [])
                    self.assertEqual(self.browser.requests, [])

    def test_nothing_is_wider_than_the_window(self):
        for name in self.pages:
            for width in (1300, 420):
                self.open(name, width=width)
                self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"),
                                     width)

    def test_one_column_on_a_small_screen(self):
        lefts = "new Set([...document.querySelectorAll('.panels > svg')].map(" \
                "each => Math.round(each.getBoundingClientRect().x))).size"
        self.open("quickstart", width=420)
        self.assertEqual(self.browser.run(lefts), 1)
        self.open("quickstart", width=1300)
        self.assertGreater(self.browser.run(lefts), 1)

    def test_text_of_figures_is_legible_on_a_small_screen(self):
        self.open("policies", width=420)
        smallest = self.browser.run(
            "Math.min(...[...document.querySelectorAll('svg.figure text')].map(each => "
            "each.getAttribute('font-size') * each.getScreenCTM().a))")
        self.assertGreater(smallest, 8)

    def test_dark_is_dark(self):
        grounds = []
        for scheme in ("light", "dark"):
            self.open(scheme=scheme)
            grounds.append(self.browser.run("getComputedStyle(document.body).backgroundColor"))
        self.assertEqual(grounds, ["rgb(255, 255, 255)", "rgb(21, 24, 28)"])

    def test_is_complete_without_scripts(self):
        self.open(scripts=False)
        text = self.pages["quickstart"].read_text(encoding="utf-8")
        self.assertGreater(text.count("<svg"), 20)
        self.browser.send("Emulation.setScriptExecutionDisabled", value=False)
        self.assertEqual(self.count("button, input[type=search]"), 0)
        self.assertEqual(self.count(POINTS), 60)

    def test_hover_shows_both_clocks_and_the_error(self):
        self.open()
        self.browser.move_to("#figure-throughput .panels [data-of=measured]:has(> title)", 3)
        said = self.browser.run("document.querySelector('.tip').textContent")
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
        self.assertRegex(self.browser.run("document.querySelector('.tip').textContent"),
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
        return self.browser.run("document.querySelector('.tip').textContent")

    def pinned(self):
        return self.browser.run("[...document.querySelectorAll('.tip.pinned a')].map(each => "
                                "[each.textContent, each.getAttribute('href')])")

    def is_open(self, point):
        return self.browser.run(f"document.querySelector('#explain-{point}').parentNode.open")

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
            said.append(self.browser.run("document.querySelector('.tip').textContent"))
        self.assertRegex(said[0], "^sync, 1 worker, predicted: ")
        self.assertRegex(said[1], "^sync, 2 workers, predicted: ")

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

    def first_bar(self, side="width"):
        return self.browser.run("document.querySelector('#figure-timeline .stretched > polygon')"
                                f".getBoundingClientRect().{side}")

    def ticks(self):
        return self.browser.run(
            "[...document.querySelectorAll('#figure-timeline .across')].map(each => "
            "[...each.querySelectorAll('text')].filter(text => text.getBoundingClientRect().width)"
            ".map(text => text.textContent))")

    def wait(self):
        """Until a transition has ended."""
        self.browser.run("new Promise(done => setTimeout(done, 400))")

    def test_filters_by_the_begins_of_words_and_by_whole_numbers(self):
        self.open()
        for words, count in (("async 8 workers", 3), ("8 workers", 12), ("async", 15),
                             ("k-", 30), ("1", 12), ("(bound", 3), ("sync, 1", 3), ("[", 0),
                             ("", 60)):
            self.browser.run("(() => { const field = document.querySelector('#points input'); "
                             f"field.value = {words!r}; "
                             "field.dispatchEvent(new Event('input')); })()")
            self.assertEqual(self.count(POINTS), count, words)

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

    def test_a_traced_point_leads_to_the_trace(self):
        self.open("traced")
        self.browser.click("#figure-throughput .panels [data-of=measured]:has(> title)")
        self.assertEqual(self.pinned()[-1], ["trace", "trace.json.gz"])
        self.assertEqual(self.browser.run(
            "document.querySelector('#point-0 a + a').getAttribute('href')"), "trace.json.gz")

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

    def test_a_hidden_source_is_not_the_nearest(self):
        self.open()
        self.browser.click("#figure-throughput .keys [data-hides='source measured'] button")
        self.browser.move_to("#figure-throughput .panels circle[data-of=predicted]", 3)
        self.assertRegex(self.browser.run("document.querySelector('.tip').textContent"),
                         "^sync, 8 workers, predicted: ")

    def test_the_nearest_mark_is_found_beside_it(self):
        self.open()
        x, y = self.browser.move_to("#figure-throughput .panels [data-of=measured]:has(> title)", 3)
        self.browser.send("Input.dispatchMouseEvent", type="mouseMoved", x=x + 11, y=y + 11)
        self.assertRegex(self.browser.run("document.querySelector('.tip').textContent"),
                         "^sync, 8 workers, ")
        self.browser.send("Input.dispatchMouseEvent", type="mouseMoved", x=x + 60, y=y + 60)
        self.assertEqual(self.count(".tip"), 0)

    def test_what_can_be_operated_has_a_name(self):
        self.open("policies")
        nameless = self.browser.run(
            "[...document.querySelectorAll('button, input, a, svg.figure[role], [role=button]')]"
            ".filter(each => !(each.getAttribute('aria-label') || each.textContent.trim() || "
            "each.closest('label'))).map(each => each.outerHTML.slice(0, 80))")
        self.assertEqual(nameless, [])

    def test_text_has_contrast(self):
        for scheme in ("light", "dark"):
            for name in self.pages:
                self.open(name, scheme=scheme)
                self.browser.run("document.querySelectorAll('details').forEach(each => "
                                 "each.open = true)")
                self.browser.click("#figure-throughput .panels [data-of=measured]:has(> title)")
                self.assertEqual(self.browser.run(FAINT), [], (scheme, name))
                if not self.count("input[type=search]"):
                    continue
                placeholder = self.browser.run(
                    "getComputedStyle(document.querySelector('input[type=search]'), "
                    "'::placeholder').color")
                faint = self.browser.run("getComputedStyle(document.querySelector('.note')).color")
                self.assertEqual(placeholder, faint)

    def test_focus_is_visible(self):
        self.open("policies")
        stops = self.browser.run("document.querySelectorAll('a, button, summary, input, "
                                 "[tabindex]').length")
        self.assertGreater(stops, 100)
        seen = set()
        for _ in range(60):
            self.browser.press("Tab")
            kind, style, width = self.browser.run(
                "(() => { const one = document.activeElement, style = getComputedStyle(one); "
                "return [one.tagName, style.outlineStyle, parseFloat(style.outlineWidth)]; })()")
            seen.add(kind)
            self.assertEqual((style, width >= 2), ("solid", True), kind)
        self.assertLessEqual({"A", "BUTTON", "svg", "text"}, seen)

    def test_every_input_has_a_label(self):
        for name in self.pages:
            self.open(name)
            self.assertEqual(self.browser.run(
                "[...document.querySelectorAll('input')].filter(each => !each.labels.length && "
                "!each.getAttribute('aria-label')).length"), 0)

    def test_is_usable_on_a_small_screen(self):
        self.open(width=420)
        self.browser.click("#figure-throughput .panels [data-of=measured]:has(> title)", 4)
        box = self.browser.run("(() => { const box = document.querySelector('.tip')"
                               ".getBoundingClientRect(); return [box.left, box.right]; })()")
        self.assertGreaterEqual(box[0], 0)
        self.assertLessEqual(box[1], 420)
        self.assertEqual(len(self.pinned()), 2)
        self.browser.press("Escape")
        self.browser.run("document.querySelector('#points input').focus()")
        for key in "16 workers":
            self.browser.press(key)
        self.assertEqual(self.count(POINTS), 12)
        before = self.first_bar()
        self.browser.click("#figure-timeline .zooms [aria-label='zoom in']")
        self.assertAlmostEqual(self.first_bar(), 2 * before, delta=1)

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
