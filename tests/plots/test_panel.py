# SPDX-License-Identifier: MIT
"""Scales and panels and their SVG: ticks, space for labels, positions, clipping."""

import unittest
from xml.etree import ElementTree

import sample  # noqa: F401 - sets sys.path

from paceline import palette
from paceline.figure import Figure, Key
from paceline.layout import lay_out
from paceline.panel import Panel
from paceline.scales import Linear, Log, Values, plain, unit_of
from paceline.shapes import MARKS, Area, Line, Mark, Text
from paceline.svg import figure_svg, panel_svg
from paceline.text_size import text_width, wrap

SVG = "{http://www.w3.org/2000/svg}"


class Scales(unittest.TestCase):
    def test_a_logarithmic_axis_ends_at_ticks(self):
        for low, high in ((3, 4), (120, 1900), (0.004, 7000), (1e-9, 1e9), (5, 5)):
            scale = Log(low, high)
            self.assertEqual((scale.ticks[0][0], scale.ticks[-1][0]), (scale.low, scale.high))
            self.assertLessEqual(scale.low, low)
            self.assertGreaterEqual(scale.high, high)
            self.assertLessEqual(len(scale.ticks), 12)
            self.assertGreater(len(scale.ticks), 1)
        self.assertAlmostEqual(Log(1, 100).at(10), 0.5)
        self.assertLess(Log(1, 100).at(0), 0)

    def test_linear_ticks_are_round(self):
        self.assertEqual([text for _, text in Linear(0, 104).ticks], ["0", "25", "50", "75", "100"])
        self.assertEqual([text for _, text in Linear(-0.5, 1.1, to_ticks=True).ticks],
                         ["\N{MINUS SIGN}0.5", "0", "0.5", "1", "1.5"])
        self.assertEqual(Linear(0, 0).at(0.5), 0.5)  # a single value has an axis, too

    def test_values_that_occur_have_ticks(self):
        scale = Values([8, 1, 2, 8])
        self.assertEqual([text for _, text in scale.ticks], ["1", "2", "8"])
        self.assertAlmostEqual(scale.at(2) - scale.at(1), (scale.at(8) - scale.at(2)) / 2)
        self.assertAlmostEqual(Values([0, 1, 2]).at(1), 0.5)  # 0 is not on a logarithmic axis
        self.assertEqual(len(Values([4]).ticks), 1)

    def test_numbers_are_written_out(self):
        self.assertEqual([plain(each) for each in (0, 0.05, 20, 1500, 2.5, -3, 1e-6)],
                         ["0", "0.05", "20", "1,500", "2.5", "\N{MINUS SIGN}3",
                          "1e\N{MINUS SIGN}06"])
        self.assertEqual(unit_of([0.02, 0.5]), (1e-3, "ms"))
        self.assertEqual(unit_of([]), (1.0, "s"))


class Panels(unittest.TestCase):
    def panel(self, **more):
        return Panel(Linear(0, 10), Linear(0, 10), "across", "up", **more)

    def test_a_line_that_ends_within_the_frame_is_named_there_if_there_is_room(self):
        panel = self.panel()
        self.assertTrue(panel.label_inside(2, 5, "early", "blue"))
        self.assertFalse(panel.label_inside(2.5, 5.1, "too near", "green"))
        self.assertTrue(panel.label_inside(2.5, 8, "higher", "green"))
        self.assertFalse(panel.label_inside(9, 2, "no room to the right", "green"))
        self.assertEqual([text.text for text, _, _ in panel.marks], ["early", "higher"])

    def test_places_in_pixels(self):
        panel = self.panel()
        panel.add(Mark("circle", 0, 0, "ink"), Mark("circle", 10, 10, "ink"))
        left, top, right, bottom = panel.shapes().frame
        self.assertEqual([(mark.x, mark.y) for mark in panel.shapes().inside],
                         [(left, bottom), (right, top)])
        panel = self.panel(downwards=True)
        panel.add(Mark("circle", 0, 0, "ink"))
        mark, frame = panel.shapes().inside[0], panel.shapes().frame
        self.assertEqual((mark.x, mark.y), frame[:2])

    def test_marks_beyond_the_frame_are_left_out_and_lines_are_cut(self):
        panel = self.panel()
        panel.add(Mark("circle", 11, 5, "ink"), Line(((0, 5), (1e12, 5)), "ink"),
                  Area(((0, 0), (1, 1), (1, -1e12)), "ink"))
        clipped = panel.shapes().clipped
        self.assertEqual(panel.shapes().inside, [])
        self.assertEqual(len(clipped), 2)
        self.assertLess(max(abs(x) for shape in clipped for x, _ in shape.points), 1e4)
        self.assertIn('overflow="hidden"', panel_svg(panel, "a"))

    def test_labels_at_one_height_move_apart_and_stay_within_the_panel(self):
        panel = self.panel()
        for place in range(7):
            panel.label(5 if place else 0, f"series number {place}", "blue", 10)
        above, frame = panel.shapes().above, panel.shapes().frame
        heights = sorted(shape.y for shape in above if isinstance(shape, Text))
        self.assertEqual(len(heights), 7)
        self.assertTrue(all(after - before > 11 for before, after in zip(heights, heights[1:])))
        self.assertGreater(heights[0], 0)
        self.assertLess(heights[-1], panel.height)
        for shape in above:
            if isinstance(shape, Text):
                self.assertGreater(shape.x, frame[2])
                self.assertLessEqual(shape.x + text_width(shape.text, shape.size), panel.width + 8)

    def test_long_labels_wrap(self):
        panel = self.panel()
        panel.label(5, "a name of many words that has no room on a single line", "blue")
        texts = [shape.text for shape in panel.shapes().above]
        self.assertGreater(len(texts), 1)
        self.assertEqual(" ".join(texts), "a name of many words that has no room on a single line")
        self.assertGreater(panel.shapes().frame[2], panel.width / 2)

    def test_ticks_without_room_keep_their_line_but_lose_their_text(self):
        panel = Panel(Values(range(1, 65)), Linear(0, 1))
        texts = [shape.text for shape in panel.shapes().across if isinstance(shape, Text)
                 and shape.anchor == "middle"]
        self.assertIn("64", texts)
        self.assertIn("16", texts)
        self.assertLess(len(texts), 16)

    def test_words_are_broken_where_they_must(self):
        self.assertEqual(wrap("", 50, 11), [""])
        self.assertTrue(all(len(line) < 20 for line in wrap("x" * 90, 100, 11)))


class Svg(unittest.TestCase):
    def drawn(self):
        panel = Panel(Linear(0, 1), Linear(0, 1), "a < b", "c & d", "title \"t\"")
        for place, shape in enumerate((*MARKS, "x", "bar", "dash")):
            panel.add(Mark(shape, place / 10, 0.5, "blue", tip="<tip> & more"))
        panel.add(Line(((0, 0), (1, 1)), "ink", dash=(2, 3)), Area(((0, 0), (1, 0), (1, 1)), "near",
                                                                  0.5, "muted"))
        panel.label(0.5, "<label>", "green")
        panel.note("two\nlines")
        return Figure([panel] * 3, [Key("a key", (Line(((0, 7), (26, 7)), "ink"),))], "a note")

    def test_it_is_well_formed_and_its_colours_have_rules(self):
        text = figure_svg(self.drawn(), "T & t", "D < d")
        root = ElementTree.fromstring(text)
        self.assertEqual((root[0].text, root[1].text), ("T & t", "D < d"))
        classes = {name for element in root.iter() for name in element.get("class", "").split()}
        for name in classes - {"figure"}:
            self.assertIn(f".{name}{{", palette.style_sheet())
        self.assertNotIn(" id=", text)
        texts = [element.text for element in root.iter(f"{SVG}text")]
        for said in ("a < b", "c & d", 'title "t"', "<label>", "two", "lines", "a key", "a note"):
            self.assertIn(said, texts)

    def test_dark_and_light_name_the_same_colours(self):
        self.assertEqual(palette.LIGHT.keys(), palette.DARK.keys())
        self.assertIn("prefers-color-scheme:dark", palette.style_sheet())
        self.assertEqual(palette.shades(1), ["shade0"])
        self.assertEqual(palette.shades(2), ["shade0", "shade8"])

    def test_panels_do_not_overlap(self):
        width, height, placed, _, _ = lay_out(self.drawn())
        boxes = [(x, y, x + panel.width, y + panel.height) for panel, x, y in placed]
        for at, one in enumerate(boxes):
            self.assertLessEqual((one[2], one[3]), (width, height))
            for other in boxes[:at]:
                self.assertTrue(one[0] >= other[2] or one[1] >= other[3])


if __name__ == "__main__":
    unittest.main()
