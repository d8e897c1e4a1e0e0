# SPDX-License-Identifier: MIT
"""The modules of D3 that the scripts of the report use, from the system's packages."""

import re
from pathlib import Path

FOLDER = Path("/usr/share/nodejs")  # of Debian's and Ubuntu's packages
# Each after those that it needs.
MODULES = ("array", "dispatch", "selection", "timer", "color", "interpolate", "ease", "drag",
           "transition", "zoom", "quadtree")
VERSION = {"selection": "1", "zoom": "1"}  # later ones pass events differently
LICENCES = Path("/usr/share/doc")  # of the packages


def missing():
    """One line that names the packages that the scripts lack; "" if all are installed."""
    found = {module: _read(module) for module in MODULES}
    packages = [f"node-d3-{module}" for module in MODULES if not found[module]]
    if packages:
        return (f"D3 is not installed (apt-get install {' '.join(packages)}); the report was "
                "written without hover, filters and zoom")
    for module, version in VERSION.items():
        if not re.search(rf"\bv{version}\.", found[module][:200]):
            return (f"{_path(module)}: not version {version} of d3-{module}; the report was "
                    "written without hover, filters and zoom")
    return ""


def modules():
    """The text of all modules, each below its licence."""
    return "\n".join(_licence(module) + _read(module).replace("</script", r"<\/script")
                     for module in MODULES)


def _licence(module):
    text = _text(LICENCES / f"node-d3-{module}" / "copyright")
    return "/*\n" + text.replace("*/", "* /").replace("</script", "") + "\n*/\n" if text else ""


def _path(module):
    return FOLDER / f"d3-{module}" / "dist" / f"d3-{module}.min.js"


def _read(module):
    return _text(_path(module))


def _text(path):
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""
