# SPDX-License-Identifier: MIT
"""Checks a trace.json.gz by Perfetto's rules; prints a summary of its contents, or the first error.

Usage: check_trace.py FILE
"""

import gzip
import json
import sys
from collections import defaultdict


def main(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    processes, threads, tracks, arrows = {}, {}, defaultdict(list), defaultdict(dict)
    loads, versions = defaultdict(list), {}
    updates = defaultdict(set)
    for event in events:
        phase, process = event["ph"], event["pid"]
        if phase == "M" and event["name"] == "process_name":
            processes[process] = event["args"]["name"]
        elif phase == "M" and event["name"] == "thread_name":
            threads[process, event["tid"]] = event["args"]["name"]
        elif phase == "X":
            begin = round(event["ts"] * 1000)
            end = begin + round(event["dur"] * 1000)
            tracks[process, event["tid"]].append((begin, end))
            if event["name"] == "update":
                updates[process, event.get("args", {}).get("version")].add(end)
        elif phase in "sf":
            arrows[event["cat"], event["id"]][phase] = event["ts"]
        elif phase == "C":
            loads[process, event["name"]].append((event["ts"], event["args"]["GB/s"]))
        elif phase == "i":
            if event["name"].startswith("version"):
                versions[process, int(event["name"].split()[1])] = round(event["ts"] * 1000)
    for track, slices in tracks.items():
        assert track in threads and track[0] in processes, f"{track} has no name"
        open_ends = []
        for begin, end in slices:
            assert 0 <= begin <= end, "a slice ends before it begins"
            while open_ends and open_ends[-1] <= begin and end > open_ends[-1]:
                open_ends.pop()
            assert not open_ends or end <= open_ends[-1], f"slices of {threads[track]} overlap"
            open_ends.append(end)
    for ends in arrows.values():
        assert ends["s"] <= ends["f"], "an arrow goes back in time"
    for changes in loads.values():
        assert changes == sorted(changes, key=lambda change: change[0]), "loads are out of order"
        assert all(load >= 0 for _, load in changes), "a load is negative"
        assert changes[-1][1] == 0, "a load does not end"
    for (process, version), at in versions.items():
        made = updates.get((process, version), set())
        # the update of the first one is before the window
        assert at == 0 or at in made, f"version {version} is of {at} ns, its updates end at {made}"
    slices = sum(len(track) for track in tracks.values())
    print(f"processes {len(processes)}, slices {slices}, arrows {len(arrows)}, "
          f"links {len({name for _, name in loads})}, versions {len(versions)}")
    print("\n".join(processes.values()))


main(sys.argv[1])
