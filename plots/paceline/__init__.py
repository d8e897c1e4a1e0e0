# SPDX-License-Identifier: MIT
"""Results of Paceline as tables and figures, and experiments started from Python.

    results = paceline.load("results/quickstart")
    results.table            # one line per point and source, as a pandas table
    results.figures["throughput"]
    paceline.run("experiments/quickstart.yaml", workers=[1, 2, 4])

Tables need pandas, PNG and PDF need Matplotlib; `plots/draw.py` needs neither.
"""
