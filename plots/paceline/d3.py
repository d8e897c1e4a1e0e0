# SPDX-License-Identifier: MIT
"""The modules of D3 that the scripts of the report use, from the system's packages."""

import re
from pathlib import Path

FOLDER = Path("/usr/share/nodejs")  # of Debian's and Ubuntu's packages
# Each after those that it needs.
MODULES = ("array", "dispatch", "selection", "timer", "color", "interpolate", "ease", "drag",
           "transition", "zoom", "quadtree")
VERSION = {"selection": "1", "zoom": "1"}  # later ones pass events differently
LICENCE = Path(__file__).with_name("d3_licence.txt")


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
    """The text of all modules with their licence."""
    licence = "/*\n" + LICENCE.read_text(encoding="utf-8") + "*/\n"
    return licence + "\n".join(_read(module).replace("</script", r"<\/script")
                               for module in MODULES)


def _path(module):
    return FOLDER / f"d3-{module}" / "dist" / f"d3-{module}.min.js"


def _read(module):
    try:
        return _path(module).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""
