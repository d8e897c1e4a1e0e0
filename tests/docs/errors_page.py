"""docs/errors.md: a table row for each error message, `...` in place of what varies."""
import collections
import re

Row = collections.namedtuple("Row", "messages cause cure line")
CODE = re.compile(r"(?<!\\)(`+) ?(.+?) ?\1(?!`)")


def rows_of(page):
    """The rows of the page's tables: their first cell holds messages as code."""
    for number, line in enumerate(page.split("\n"), 1):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)]
        if len(cells) != 5 or not cells[1].startswith("`"):
            continue
        messages = [found[2].replace("\\|", "|") for found in CODE.finditer(cells[1])]
        yield Row(messages, cells[2], cells[3], number)


def pattern(message):
    """What a message of the page covers: `...` is any text."""
    parts = [re.escape(part) for part in message.split("...")]
    return re.compile(".*".join(parts), re.DOTALL)


def missing_row(message):
    """A row to fill in."""
    fence = "``" if "`" in message else "`"
    blank = " " if "`" in message else ""
    return f"| {fence}{blank}{message.replace('|', chr(92) + '|')}{blank}{fence} | cause | cure |"
