# SPDX-License-Identifier: MIT
"""The report in a browser: layout, contrast and names, at two widths, light and dark."""

import unittest

from report_pages import POINTS, Pages

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


class Layout(Pages):
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

    def test_what_can_be_operated_has_a_name(self):
        self.open("policies")
        nameless = self.browser.run(
            "[...document.querySelectorAll('button, input, a, svg.figure[role], [role=button]')]"
            ".filter(each => !(each.getAttribute('aria-label') || each.textContent.trim() || "
            "each.closest('label'))).map(each => each.outerHTML.slice(0, 80))")
        self.assertEqual(nameless, [])

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

    def test_is_complete_without_scripts(self):
        self.open(scripts=False)
        text = self.pages["quickstart"].read_text(encoding="utf-8")
        self.assertGreater(text.count("<svg"), 20)
        self.browser.send("Emulation.setScriptExecutionDisabled", value=False)
        self.assertEqual(self.count("button, input[type=search]"), 0)
        self.assertEqual(self.count(POINTS), 60)


if __name__ == "__main__":
    unittest.main()
