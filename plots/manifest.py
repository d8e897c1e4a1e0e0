# SPDX-License-Identifier: MIT
"""Reads manifest.json: where a run came from. Any key may be missing; a broken file is an error."""

import json

from bad_input import BadInput
from results import read_text


def read_manifest(path):
    """The manifest as a dict, {} where there is no such file."""
    if not path.exists():
        return {}
    try:
        manifest = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise BadInput(path, f"malformed JSON ({error.msg})", error.lineno) from None
    except ValueError as error:  # a whole number of thousands of digits
        raise BadInput(path, f"malformed JSON ({error})") from None
    except RecursionError:
        raise BadInput(path, "malformed JSON (nested too deeply)") from None
    if not isinstance(manifest, dict):
        raise BadInput(path, "a JSON object is needed", 1)
    return manifest


def text(manifest, key):
    """The value of a key as text, "" where it is missing or null."""
    value = manifest.get(key)
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
