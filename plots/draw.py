#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the figures and the HTML report of one or several runs; `paceline plot` starts it.

    python3 plots/draw.py DIR [DIR...] [-o OUTDIR] [--plot svg,pdf,png]

The package `paceline` beside this file does the work; this file makes it importable.
"""

import gc
import sys

from paceline.draw import main

if __name__ == "__main__":
    gc.disable()  # a short process with millions of small objects and hardly any cycles
    sys.exit(main(sys.argv[1:]))
