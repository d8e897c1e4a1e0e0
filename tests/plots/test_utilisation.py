# SPDX-License-Identifier: MIT
"""The figure of what is used over time: its panels, and their values."""

import gzip
import json
import tempfile
import unittest
from pathlib import Path

from test_streams import write_run  # sets sys.path

from paceline import spans
from paceline import utilisation
from paceline.study import Study, read_run


def events(number, source, workers=2):
    """Five updates, 1 ms apart. Every worker goes forward for half of each; a link is loaded for a
    quarter, another one less; memory grows and shrinks."""
    def event(**members):
        return {"pid": number, "cat": str(number), **members}

    yield event(ph="M", name="process_name", args={
        "name": f"s: {source}", "experiment": "s", "point": 0, "source": source,
        "policy": "sync", "workers": 1})
    for worker in range(workers):
        yield event(ph="M", tid=worker, name="thread_name",
                    args={"name": f"worker {worker} compute"})
    for step in range(6):
        at = 1000.0 * step
        yield event(ph="i", s="p", ts=at, name=f"version {step + 1}")
        for worker in range(workers):
            # the second worker is a quarter later
            yield event(ph="X", tid=worker, ts=at + 250 * worker, dur=500, name="forward", args={})
            yield event(ph="X", tid=worker, ts=at + 250 * worker, dur=500, name="conv1",
                        args={"pass": "forward"})
        for name, begin, end, load in (("a->b", 0, 250, 8), ("c->d", 0, 100, 9)):
            yield event(ph="C", ts=at + begin, name=name, args={"GB/s": load})
            yield event(ph="C", ts=at + end, name=name, args={"GB/s": 0})
        yield event(ph="C", ts=at + 100, name=utilisation.MEMORY, args={"GB": 3})
        yield event(ph="C", ts=at + 600, name=utilisation.MEMORY, args={"GB": 2})


class Utilisation(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        write_run(self.folder)

    def write(self, lines):
        text = '{"traceEvents":[\n' + ",\n".join(json.dumps(line, separators=(",", ":"))
                                                 for line in lines) + "\n]}\n"
        (self.folder / "trace.json.gz").write_bytes(gzip.compress(text.encode()))

    def draw(self):
        return utilisation.draw(Study([read_run(self.folder)]))

    def window(self):
        """Of one update: version 3 to 4."""
        trace = spans.read_processes(self.folder / "trace.json.gz", {1})[1]
        return utilisation._Window(trace, (3, 4))

    def test_there_is_none_without_a_trace(self):
        self.assertIsNone(self.draw())

    def test_each_quantity_has_a_panel_and_each_source_a_line(self):
        self.write([*events(1, "predicted"), *events(2, "measured")])
        figure = self.draw()
        self.assertEqual([panel.y_label for panel in figure.panels],
                         ["workers that compute (%)", "a->b (GB/s)", "memory of worker 0 (GB)"])
        self.assertEqual([len(panel.lines) for panel in figure.panels], [2, 2, 2])
        self.assertEqual([key.label for key in figure.keys], ["predicted", "measured"])
        self.assertEqual([panel.x_label != "" for panel in figure.panels], [False, False, True])

    def test_the_finding_states_the_means(self):
        self.write(events(1, "predicted"))
        self.assertEqual(self.draw().finding, "Workers compute 50 % of the time; a->b carries 2 GB/s "
                         "on average, at most 8 GB/s; worker 0 holds at most 3 GB (predicted).")

    def test_a_trace_without_counters_has_the_workers_only(self):
        self.write([event for event in events(1, "predicted") if event["ph"] != "C"])
        self.assertEqual(len(self.draw().panels), 1)

    def test_workers_count_where_they_compute(self):
        self.write(events(1, "predicted"))
        line = self.window().computing()
        shares = [value for _, value in line[:-1]]
        quarter = utilisation.BINS // 4
        for first, share in ((0, 50), (1, 100), (2, 50), (3, 0)):
            for value in shares[first * quarter:(first + 1) * quarter]:
                self.assertAlmostEqual(value, share, places=6)
        self.assertEqual(line[-1], (1e-3, None))

    def test_a_links_load_is_the_mean_of_a_bin(self):
        self.write(events(1, "predicted"))
        values = [value for _, value in self.window().mean("c->d")[:-1]]
        self.assertAlmostEqual(sum(values) / len(values), 0.9)
        self.assertAlmostEqual(values[0], 9)
        self.assertAlmostEqual(values[-1], 0)

    def test_memory_holds_its_value_until_the_next(self):
        self.write(events(1, "predicted"))
        line = self.window().counter(utilisation.MEMORY)
        self.assertEqual([value for _, value in line], [2, 3, 2, None])
        self.assertEqual([round(at * 1e6) for at, _ in line], [0, 100, 600, 1000])

    def test_a_counter_without_a_number_is_an_error(self):
        lines = list(events(1, "predicted"))
        lines[-1]["args"] = {"GB": "much"}
        self.write(lines)
        with self.assertRaisesRegex(Exception, "an event is not as expected"):
            self.draw()


if __name__ == "__main__":
    unittest.main()
