# SPDX-License-Identifier: MIT
"""A manual page, as `paceline manual` prints it, as Markdown for the site."""
import re

FONT = re.compile(r"\\f([BIR])")
BESIDE = re.compile(r"\*\*([\w-]+)\*\*\(1\)")


class Unknown(Exception):
    pass


def plain(text):
    return FONT.sub("", text).replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")


def marked(text):
    """A line of running text: **bold** and *italic*, with Markdown's own characters escaped."""
    out, close = [], ""
    for part in re.split(r"(\\f[BIR]|`[^`]*`)", text):
        font = FONT.fullmatch(part)
        if font:
            out.append(close)
            close = {"B": "**", "I": "*", "R": ""}[font[1]]
            out.append(close)
        elif part.startswith("`"):
            out.append(plain(part))
        else:
            out.append(re.sub(r"([\\*_<>\[\]`])", r"\\\1", plain(part)))
    return "".join(out) + close


def heading(words):
    return words.strip('"').capitalize()


def as_markdown(roff, pages):
    """The page; names of other manual pages, `pages`, become links."""
    out, tag = [], False
    lines = iter(roff.splitlines())
    for line in lines:
        macro, _, rest = line.partition(" ") if line.startswith(".") else ("", "", line)
        if macro == ".TH":
            out.append(f"# {rest.split()[0].lower()}(1)")
        elif macro == ".SH":
            out += ["", f"## {heading(rest)}", ""]
        elif macro == ".TP":
            tag = True
        elif macro == ".PP":
            out.append("")
        elif macro == ".nf":
            out += ["", "```", *map(plain, iter(lambda: next(lines), ".fi")), "```", ""]
        elif macro in ("", ".B", ".BR"):
            words = rest if not macro else f"\\fB{rest}\\fR"
            if macro == ".BR":
                words = "\\fB" + rest.replace(" ", "\\fR", 1)
            out += ["", marked(words), ""] if tag else [marked(words)]
            tag = False
            if out[-1] == "":
                out[-1] = ":   " + marked(next(lines))
        else:
            raise Unknown(f"no Markdown for the macro {macro}")
    return BESIDE.sub(lambda name: f"[{name[0]}]({name[1]}.md)" if name[1] in pages else name[0],
                      "\n".join(out)) + "\n"
