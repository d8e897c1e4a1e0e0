"""The pages on update policies: a page a policy, alike in form, with the tables that the program prints."""
import os
import unittest

import policy_tables

PACELINE = os.environ.get("PACELINE", "")
HEADINGS = ["\n## Steps\n\n1. ", "\n4. ", "\n**Expected time:** ", "\n**Staleness:** ", "\n**Source:** ",
            "\n## Keys and examples\n"]


class Pages(unittest.TestCase):
    maxDiff = None

    def test_each_says_the_same_of_its_policy(self):
        for page in policy_tables.pages()[1:]:
            text = page.read_text(encoding="utf-8")
            with self.subTest(page=page.name):
                self.assertTrue(text.startswith(f"# {page.stem}\n"))
                for heading in HEADINGS:
                    self.assertIn(heading, text)

    @unittest.skipUnless(PACELINE, "PACELINE names no program")
    def test_tables_are_what_the_program_prints(self):
        printed = policy_tables.printed(PACELINE)
        for page in policy_tables.pages():
            with self.subTest(page=page.name):
                self.assertEqual(page.read_text(encoding="utf-8"), policy_tables.refreshed(page, printed),
                                 "run tests/docs/policy_tables.py and look at the difference")

    @unittest.skipUnless(PACELINE, "PACELINE names no program")
    def test_each_table_has_its_place_and_no_other_page_has_one(self):
        printed = policy_tables.printed(PACELINE)
        found = {}
        for page in policy_tables.pages():
            found.update({name: page for name in
                          policy_tables.tables_of(page.read_text(encoding="utf-8"))})
        self.assertEqual(found, {name: policy_tables.page_of(name) for name in printed})
        self.assertGreater(len(found), 10)
        for page in policy_tables.pages()[1:]:
            self.assertIn(page.stem, printed)


if __name__ == "__main__":
    unittest.main()
