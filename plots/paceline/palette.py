# SPDX-License-Identifier: MIT
"""The named colours of all figures, for light and dark backgrounds.

Shapes refer to colours by name; a style sheet defines them, so that one SVG serves both
backgrounds.
"""

# Okabe and Ito's palette for all kinds of colour vision, without its yellow, and darkened so that
# text in these colours is legible.
SERIES = ("blue", "vermilion", "green", "purple", "ochre", "sky", "grey")
SHADES = tuple(f"shade{place}" for place in range(9))  # ordered colours, for numbers

LIGHT = {"ink": "#2b2f33", "muted": "#626a73", "grid": "#e4e6e9", "paper": "#ffffff",
         "blue": "#0072b2", "vermilion": "#c75100", "green": "#00805e", "purple": "#a8528a",
         "ochre": "#9c6c00", "sky": "#2b8cc4", "grey": "#4d4d4d", "wait": "#aab0b6",
         "comm": "#e69f00", "near": "#dadde1", "far": "#eff1f3", "pale": "#8cc4e8",
         "dark": "#1f2328",
         "shade0": "#440154", "shade1": "#472d7b", "shade2": "#3b528b", "shade3": "#2c728e",
         "shade4": "#21918c", "shade5": "#1f9d70", "shade6": "#43a047", "shade7": "#7c9a15",
         "shade8": "#a58a00"}
DARK = {"ink": "#e3e6ea", "muted": "#9aa4af", "grid": "#33383f", "paper": "#15181c",
        "blue": "#5db4f0", "vermilion": "#ff8d52", "green": "#45cfa3", "purple": "#e79cc8",
        "ochre": "#e8b84a", "sky": "#8fd0f5", "grey": "#c0c4c8", "wait": "#5c646d",
        "comm": "#b07a00", "near": "#3a4048", "far": "#262a30", "pale": "#a5dbf9",
        "dark": "#15181c",
        "shade0": "#c9a2f2", "shade1": "#aba3f5", "shade2": "#8ab0ff", "shade3": "#66c2ea",
        "shade4": "#4fd1c5", "shade5": "#5fdb9c", "shade6": "#93e070", "shade7": "#c6df4f",
        "shade8": "#f0dc5a"}

# Text in these colours, darkened to a contrast of at least 4.5 with white.
LIGHT_TEXT = {"sky": "#267cad", "shade4": "#1e837f", "shade5": "#1a855f", "shade6": "#38853b",
              "shade7": "#667f11", "shade8": "#8b7400"}

FONT = '"Helvetica Neue", Arial, "Liberation Sans", "DejaVu Sans", sans-serif'


def shades(count):
    """The names of `count` ordered colours."""
    last = len(SHADES) - 1
    return [SHADES[round(place * last / max(count - 1, 1))] for place in range(count)]


def style_sheet():
    """The rules of all names: `.f-NAME` fills with a colour, `.s-NAME` strokes with it."""
    return (f".figure text{{font-family:{FONT};stroke:none}}\n"
            f"{_rules(LIGHT)}\n{_rules_of_text(LIGHT_TEXT)}\n"
            f"@media (prefers-color-scheme:dark){{\n{_rules(DARK)}\n"
            f"{_rules_of_text({name: DARK[name] for name in LIGHT_TEXT})}\n}}\n")


def _rules_of_text(colours):
    return "".join(f"text.f-{name}{{fill:{colour}}}" for name, colour in colours.items())


def _rules(colours):
    return "\n".join(f".f-{name}{{fill:{colour}}}.s-{name}{{stroke:{colour}}}"
                     for name, colour in colours.items())
