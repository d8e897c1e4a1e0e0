"""docs/json.md documents the keys that each command with --json prints, and their types.

A row `a[].*` covers each key of each mapping of the list `a`, `a.**` all that is below `a`. A row
that names its key is preferred to one with `*`."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import sample_outputs

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "json.md"
PACELINE = os.environ.get("PACELINE", "")
COMMAND = re.compile(r"<!-- json: (.+?) -->")
TOKEN = re.compile(r"\[\]|[^.\[\]]+")
TYPES = {"list": list, "mapping": dict, "text": str, "number": (int, float), "boolean": bool,
         "null": type(None)}
TIMES = "step_s\n" + "".join(f"0.1{n}\n" for n in range(20))


class Row:
    def __init__(self, key, value):
        self.key = key
        self.tokens = [] if key == "." else TOKEN.findall(key)
        kind, _, rest = value.partition(",")
        self.types = [TYPES[word] for word in kind.split(" or ")] if kind != "any" else None
        self.optional = "optional" in rest

    def covers(self, path):
        if self.tokens[-1:] == ["**"]:
            head = self.tokens[:-1]
            return len(path) > len(head) and self.same(head, path)
        return len(path) == len(self.tokens) and self.same(self.tokens, path)

    @staticmethod
    def same(tokens, path):
        return all(token == part or (token == "*" and part != "[]")
                   for token, part in zip(tokens, path))

    def wildcards(self):
        return sum(token.count("*") for token in self.tokens)

    def accepts(self, value):
        if self.types is None:
            return True
        return any(isinstance(value, one) and (one is bool or not isinstance(value, bool))
                   for one in self.types)


def sections():
    """(title, commands, rows) of each section that names a command."""
    for text in re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        commands = COMMAND.findall(text)
        rows = [Row(key, cells[2].strip())
                for cells in (re.split(r"(?<!\\)\|", line) for line in text.split("\n"))
                if len(cells) == 5 and cells[1].strip().startswith("`")
                for key in re.findall(r"`([^`]+)`", cells[1])]
        if commands:
            yield text.split("\n")[0], commands, rows


def values(value, path=()):
    """(path, value) of all values of a document, itself included."""
    yield path, value
    if isinstance(value, dict):
        for key, one in value.items():
            yield from values(one, (*path, key))
    elif isinstance(value, list):
        for one in value:
            yield from values(one, (*path, "[]"))


def problems(documents, rows):
    """What differs between the documents of a section and its rows."""
    found, used = [], set()
    for path, value in (pair for document in documents for pair in values(document)):
        covering = sorted((row for row in rows if row.covers(path)), key=Row.wildcards)
        if not covering:
            found.append(f"not documented: {path}")
            continue
        used.add(covering[0].key)
        if not covering[0].accepts(value):
            found.append(f"{path} is {value!r}, not as `{covering[0].key}` says")
    found += [f"`{row.key}` is not printed" for row in rows
              if not row.optional and row.key not in used]
    return sorted(set(found))


@unittest.skipUnless(PACELINE, "PACELINE names no program")
class Json(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        sample_outputs.prepare(cls.folder, PAGE)
        (cls.folder / "times.csv").write_text(TIMES, encoding="utf-8")
        for change in ([], ["--set", "steps=20"]):
            subprocess.run([PACELINE, "simulate", "experiments/clusters.yaml", "--no-plot",
                            "--quiet", "--set", "workers=8", *change], cwd=cls.folder, check=True)

    def document(self, command):
        words, _, rest = command.partition(" || ")
        printed = sample_outputs.output_of(f"{words} --json 2>/dev/null" + (" || true" if rest
                                           else ""), self.folder, PACELINE)
        return json.loads(printed)  # the whole of standard output

    def test_keys_are_those_of_the_page(self):
        for title, commands, rows in sections():
            with self.subTest(section=title):
                self.assertEqual(problems([self.document(one) for one in commands], rows), [])

    def test_every_command_with_json_is_on_the_page(self):
        def of_help(*words):
            return subprocess.run([PACELINE, *words, "--help"], capture_output=True, text=True,
                                  check=True).stdout
        shown = {words.split()[1] for _, commands, _ in sections() for words in commands}
        names = re.findall(r"^  ([a-z]+) ", of_help().split("exit codes")[0], re.MULTILINE)
        self.assertIn("simulate", names)
        self.assertEqual({name for name in names if "--json" in of_help(name)}, shown)


class Comparison(unittest.TestCase):
    ROWS = [Row(".", "list"), Row("[]", "mapping"), Row("[].a", "number or null"),
            Row("[].more.*", "text, optional"), Row("[].more", "mapping, optional")]

    def test_accepts_what_is_documented(self):
        self.assertEqual(problems([[{"a": 1, "more": {"b.c": "d"}}, {"a": None}]], self.ROWS), [])

    def test_finds_other_keys_types_and_absences(self):
        self.assertEqual(problems([[{"b": 1}]], self.ROWS),
                         ["`[].a` is not printed", "not documented: ('[]', 'b')"])
        self.assertEqual(problems([[{"a": True}]], self.ROWS),
                         ["('[]', 'a') is True, not as `[].a` says"])


if __name__ == "__main__":
    unittest.main()
