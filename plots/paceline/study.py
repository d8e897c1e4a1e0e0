# SPDX-License-Identifier: MIT
"""The data of all figures: the runs, and the axis, series and pairs that follow from them."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from paceline.axis import choose_axis
from paceline.bad_input import BadInput
from paceline.comparison import pair_up
from paceline.distributions import read_staleness, read_step_times
from paceline.evaluations import read_evaluations
from paceline.flow import spread_maps
from paceline.manifest import labels, machine_title, read_manifest, sentences
from paceline.results import read_results
from paceline.series import group
from paceline.spans import TRACE, processes_of
from paceline.steps import read_steps
from paceline.traced_point import choose


@dataclass
class Run:
    """One results folder."""
    directory: Path
    rows: list
    steps: list
    manifest: dict

    @cached_property
    def processes(self):
        """The processes of the run's trace, [] without one."""
        return processes_of(self.directory / TRACE)


class Study:
    """One run, or several runs drawn into the same figures."""

    def __init__(self, runs):
        self.runs = runs
        _name_points(runs)
        _give_every_row_every_key(runs)
        _name_where_they_collide(runs)
        rows = [row for run in runs for row in run.rows]
        self.rows = [row for row in rows if row.usable]
        self.skipped = [row for row in rows if not row.usable]
        self.axis = choose_axis(self.rows)
        self.series = group(self.rows, self.axis)
        self.pairs = pair_up(self.series, self.axis)

    @property
    def item(self):
        """The unit of throughput: `images`, or `items` if runs differ or do not give it."""
        items = {row["item"] for row in self.rows if row["item"]}
        return _plural(items.pop()) if len(items) == 1 else "items"


    @cached_property
    def has_one_place(self):
        """True if all points have the same position on the axis."""
        return len({x for one in self.series for rows in one.by_source.values()
                    for x, _ in rows}) == 1

    @cached_property
    def traced(self):
        """The traced point to draw, as `traced_point.choose` gives it."""
        return choose(self.runs)

    @property
    def subject(self):
        """What the rows are of: `training`, or `collectives` alone."""
        alone = any(row["busbw"] is not None for row in self.rows)
        return "collectives" if alone else "training"

    def source_name(self, source):
        """A source in words: nccl-tests' log, with which collectives are compared, may be anyone's.
        """
        return "nccl-tests" if source == "published" and self.subject == "collectives" else source

    def sentences(self, key):
        """The sentences under a key of the manifests; with several runs, prefixed by the run's
        name."""
        if len(self.runs) == 1:
            return list(dict.fromkeys(sentences(self.runs[0].manifest, key)))
        return [f"{run.directory.resolve().name}: {each}" for run in self.runs
                for each in dict.fromkeys(sentences(run.manifest, key))]


def _name_points(runs):
    for place, run in enumerate(runs):
        for row in run.rows:
            row.point = f"{place + 1}-{row.number}" if len(runs) > 1 else str(row.number)


def _plural(item):
    return item if item.endswith("s") else item + "s"


def read_run(directory):
    """Reads a results folder; BadInput if that fails."""
    directory = Path(directory)
    if not directory.is_dir():
        raise BadInput(directory, "no such folder")
    rows = read_results(directory / "results.csv")
    for name, read, attribute in (("curves.csv", read_evaluations, "evaluations"),
                                  ("staleness.csv", read_staleness, "staleness"),
                                  ("step_times.csv", read_step_times, "step_times")):
        _join(rows, directory / name, read, attribute)
    manifest = read_manifest(directory / "manifest.json")
    spread_maps(rows, labels(manifest))
    _name_inline_machine(rows, machine_title(manifest))
    return Run(directory, rows, read_steps(directory / "steps.csv"), manifest)


def _name_inline_machine(rows, title):
    """Replaces the name `machine`, which machines without a file have, by the machine's title."""
    if title:
        for row in rows:
            if row["machine"] == "machine":
                row.cells["machine"] = title


def _join(rows, path, read, attribute):
    """Adds to each row the records of its point and source in the file at `path`."""
    at = {(row.number, row["source"]): row for row in rows}
    for (point, source), held in read(path).items():
        if (point, source) not in at:
            raise BadInput(path, f"results.csv has no point {point}, {source}")
        setattr(at[point, source], attribute, held)


def _give_every_row_every_key(runs):
    """Adds blank cells for the swept keys of other runs."""
    keys = list(dict.fromkeys(key for run in runs for row in run.rows[:1] for key in row.swept))
    for run in runs:
        for row in run.rows:
            row.swept = {key: row.swept.get(key, "") for key in keys}


def _name_where_they_collide(runs):
    """Adds the run's name to every row if two runs have the same point from the same source."""
    owner = {}
    for place, run in enumerate(runs):
        for row in run.rows:
            point = (row["source"], row["experiment"], row["model"], row["machine"], row["policy"],
                     row["k"], row["aggregation"], row["workers"], row["batch"],
                     tuple(row.swept.items()), tuple(row.labels.items()))
            if owner.setdefault(point, place) != place:
                names = [each.directory.resolve().name for each in runs]
                if len(set(names)) < len(names):
                    names = [str(each.directory) for each in runs]
                for each, name in zip(runs, names):
                    for each_row in each.rows:
                        each_row.run = name
                return
