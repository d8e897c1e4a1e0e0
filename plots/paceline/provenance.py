# SPDX-License-Identifier: MIT
"""The origin of a run from its manifest: machine, versions, profile, notes, file."""

import json
import re
import subprocess

from paceline.html_text import definitions, escape
from paceline.data_uri import data_uri
from paceline.manifest import machine_title, text


MOST_WIDTH = 1800  # widest drawing (in points) with legible text when fitted to the page
_WIDTH = re.compile(r'<svg[^>]*\swidth="([\d.]+)')


def machine_svg(manifest):
    """The machine drawing of the manifest, or of its graph where the run drew no figures, or ""."""
    graph = text(manifest, "machine_dot")
    if text(manifest, "machine_svg") or not graph:
        return text(manifest, "machine_svg")
    try:
        done = subprocess.run(["dot", "-Tsvg"], input=graph, capture_output=True, timeout=60,
                              check=True, encoding="utf-8")
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    return done.stdout


def machine(manifest):
    """The machine drawing as an image that fits or scrolls, otherwise as text, otherwise ""."""
    name = machine_name(manifest)
    svg = machine_svg(manifest)
    uri = data_uri(svg)
    if uri:
        found = _WIDTH.search(svg)
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
    """The versions, the command and the computer of the run."""
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
    pieces.append(_profile(manifest))
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


def _profile(manifest):
    profile = manifest.get("profile")
    if not profile:
        return ""
    shown = json.dumps(profile, indent=2, ensure_ascii=False)
    return f"<details><summary>Measured profile</summary><pre>{escape(shown)}</pre></details>"


def notes(manifest):
    """The notes of the run as a list."""
    found = manifest.get("notes")
    items = "\n".join(f"<li>{escape(note)}</li>" for note in found) \
        if isinstance(found, list) else ""
    return f"<ul>\n{items}\n</ul>" if items else ""


def experiment_file(manifest):
    """The experiment file as written."""
    written = text(manifest, "yaml")
    return f"<pre>{escape(written)}</pre>" if written else ""
