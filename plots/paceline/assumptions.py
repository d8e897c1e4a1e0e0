# SPDX-License-Identifier: MIT
"""What was assumed: the origin of each kind of number, every setting, and fitted constants."""

import re

from paceline.bad_input import Error
from paceline.flow import flow_map
from paceline.flow_text import flow_text
from paceline.html_text import escape, table
from paceline.manifest import text
from paceline.provenance import machine_name

MOST_VALUES = 12  # of a swept key
_BLOCK_KEY = re.compile(r"^([a-z_]+):", re.MULTILINE)
_SET_KEY = re.compile(r"--set[ =]'?([a-z_]+)[.=]")


def sources(run, mark=""):
    """A list of what was assumed and of its source, one entry per kind of number; `mark` ends the
    ids that it links to."""
    manifest = run.manifest
    entries = [("times of layers", [_without_heading(each) for each in
                                    _texts(manifest.get("layer_times"))]),
               ("machine", _machine(manifest, mark)),
               ("software stack", _software(manifest, mark)),
               ("delays of stragglers", _stragglers(manifest)),
               ("random draws", _draws(manifest)),
               ("measurements", _measurements(run)),
               ("published figures", _published(run))]
    rows = "\n".join(f"<dt>{name}</dt><dd>{' '.join(said)}</dd>" for name, said in entries if said)
    return f'<dl class="sources">\n{rows}\n</dl>' if rows else ""


def _texts(value):
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _without_heading(sentence):
    return escape(sentence.removeprefix("Layer times: "))


def _setting(manifest, key):
    resolved = manifest.get("resolved")
    return resolved.get(key) if isinstance(resolved, dict) else None


def _machine(manifest, mark):
    name = machine_name(manifest)
    if not name:
        return []
    drawn = text(manifest, "machine_svg") or text(manifest, "machine_text")
    where = f' (<a href="#machine{mark}">drawn below</a>).' if drawn else "."
    if name == "this":
        profile = manifest.get("profile")
        date = text(profile, "measured") if isinstance(profile, dict) else ""
        date = f" on {escape(date)}" if date else ""
        return [f"this computer: bandwidths, latencies and costs of threads were measured{date}"
                + where]
    return [f"{escape(name)}: bandwidths and latencies of its links from its description" + where]


def _software(manifest, mark):
    found = manifest.get("fitted_constants")
    count = sum(isinstance(each, dict) for each in found) if isinstance(found, list) else 0
    name = text({"software": _setting(manifest, "software")}, "software")
    fitted = (f'<a href="#constants{mark}">{count} fitted constant{"s" if count > 1 else ""}</a>.'
              if count else "no constant was fitted.")
    return [f"{escape(name)}: {fitted}" if name else fitted[:1].upper() + fitted[1:]]


def _stragglers(manifest):
    delays = _setting(manifest, "stragglers")
    if not delays:
        return []
    return [f"{escape(_shown(delays))}: given by the experiment, drawn alike on every clock."]


def _draws(manifest):
    seed = text(manifest, "seed")
    return [f"seed {escape(seed)}; each draw depends on the seed, the worker and the step alone."] \
        if seed else []


def _measurements(run):
    if not any(row["source"] == "measured" for row in run.rows):
        return []
    host = run.manifest.get("host")
    host = host if isinstance(host, dict) else {}
    on = ", ".join(filter(None, (text(host, "cpu"),
                                 text(host, "cores") and f"{text(host, 'cores')} cores",
                                 text(host, "os"))))
    counts = ", ".join(f"{key} {text({key: found}, key)}" for key in ("steps", "warmup", "repeats")
                       if (found := _setting(run.manifest, key)) is not None)
    return [f"{escape(on or 'this computer')}" + (f"; {escape(counts)}." if counts else ".")]


def _published(run):
    if not any(row["source"] == "published" for row in run.rows):
        return []
    published = _setting(run.manifest, "published")
    name = text(published, "table") if isinstance(published, dict) else ""
    return [f"{escape(name)}, with the address of each row." if name else
            "as cited in the experiment."]


def settings(run):
    """The table of all settings: those of the experiment, then the defaults."""
    resolved = run.manifest.get("resolved")
    if not isinstance(resolved, dict) or not resolved:
        return ""
    given = _given(text(run.manifest, "yaml"))
    by_hand = set(_SET_KEY.findall(text(run.manifest, "command")))
    rows = {origin: [] for origin in ("swept", "command line", "experiment", "default")}
    for key, value in resolved.items():
        values = _values(run.manifest, key)
        # a kind that is given has other keys of its own, most of them by default
        partly = " and defaults" if isinstance(value, dict) and len(values) < 2 else ""
        origin = ("swept" if len(values) > 1 else "command line" if key in by_hand else
                  "experiment" if key in given else "default")
        shown = values if len(values) > 1 else [_shown(value)]
        more = f", ... ({len(shown)} values)" if len(shown) > MOST_VALUES else ""
        source = origin if origin == "default" else f"{origin}{partly}"
        rows[origin].append((key, (", ".join(shown[:MOST_VALUES]) + more, "long"), source))
    return table([("setting", True), ("value", True), ("from", True)],
                 [row for found in rows.values() for row in found])


def _shown(value):
    try:
        return flow_text(value)
    except Error:  # a manifest that was changed by hand
        return str(value)


def _given(written):
    """The keys at the top of the experiment's file."""
    keys = set(_BLOCK_KEY.findall(written))
    return keys or {path.split(".")[0] for path in flow_map(written.strip())}


def _values(manifest, key):
    """The distinct values of a key over all points, in order."""
    points = manifest.get("points")
    found = (each for point in points if isinstance(point, dict) for each in point.items()) \
        if isinstance(points, list) else ()
    return list(dict.fromkeys(
        f"{path.partition('.')[2]} {text({'': value}, '')}".strip() for path, value in found
        if path.split(".")[0] == key))


def constants(run):
    """The table of fitted constants with their sources."""
    found = run.manifest.get("fitted_constants")
    rows = [(text(each, "name"), text(each, "value"), text(each, "unit"),
             (text(each, "source"), "long"))
            for each in found if isinstance(each, dict)] if isinstance(found, list) else []
    blank = [at for at in (1, 2) if not any(row[at] for row in rows)]
    columns = [("name", True), ("value", False), ("unit", True), ("source", True)]
    return table([each for at, each in enumerate(columns) if at not in blank],
                 [[each for at, each in enumerate(row) if at not in blank] for row in rows]) \
        if rows else ""
