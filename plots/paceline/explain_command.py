# SPDX-License-Identifier: MIT
"""The command that explains one point of a run, from the run's own command and the point's swept
values."""

import shlex
from pathlib import PurePath

from paceline.manifest import text

WITH_VALUE = ("-o", "--plot", "-j", "--shard", "--device", "--rank", "--processes", "--address",
              "--secret-file")
KEPT = ("--set", "--seed")  # they change the experiment


def explain_command(run, row):
    """`paceline explain FILE --set workers=8 ...`; "" if the manifest does not give the file."""
    files, changes = _read(text(run.manifest, "command"))
    named = [each for each in files if PurePath(each).stem == row["experiment"]]
    files = named[:1] or files
    if len(files) != 1:
        return ""
    words = [f"{key}={value}" for key, value in row.given.items() if value]
    swept = [word.split("=")[0] for word in words]
    kept = [each for each in changes if each[1].split("=")[0] not in swept]
    return shlex.join(["paceline", "explain", files[0],
                       *(word for each in kept for word in each),
                       *(word for each in words for word in ("--set", each))])


def _read(command):
    """(files, [(option, value)] of KEPT) of a command line."""
    try:
        words = shlex.split(command)[2:]
    except ValueError:
        return [], []
    files, kept, at = [], [], 0
    while at < len(words):
        name, value, after = _option(words, at)
        if not name:
            files.append(value)
        elif name in KEPT:
            kept.append((name, value))
        at = after
    return files, kept


def _option(words, at):
    """(option or "", its value or the file, index of the next word)."""
    word = words[at]
    if not word.startswith("-") or word == "-":
        return "", word, at + 1
    if word == "--":
        return "--", "", at + 1
    name, sign, value = word.partition("=") if word.startswith("--") else (word[:2], word[2:],
                                                                           word[2:])
    if sign or name not in WITH_VALUE + KEPT:
        return name, value, at + 1
    return name, words[at + 1] if at + 1 < len(words) else "", at + 2
