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
         "shade0": "#2d1160", "shade1": "#4a2a9a", "shade2": "#2b5fc4", "shade3": "#0f84a8",
         "shade4": "#0f8f74", "shade5": "#4f8f1f", "shade6": "#8f8300", "shade7": "#c46a00",
         "shade8": "#c23a1e"}
DARK = {"ink": "#e3e6ea", "muted": "#9aa4af", "grid": "#33383f", "paper": "#15181c",
        "blue": "#5db4f0", "vermilion": "#ff8d52", "green": "#45cfa3", "purple": "#e79cc8",
        "ochre": "#e8b84a", "sky": "#8fd0f5", "grey": "#c0c4c8", "wait": "#5c646d",
        "comm": "#b07a00", "near": "#3a4048", "far": "#262a30", "pale": "#a5dbf9",
        "dark": "#15181c",
        "shade0": "#b9a3ff", "shade1": "#9fb0ff", "shade2": "#6fb4ff", "shade3": "#4fcbe6",
        "shade4": "#4fdcae", "shade5": "#8fdc5f", "shade6": "#d3d24a", "shade7": "#ffb45a",
        "shade8": "#ff8f78"}

# Text in these colours, darkened to a contrast of at least 4.5 with white.
LIGHT_TEXT = {"sky": "#267cad", "shade3": "#0e7fa2", "shade4": "#0d866c", "shade5": "#48831c",
              "shade6": "#827700", "shade7": "#b16000"}

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
