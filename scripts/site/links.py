# SPDX-License-Identifier: MIT
"""Checks a built site: links.py FOLDER

Each link of a page leads to a file of the site and to an anchor in it; no page loads a font, a
script, a style or a picture from another host. Prints `page: error: ...` for each that does not.
"""
import html.parser
import pathlib
import sys
import urllib.parse

LOADED = {("link", "href"), ("script", "src"), ("img", "src"), ("iframe", "src")}


class Page(html.parser.HTMLParser):
    """The targets and the anchors of a page."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.targets, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        self.anchors |= {names[key] for key in ("id", "name") if names.get(key)}
        for key in ("href", "src"):
            if names.get(key):
                self.targets.append(((tag, key), names[key]))


def problems(folder):
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")
             if path.name != "404.html"}  # its links are from the host's root
    for path, page in sorted(pages.items()):
        for kind, target in page.targets:
            problem = problem_of(path, kind, target, pages)
            if problem:
                yield f"{path.relative_to(folder)}: error: {problem}"


def problem_of(path, kind, target, pages):
    parts = urllib.parse.urlsplit(target)
    if parts.scheme in ("data", "mailto", "javascript"):
        return ""
    if parts.scheme or parts.netloc:
        return f"loads {target}" if kind in LOADED else ""
    file = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
    if file.is_dir():
        file /= "index.html"
    if not file.exists():
        return f"no file for {target}"
    anchor = urllib.parse.unquote(parts.fragment)
    known = pages[file].anchors if file in pages else set()
    return f"no anchor for {target}" if anchor and anchor not in known else ""


def main(folder):
    found = list(problems(pathlib.Path(folder).resolve()))
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
