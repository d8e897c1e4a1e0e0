# SPDX-License-Identifier: MIT
"""Writes files atomically: either all bytes of a file or none."""

import os

from paceline.bad_input import BadInput

FORMATS = ("svg", "pdf", "png")


def write_all(files, stale=()):
    """Writes {path: bytes} under temporary names, then renames them all; removes stale files."""
    written = []
    try:
        for path, content in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = path.with_name(f".{path.name}.{os.getpid()}")
            written.append(temporary)
            temporary.write_bytes(content)
        for path, temporary in zip(files, written):
            os.replace(temporary, path)
        for path in stale:
            path.unlink(missing_ok=True)
    except OSError as error:
        for temporary in written:
            temporary.unlink(missing_ok=True)
        raise BadInput(path, f"cannot be written ({error.strerror})") from None
