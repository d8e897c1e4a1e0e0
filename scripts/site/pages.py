# SPDX-License-Identifier: MIT
"""Writes the source of the site: pages.py PROGRAM FOLDER

FOLDER gets mkdocs.yml and pages/, a copy of README.md, CHANGELOG.md, CONTRIBUTING.md, docs/ and
each file of the repository that a page links to, by the same paths, so that links between files hold.
A linked folder gets a page that lists its files; a linked text file becomes a page that shows it.
The manual pages of PROGRAM go to pages/manual. A link that leads nowhere and a page of docs/ that
the navigation lacks are errors.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import manual
import markdown
import notebook

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIRST = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"]
AS_THEY_ARE = {".svg", ".png", ".csv"}
LANGUAGES = {".yaml": "yaml", ".cff": "yaml", ".json": "json", ".py": "python"}


class Site:
    def __init__(self, folder):
        self.pages = folder / "pages"
        self.errors = []
        self.waiting = [ROOT / name for name in FIRST] + sorted((ROOT / "docs").rglob("*.md"))
        self.done = set()

    def write(self, path, content):
        target = self.pages / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())

    def collect(self):
        """Writes the pages, and the files that they link to, until no file is missing."""
        while self.waiting:
            source = self.waiting.pop()
            if source not in self.done:
                self.done.add(source)
                self.add(source)

    def add(self, source):
        path = source.relative_to(ROOT)
        page = self.page_of(source).relative_to(ROOT)
        if source.is_dir():
            self.write(page, self.list_of(source))
        elif source.suffix in AS_THEY_ARE:
            self.write(path, source.read_bytes())
        elif source.suffix == ".md":
            self.write(page, self.translated(source, source.read_text(encoding="utf-8")))
        elif source.suffix == ".ipynb":
            text = notebook.as_markdown(source.read_text(encoding="utf-8"),
                                        lambda name, data: self.write(page.parent / name, data))
            self.write(page, self.translated(source, text, pictures=True))
        else:
            self.write(page, markdown.code_page(path, source.read_text(encoding="utf-8"),
                                                LANGUAGES.get(source.suffix, "")))

    def page_of(self, source):
        """The file of the site that shows a file or folder of the repository."""
        if source.is_dir():
            return source / "README.md"
        if source.suffix == ".md" or source.suffix in AS_THEY_ARE:
            return source
        return source.with_name(source.name + ".md")

    def translated(self, source, text, pictures=False):
        def new(link, line):
            if re.match(r"\w+:", link) or (pictures and link.endswith(".png")):
                return link
            name, mark, anchor = link.partition("#")
            if not name:
                return link
            target = (source.parent / name).resolve()
            if not target.exists() or not target.is_relative_to(ROOT):
                self.errors.append(f"{source.relative_to(ROOT)}:{line}: error: no file '{name}'")
                return link
            self.waiting.append(target)
            page = self.page_of(target)
            return name[:len(name) - len(target.name)] + page.name + mark + anchor \
                if target.is_file() else f"{name.rstrip('/')}/README.md"

        return markdown.for_site(markdown.with_links(text, new))

    def list_of(self, folder):
        names = sorted(path.name for path in folder.iterdir()
                       if path.suffix in {".yaml", ".csv", ".md"} and path.name != "README.md")
        text = "".join(f"- [{name}]({name})\n" for name in names)
        return self.translated(folder / "README.md", f"# {folder.relative_to(ROOT)}\n\n{text}")

    def add_manual(self, program):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([program, "manual", "-o", folder], check=True, stdout=subprocess.DEVNULL)
            texts = {path.stem: path.read_text(encoding="utf-8")
                     for path in sorted(pathlib.Path(folder).glob("*.1"))}
        for name, text in texts.items():
            try:
                self.write(f"manual/{name}.md", manual.as_markdown(text, texts))
            except manual.Unknown as problem:
                self.errors.append(f"{name}.1: error: {problem} (scripts/site/manual.py)")

    def check_navigation(self, settings):
        """Each page of docs/ and each manual page is in the navigation."""
        listed = set(re.findall(r"[\w./-]+\.md\b", settings))
        for page in sorted([*self.pages.glob("docs/**/*.md"), *self.pages.glob("manual/*.md")]):
            name = page.relative_to(self.pages).as_posix()
            if name not in listed:
                self.errors.append(f"scripts/site/mkdocs.yml:1: error: the navigation lacks {name}")


def main(program, folder):
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    site = Site(folder)
    site.collect()
    site.add_manual(program)
    settings = (ROOT / "scripts/site/mkdocs.yml").read_text(encoding="utf-8")
    site.check_navigation(settings)
    (folder / "mkdocs.yml").write_text(settings, encoding="utf-8")
    shutil.copy(ROOT / "scripts/site/wide.css", site.pages)
    print(*site.errors, sep="\n", end="\n" if site.errors else "", file=sys.stderr)
    return 1 if site.errors else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
