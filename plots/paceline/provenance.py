# SPDX-License-Identifier: MIT
"""The origin of a run from its manifest: machine, versions, profile, fitted constants, file."""

import json
import re

from paceline.html_text import definitions, escape, table
from paceline.data_uri import data_uri
from paceline.manifest import machine_title, text


MOST_WIDTH = 1800  # widest drawing (in points) with legible text when fitted to the page
_WIDTH = re.compile(r'<svg[^>]*\swidth="([\d.]+)')


def machine(manifest):
    """The machine drawing as an image that fits or scrolls, otherwise as text, otherwise ""."""
    name = machine_name(manifest)
    uri = data_uri(text(manifest, "machine_svg"))
    if uri:
        found = _WIDTH.search(text(manifest, "machine_svg"))
        zoomed = " checked=\"\"" if found and float(found[1]) > MOST_WIDTH else ""
        return (f'<label><input type="checkbox" class="zoom"{zoomed}/> full size, to scroll in'
                "</label>\n"
                f'<div class="machine" tabindex="0"><img src="{uri}" '
                f'alt="{escape("machine " + name)}"/></div>')
    drawing = text(manifest, "machine_text").strip("\n")
    return f"<pre>{escape(drawing)}</pre>" if drawing.strip() else ""


def machine_name(manifest):
    """The machine's name; its title if the experiment describes it in place."""
    name = text(manifest, "machine")
    return machine_title(manifest) or name if name in ("", "machine") else name


def provenance(manifest):
    """All data for repeating the run."""
    host = manifest.get("host")
    host = host if isinstance(host, dict) else {"host": text(manifest, "host")}
    pieces = [definitions([
        ("version", text(manifest, "version")), ("git", text(manifest, "git")),
        ("compiler", text(manifest, "compiler")), ("command", text(manifest, "command")),
        ("seed", text(manifest, "seed")), ("started", text(manifest, "started")),
        ("machine", machine_name(manifest)),
        *((key if key == "host" else f"host {key}", text(host, key)) for key in host),
        *_cuda(manifest),
        ("profile", text(manifest, "profile_hash"))])]
    pieces += [_constants(manifest), _profile(manifest), _notes(manifest)]
    return "\n".join(filter(None, pieces))


def _cuda(manifest):
    """The GPUs that measured, with their drivers and libraries."""
    cuda = manifest.get("cuda")
    if not isinstance(cuda, dict):
        return []
    gpus = cuda.get("gpus")
    gpus = [text(gpu, "name") for gpu in gpus if isinstance(gpu, dict)] \
        if isinstance(gpus, list) else []
    counts = [f"{gpus.count(name)} x {name}" for name in dict.fromkeys(gpus)]
    versions = [(f"CUDA {key}", text(cuda, key)) for key in ("driver", "runtime")]
    return [("GPUs", ", ".join(counts)), *versions,
            ("cuDNN", text(cuda, "cudnn")), ("NCCL", text(cuda, "nccl"))]


def _constants(manifest):
    constants = manifest.get("fitted_constants")
    if not isinstance(constants, list):
        return ""
    rows = [(text(each, "name"), text(each, "value"), text(each, "unit"),
             (text(each, "source"), "long"))
            for each in constants if isinstance(each, dict)]
    if not rows:
        return "<p>Fitted constants: none.</p>"
    return (f"<h3>Fitted constants ({len(rows)})</h3>\n"
            + table([("name", True), ("value", False), ("unit", True), ("source", True)], rows))


def _profile(manifest):
    profile = manifest.get("profile")
    if not profile:
        return ""
    shown = json.dumps(profile, indent=2, ensure_ascii=False)
    return f"<details><summary>Measured profile</summary><pre>{escape(shown)}</pre></details>"


def _notes(manifest):
    notes = manifest.get("notes")
    if not isinstance(notes, list) or not notes:
        return ""
    items = "\n".join(f"<li>{escape(note)}</li>" for note in notes)
    return f"<h3>Notes</h3>\n<ul>\n{items}\n</ul>"


def experiment_file(manifest):
    """The experiment file as written, and with all defaults resolved."""
    written = text(manifest, "yaml")
    pieces = [f"<pre>{escape(written)}</pre>"] if written else []
    if manifest.get("resolved"):
        shown = json.dumps(manifest["resolved"], indent=2, ensure_ascii=False)
        pieces.append("<details><summary>The experiment with every default</summary>"
                      f"<pre>{escape(shown)}</pre></details>")
    return "\n".join(pieces)
