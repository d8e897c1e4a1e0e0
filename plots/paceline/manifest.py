# SPDX-License-Identifier: MIT
"""Reads manifest.json, the origin of a run. Any key may be missing; a broken file is an error."""

import json

from paceline.bad_input import BadInput
from paceline.results import read_text


def read_manifest(path):
    """The manifest as a dict, {} if there is no file."""
    if not path.exists():
        return {}
    try:
        manifest = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise BadInput(path, f"malformed JSON ({error.msg})", error.lineno) from None
    except ValueError as error:  # also for an integer with thousands of digits
        raise BadInput(path, f"malformed JSON ({error})") from None
    except RecursionError:
        raise BadInput(path, "malformed JSON (nested too deeply)") from None
    if not isinstance(manifest, dict):
        raise BadInput(path, "a JSON object is needed", 1)
    return manifest


def sentences(manifest, key):
    """The texts of a list, [] if the key is missing or holds another type."""
    found = manifest.get(key)
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def labels(manifest):
    """Swept key -> text of a value -> its short name, as given in the manifest."""
    found = manifest.get("labels")
    return {key: {text: name for text, name in names.items() if isinstance(name, str) and name}
            for key, names in (found.items() if isinstance(found, dict) else ())
            if isinstance(names, dict)}


def machine_title(manifest):
    """The title of a machine that the experiment describes in place, "" if there is none."""
    machine = manifest.get("resolved")
    machine = machine.get("machine") if isinstance(machine, dict) else None
    title = manifest.get("machine_title") or (machine.get("title")
                                              if isinstance(machine, dict) else None)
    return title if isinstance(title, str) else ""


def text(manifest, key):
    """The value of a key as text, "" if it is missing or null."""
    value = manifest.get(key)
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
