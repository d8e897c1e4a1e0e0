# SPDX-License-Identifier: MIT
"""Writes Python values as YAML in flow style, as experiments and `--set` take them."""

import json
import math
import re

from paceline.bad_input import Error

# Text that is a plain scalar. `10 ms` has to be one: the program takes quoted text for no quantity.
_PLAIN = re.compile(r"(?!- )[A-Za-z0-9_./+-](?:[\w ./%+*^-]*[\w./%])?")


def flow_text(value, where="experiment"):
    """The text of a mapping, list, text, number, truth value or None; `where` opens the error."""
    if hasattr(value, "tolist"):  # NumPy's numbers and arrays, columns of tables
        value = value.tolist()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(str(key))}: {flow_text(each, f'{where}.{key}')}"
                               for key, each in value.items()) + "}"
    if isinstance(value, (list, tuple, range)):
        return "[" + ", ".join(flow_text(each, where) for each in value) + "]"
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, (bool, int)):
        return json.dumps(value)
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    raise Error(f"{where}: error: {value!r} is no text, number, list or mapping")


def _text(text):
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
