# SPDX-License-Identifier: MIT
"""The pages' Markdown as the site's parser, Python-Markdown, reads it.

The pages follow code hosts, which read CommonMark: a list may follow a paragraph without a blank
line, and the parts of an item are indented by the width of its mark. Python-Markdown requires a
blank line and four columns. After the language of a block of code it reads options of its own.
"""
import re

CODE = re.compile(r"^(?P<indent> *)(?P<fence>```+).*?^(?P=indent)(?P=fence)$|`[^`\n]+`",
                  re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<=\]\()([^()\s]+)(?=\))")
ITEM = re.compile(r"( *)([-*]|\d+\.)( +)(?=\S)")
FENCE = re.compile(r" *```")
AFTER_LANGUAGE = re.compile(r"^( *```+\w+) .+$", re.MULTILINE)


def with_links(text, replace):
    """The text with replace(target, line number) for the target of each link outside code."""
    code = [found.span() for found in CODE.finditer(text)]

    def new(found):
        if any(begin <= found.start() < end for begin, end in code):
            return found[0]
        return replace(found[0], text.count("\n", 0, found.start()) + 1)

    return LINK.sub(new, text)


def for_site(text):
    return with_wide_lists(AFTER_LANGUAGE.sub(r"\1", text))


def with_wide_lists(text):
    """The text with a blank line before each list, and with items' parts indented by four."""
    out, offsets, in_code = [], [], False
    for line in text.split("\n"):
        if not line.strip():
            out.append(line)
            continue
        indent = len(line) - len(line.lstrip(" "))
        item = None if in_code else ITEM.match(line)
        lazy = not in_code and not item and out and out[-1].strip() and indent == 0
        begins = not offsets
        while offsets and indent < offsets[-1] and not lazy and not in_code:
            offsets.pop()
        if item and begins and out and out[-1].strip():
            out.append("")
        if lazy and line.startswith(("#", "|", "```", "<")):  # not the item's paragraph that goes on
            offsets = []
        outer = offsets[-1] if offsets and not lazy else 0
        out.append(" " * (4 * len(offsets) + max(indent - outer, 0)) + line.lstrip(" "))
        if item:
            offsets.append(len(item[0]))
        if FENCE.match(line):
            in_code = not in_code
    return "\n".join(out)


def code_page(title, text, language):
    """A page that shows a file."""
    fence = "`" * (3 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"# {title}\n\n{fence}{language}\n{text.rstrip()}\n{fence}\n"
