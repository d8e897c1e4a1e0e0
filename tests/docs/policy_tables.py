"""The generated tables of docs/policies.md and docs/policies/: `<!-- generated: NAME -->`, a table that
`paceline list --policies` prints between the same markers, `<!-- end: NAME -->`.

    PACELINE=build/release/paceline python3 tests/docs/policy_tables.py

writes what the program prints into the pages.
"""
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = re.compile(r"<!-- generated: ([\w-]+) -->\n.*?<!-- end: \1 -->\n", re.DOTALL)


def tables_of(text):
    """The tables of a text by name, each with its markers."""
    return {found[1]: found[0] for found in TABLE.finditer(text)}


def printed(program):
    """The tables that the program prints."""
    done = subprocess.run([program, "list", "--policies"], stdout=subprocess.PIPE, text=True, check=True)
    return tables_of(done.stdout)


def page_of(name):
    """The page that has the table `name`: the policy's own, or the overview."""
    own = ROOT / "docs" / "policies" / f"{name}.md"
    return own if own.exists() else ROOT / "docs" / "policies.md"


def pages():
    return [ROOT / "docs" / "policies.md", *sorted((ROOT / "docs" / "policies").glob("*.md"))]


def refreshed(page, tables):
    """The page's text with `tables` in place of its own."""
    return TABLE.sub(lambda found: tables.get(found[1], found[0]), page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    now = printed(os.environ["PACELINE"])
    for one in pages():
        one.write_text(refreshed(one, now), encoding="utf-8")
