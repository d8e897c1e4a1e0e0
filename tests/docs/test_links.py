"""The links between the pages: their files exist, and so do the headings that they name."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^()\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def anchor_of(heading):
    """GitHub's: lower case, blanks to dashes, all else but letters, digits and dashes dropped."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return {anchor_of(line.lstrip("#")) for line in text.split("\n") if line.startswith("#")}


class Links(unittest.TestCase):
    def test_each_leads_somewhere(self):
        pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"),
                 *(ROOT / "experiments").rglob("*.md")]
        for page in pages:
            for link in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
                if re.match(r"\w+:", link):
                    continue
                path, _, anchor = link.partition("#")
                target = (page.parent / path).resolve() if path else page
                with self.subTest(page=str(page.relative_to(ROOT)), link=link):
                    self.assertTrue(target.exists())
                    if anchor:
                        self.assertIn(anchor, anchors(target))


if __name__ == "__main__":
    unittest.main()
