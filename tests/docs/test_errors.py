"""docs/errors.md has a row for every error message of the sources, and no other."""
import pathlib
import re
import unittest

import errors_page
import messages

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "errors.md"
EXPECT = re.compile(r"^# expect: \d+:\d+: error: (.*)$", re.MULTILINE)


class EveryMessageIsExplained(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = list(errors_page.rows_of(PAGE.read_text(encoding="utf-8")))
        cls.patterns = [errors_page.pattern(m) for row in cls.rows for m in row.messages]
        cls.found = messages.of_tree(ROOT)

    def covered(self, text):
        return any(pattern.fullmatch(text) for pattern in self.patterns)

    def none_of(self, lines, problem):
        if lines:
            self.fail(problem + ":\n" + "\n".join(lines))

    def test_every_message_has_a_row(self):
        missing = [f"{errors_page.missing_row(text)}  {places[0]}"
                   for text, places in self.found.items() if not self.covered(text)]
        self.none_of(missing, "docs/errors.md misses (fill in and move to its area)")

    def test_every_expected_error_has_a_row(self):
        missing = [f"{errors_page.missing_row(text)}  {file.name}"
                   for file in sorted((ROOT / "tests" / "cli" / "bad").glob("*.yaml"))
                   for text in EXPECT.findall(file.read_text(encoding="utf-8"))
                   if not self.covered(text)]
        self.none_of(missing, "docs/errors.md misses")

    def test_every_row_is_of_the_sources(self):
        stale = [f"docs/errors.md:{row.line}: `{message}`" for row in self.rows
                 for message in row.messages
                 if not any(errors_page.pattern(message).fullmatch(text) for text in self.found)]
        self.none_of(stale, "no source says any more")

    def test_rows_say_something(self):
        for row in self.rows:
            with self.subTest(line=row.line):
                self.assertTrue(row.cause and row.cure)
                for message in row.messages:
                    self.assertTrue(messages.says_something(message),
                                    f"`{message}` covers too much")


class Extraction(unittest.TestCase):
    def texts(self, source):
        return [m.text for m in messages.of_cpp(source, "x.cpp")]

    def test_joins_literals_and_marks_what_varies(self):
        self.assertEqual(self.texts('throw SpecError(at, "k " + std::to_string(k) + " is "\n'
                                    '"above workers " + std::to_string(p));'),
                         ["k ... is above workers ..."])

    def test_gives_one_message_for_each_branch(self):
        source = 'd.error(at, "batch " + n + (devices ? " for all" : " of one"));'
        self.assertEqual(self.texts(source), ["batch ... for all", "batch ... of one"])

    def test_names_what_is_unknown(self):
        self.assertEqual(self.texts('fail(unknown_name("update policy", text, known));'),
                         ["unknown update policy '...' (...)"])

    def test_leaves_out_what_a_programmer_is_told(self):
        self.assertEqual(self.texts('throw std::logic_error("no such row");'), [])

    def test_reads_what_a_refusing_function_returns(self):
        self.assertEqual(self.texts('std::string unfit(const Net& n) const {\n'
                                    '  // return "not this one";\n'
                                    '  return n.ok() ? "" : "its items are plain numbers";\n}'),
                         ["its items are plain numbers"])

    def test_reads_python(self):
        self.assertEqual([m.text for m in messages.of_python(
            'raise BadInput(path, f"column {name} is missing", 1)', "x.py")],
            ["column ... is missing"])


class Pages(unittest.TestCase):
    def test_rows(self):
        row, = errors_page.rows_of("| message | cause | cure |\n|---|---|---|\n"
                                   "| `no ...`, ``a `b` c`` | Why. | What. |")
        self.assertEqual(row.messages, ["no ...", "a `b` c"])
        self.assertEqual((row.cause, row.cure), ("Why.", "What."))

    def test_dots_match_any_text(self):
        self.assertTrue(errors_page.pattern("k ... is above").fullmatch("k 5 is above"))
        self.assertFalse(errors_page.pattern("k ... is above").fullmatch("k 5 is below"))


if __name__ == "__main__":
    unittest.main()
