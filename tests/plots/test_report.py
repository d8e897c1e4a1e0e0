# SPDX-License-Identifier: MIT
"""The report that draw.py writes: its contents, their order and sources."""

import html
import re
import unittest
from xml.etree import ElementTree

from drawing import SAID, Drawn, draw, page_of
from sample import MANIFEST  # sets sys.path

from paceline import d3
from paceline.figures import FIGURES


class Report(Drawn):
    def test_report_holds_every_point(self):
        points = re.search(r'<section id="points">.*?</section>', self.page, re.DOTALL)[0]
        for policy in ("sync", "k-sync, K=P/2", "async", "k-async, K=P/2"):
            for workers in ("1 worker", "2 workers", "4 workers", "8 workers", "16 workers"):
                cell = f'>{policy}, {workers}</a></td>'
                self.assertEqual(points.count(cell), 3, cell)
        comparison = re.search(r'<section id="agreement">.*?</section>', self.page, re.DOTALL)[0]
        self.assertEqual(comparison.count("<tr>"), 21)  # the heading and 20 points
        self.assertEqual(points.count("theory (bound)"), 3)  # k-async beyond K=1

    def test_rows_that_calibrated_the_prediction_say_so(self):
        page = page_of(self.root / "dgx1")
        self.assertEqual(page.count('<td class="text">published, given</td>'), 5)
        self.assertIn("+9.3 %</td>", page)

    def test_the_answer_stands_before_the_agreement_and_layer_times(self):
        places = [self.page.index(html.escape(said)) for said in (
            MANIFEST["question"], MANIFEST["findings"][0], MANIFEST["agreement"][0],
            MANIFEST["layer_times"][0])]
        places += [self.page.index(f'id="figure-{name}"')
                   for name in ("throughput", "breakdown", "agreement")]
        self.assertEqual(places, sorted(places))

    def test_contents_lead_to_every_section(self):
        sections = re.findall(r'<section id="([^"]*)">', self.page)
        self.assertEqual(sections, ["answer", "time", "agreement", "points", "skipped",
                                    "assumed"])
        nav = re.search(r"<nav.*?</nav>", self.page, re.DOTALL)[0]
        self.assertEqual(re.findall(r'href="#([^"]*)"', nav), sections)

    def test_captions_open_with_findings_and_end_with_layer_times(self):
        caption = re.search(r'id="figure-throughput".*?<figcaption>(.*?)</figcaption>', self.page,
                            re.DOTALL)[1]
        self.assertTrue(caption.startswith(f"<strong>{MANIFEST['findings'][0]}</strong> "))
        for found in re.findall(r"<figcaption>(.*?)</figcaption>", self.page, re.DOTALL):
            self.assertTrue(found.endswith('<span class="layers">Layer times: measured on this '
                                           "host.</span>"), found)

    def test_findings_of_any_item_open_the_caption_of_throughput(self):
        throughput, = (row for row in FIGURES if row.name == "throughput")
        self.assertRegex("8 workers train 385.0 words/sec.", throughput.finding)

    def test_no_word_of_targets_where_none_was_set(self):
        self.assertNotIn("target", re.sub(r"<(script|style)>.*?</\1>", "", self.page,
                                          flags=re.DOTALL).lower())

    def test_panels_are_pictures_of_their_own(self):
        figure = re.search(r'<figure class="broad" id="figure-breakdown">.*?</figure>', self.page,
                           re.DOTALL)[0]
        panels = re.search(r'<div class="panels">.*?</div>', figure, re.DOTALL)[0]
        self.assertEqual(len(re.findall(r'<svg class="figure" role="img"', panels)), 4)

    def test_text_is_escaped(self):
        for raw in ("Xeon <test> & co", "worker 3 <lost> & gone"):
            self.assertIn(html.escape(raw), self.page)
            self.assertNotIn(raw, self.page)

    def test_experiment_file_is_there_word_for_word(self):
        self.assertIn(html.escape(MANIFEST["yaml"]), self.page)
        self.assertIn(html.escape(MANIFEST["machine_text"].strip("\n")), self.page)
        self.assertIn("Fitted constants</span></h3>", self.page)

    def test_every_setting_has_its_origin(self):
        settings = re.search(r"<h3>Every setting</h3>.*?</table>", self.page, re.DOTALL)[0]
        rows = re.findall(r"<tr>(.*?)</tr>", settings, re.DOTALL)[1:]
        cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows]
        self.assertEqual(cells, [["name", "quickstart", "experiment"],
                                 ["update", "{kind: sync}", "experiment and defaults"],
                                 ["batch", "32", "default"]])

    def test_every_kind_of_number_has_its_source(self):
        sources = re.search(r'<dl class="sources">.*?</dl>', self.page, re.DOTALL)[0]
        self.assertEqual(re.findall(r"<dt>(.*?)</dt>", sources),
                         ["times of layers", "machine", "software stack", "random draws",
                          "measurements"])
        self.assertIn('<a href="#constants">1 fitted constant</a>', sources)
        published = page_of(self.root / "dgx1")
        self.assertIn("<dt>published figures</dt>", published)

    def test_page_asks_for_nothing_from_outside(self):
        addresses = re.findall(r'(?:href|src)="([^"]*)"', self.page)
        self.assertTrue(addresses)
        self.assertEqual([each for each in addresses if not each.startswith("#")], [])
        without_comments = re.sub(r"/\*.*?\*/", "", self.page, flags=re.DOTALL)  # licences
        self.assertNotRegex(without_comments, r"<script src|@import|url\((?!#)|"
                                              r"https?://(?!www\.w3\.org|d3js\.org)")
        self.assertEqual(self.page.count("<script"), 0 if d3.missing() else 2)

    def test_ids_are_unique_and_links_lead_somewhere(self):
        ids = re.findall(r'\sid="([^"]*)"', self.page)
        self.assertEqual(len(ids), len(set(ids)))
        targets = set(re.findall(r'href="#([^"]*)"', self.page))
        targets |= set(re.findall(r"url\(#([^)]*)\)", self.page))
        self.assertEqual(targets - set(ids), set())

    def test_page_is_well_formed(self):
        body = self.page[self.page.index("<body>"):self.page.index("</html>")]
        body = re.sub(r"<script>.*?</script>", "", body, flags=re.DOTALL)
        body = re.sub(r"<input[^>]*>", "", body)
        ElementTree.fromstring(body)  # every tag closed, every & and < escaped

    def test_several_runs_go_beside_the_first(self):
        done = draw(self.root / "quickstart", self.root / "dgx1")
        self.assertEqual((done.returncode, done.stderr), (0, SAID))
        page = page_of(self.root / "quickstart+dgx1")
        self.assertIn("<title>quickstart + tensorflow-dgx1</title>", page)
        self.assertIn(f"<strong>quickstart: {MANIFEST['findings'][0]}</strong>", page)
        self.assertIn(f"<p>quickstart: {MANIFEST['agreement'][0]}</p>", page)
        self.assertIn("published, given", page)


if __name__ == "__main__":
    unittest.main()
