# SPDX-License-Identifier: MIT
"""Splits swept values: `{kind: ssp, slack: 2}` under `update` is a kind and a slack.

Each entry can then distinguish series, form the axis, and have its own text in a legend.
"""


def spread_maps(rows, labels=None):
    """Replaces each swept key that holds maps by one swept key per entry (`update.slack`).

    A bare name among maps is a kind, as in the experiment's file; entries missing in a row are
    blank. If `labels` (key -> text -> short name) names all values of such a key, the rows keep the
    names.
    """
    for key in list(rows[0].swept if rows else ()):
        entries = [flow_map(row.swept[key]) for row in rows]
        if not any(entries):
            continue
        named = (labels or {}).get(key, {})
        if all(row.swept[key] in named for row in rows):
            for row in rows:
                row.labels[key] = named[row.swept[key]]
        entries = [found or ({"kind": row.swept[key]} if row.swept[key] else {})
                   for found, row in zip(entries, rows)]
        entries = _kinds_in_full(entries)
        paths = list(dict.fromkeys(path for found in entries for path in found))
        for found, row in zip(entries, rows):
            told = {f"{key}.{path}": found.get(path, "") for path in paths}
            row.swept = {name: text for each, whole in row.swept.items()
                         for name, text in (told if each == key else {each: whole}).items()}


def _kinds_in_full(entries):
    """Writes `staleness: average` as `staleness.kind: average` if other rows have a map there."""
    paths = {path for found in entries for path in found}
    maps = {path for path in paths if any(other.startswith(f"{path}.") for other in paths)}
    return [{f"{path}.kind" if path in maps else path: text for path, text in found.items()}
            for found in entries]


def flow_map(text):
    """path -> text of the entries of a map in flow style, nested paths dotted; {} for other text.
    """
    if not (text.startswith("{") and text.endswith("}")):
        return {}
    found = {}
    for entry in _parts(text[1:-1], ","):
        key, *value = _parts(entry, ":")
        key, value = _bare(key), ":".join(value).strip()
        inner = flow_map(value)
        found |= ({f"{key}.{path}": each for path, each in inner.items()} if inner
                  else {key: _bare(value)})
    return found


def _parts(text, mark):
    """Splits the text at every `mark` outside brackets and quotes."""
    parts, depth, quoted, escaped, start = [], 0, False, False, 0
    for at, each in enumerate(text):
        if quoted:
            quoted, escaped = escaped or each != '"', not escaped and each == "\\"
        elif each == '"':
            quoted = True
        elif each in "{[":
            depth += 1
        elif each in "}]":
            depth -= 1
        elif each == mark and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]


def _bare(text):
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return text
