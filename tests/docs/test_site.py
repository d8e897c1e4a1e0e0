"""The source of the documents as a site, and the check of its links (scripts/site)."""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/site"))

import links  # noqa: E402
import manual  # noqa: E402
import markdown  # noqa: E402
import pages  # noqa: E402


class Sources(unittest.TestCase):
    def test_every_page_is_in_the_navigation(self):
        with tempfile.TemporaryDirectory() as folder:
            site = pages.Site(pathlib.Path(folder))
            site.collect()
            site.check_navigation((ROOT / "scripts/site/mkdocs.yml").read_text(encoding="utf-8"))
            self.assertEqual(site.errors, [])

    def test_a_page_outside_the_navigation_and_a_broken_link_are_errors(self):
        with tempfile.TemporaryDirectory() as folder:
            site = pages.Site(pathlib.Path(folder))
            site.translated(ROOT / "docs/model.md",
                            "one\n[two](no-such.md#there)\n`[code](x.md)`\n")
            site.write("docs/new.md", "# New")
            site.check_navigation("nav: [docs/model.md]")
            self.assertEqual(site.errors, [
                "docs/model.md:2: error: no file 'no-such.md'",
                "scripts/site/mkdocs.yml:1: error: the navigation lacks docs/new.md"])

    def test_links_to_files_and_folders_lead_to_their_pages(self):
        with tempfile.TemporaryDirectory() as folder:
            text = pages.Site(pathlib.Path(folder)).translated(
                ROOT / "docs/models.md", "[a](../experiments/lstm.yaml) [b](../topology/gpus/) "
                "[c](model.md#input) [d](../experiments/published/tf-dgx1-p100.csv)")
            self.assertEqual(
                text, "[a](../experiments/lstm.yaml.md) [b](../topology/gpus/README.md) "
                "[c](model.md#input) [d](../experiments/published/tf-dgx1-p100.csv)")


class Links(unittest.TestCase):
    def found(self, text):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "a.html").write_text(text, encoding="utf-8")
            pathlib.Path(folder, "b.html").write_text('<h1 id="top">B</h1>', encoding="utf-8")
            return [line.removeprefix("a.html: error: ")
                    for line in links.problems(pathlib.Path(folder).resolve())]

    def test_a_good_page_has_no_problem(self):
        self.assertEqual(self.found('<a href="b.html#top">b</a>'
                                    '<a href="https://example.org/">elsewhere</a>'), [])

    def test_missing_files_and_anchors(self):
        self.assertEqual(
            self.found('<a href="c.html">c</a> <a href="b.html#no">b</a> <a href="#x">x</a>'),
            ["no file for c.html", "no anchor for b.html#no", "no anchor for #x"])

    def test_nothing_is_loaded_from_other_hosts(self):
        self.assertEqual(self.found('<script src="https://example.org/x.js"></script>'
                                    '<link rel="stylesheet" href="//example.org/x.css">'),
                         ["loads https://example.org/x.js", "loads //example.org/x.css"])


class Markdown(unittest.TestCase):
    def test_a_list_follows_a_blank_line_and_its_parts_are_indented_by_four(self):
        self.assertEqual(
            markdown.for_site("Text:\n- a\n  goes on\n  - b\n\n    c\n- d\nlazy\n\nText\n"),
            "Text:\n\n- a\n    goes on\n    - b\n\n        c\n- d\n    lazy\n\nText\n")

    def test_code_is_left_alone(self):
        code = "```sh\nx\n- y\n  z\n```\n"
        self.assertEqual(markdown.for_site(code), code)
        self.assertEqual(markdown.for_site("```yaml excerpt\na: 1\n```"), "```yaml\na: 1\n```")

    def test_code_in_a_list_moves_with_it(self):
        self.assertEqual(markdown.for_site("1. a\n\n   ```sh\n   b\n     c\n   ```\n"),
                         "1. a\n\n    ```sh\n    b\n      c\n    ```\n")


class Manual(unittest.TestCase):
    def test_a_page(self):
        roff = (".TH PACELINE-X 1\n.SH NAME\npaceline\\-x \\- does_x\n.SH OPTIONS\n.TP\n"
                "\\fB\\-\\-set\\fR \\fIKEY\\fR\nSets `a_b`.\n.SH \"SEE ALSO\"\n.BR paceline (1)\n")
        self.assertEqual(manual.as_markdown(roff, {"paceline"}), (
            "# paceline-x(1)\n\n## Name\n\npaceline-x - does\\_x\n\n## Options\n\n"
            "\n**--set** *KEY*\n:   Sets `a_b`.\n\n"
            "## See also\n\n[**paceline**(1)](paceline.md)\n"))

    def test_an_unknown_macro_is_an_error(self):
        with self.assertRaisesRegex(manual.Unknown, "no Markdown for the macro .RS"):
            manual.as_markdown(".RS 4\n", set())


if __name__ == "__main__":
    unittest.main()
