# SPDX-License-Identifier: MIT
"""The figure of a trace: what it shows, when there is one, and traces that cannot be read."""

import gzip
import json
import tempfile
import unittest
from pathlib import Path

from sample import MANIFEST, blank_row, write_csv  # sets sys.path

import streams
import style
from bad_input import BadInput
from results import ORDER
from study import Study, read_run
from spans import processes_of, read_processes

STEP_US = 1000.0


def process_events(number, source, scale):
    """Three steps of a worker that computes, pushes and waits; the server updates."""
    def event(**members):
        return {"pid": number, "cat": str(number), **members}

    yield event(ph="M", name="process_name", args={
        "name": f"s: {source}", "experiment": "s", "point": 0, "source": source,
        "policy": "sync", "workers": 1})
    for thread, name in ((1, "worker 0 compute"), (2, "worker 0 push"), (5, "worker 0 waits"),
                         (6, "server compute")):
        yield event(ph="M", tid=thread, name="thread_name", args={"name": name})
    for step in range(4):
        at = step * STEP_US * scale

        def span(thread, name, begin, end, **args):
            return event(ph="X", tid=thread, ts=at + begin * scale, dur=(end - begin) * scale,
                         name=name, args=args)
        yield event(ph="i", s="p", ts=at, name=f"version {step + 1}")
        yield span(1, "forward", 0, 300)
        yield span(1, "conv1", 0, 200, **{"pass": "forward"})
        yield span(1, "backward (cancelled)", 300, 600, cancelled=True)
        yield span(2, "push to server", 600, 800)
        yield span(6, "update", 800, 1000, version=step + 2)
        yield span(5, "sending", 600, 800)
        yield span(5, "waits for other workers", 800, 1000)


def write_trace(folder, sources):
    events = [json.dumps(event, separators=(",", ":")) for number, (source, scale)
              in enumerate(sources.items(), 1) for event in process_events(number, source, scale)]
    text = '{"traceEvents":[\n' + ",\n".join(events) + "\n]}\n"
    (folder / "trace.json.gz").write_bytes(gzip.compress(text.encode()))


def write_run(folder, policy="sync"):
    rows = [blank_row(experiment="s", source=source, model="m", machine="ideal", policy=policy,
                      k=1, aggregation="parameter-server", workers=1, batch=1, steps=3, updates=3,
                      item="image", step_s_mean=1e-3, iteration_s_mean=1e-3, throughput=1000)
            for source in ("predicted", "measured")]
    write_csv(folder / "results.csv", ORDER, rows)
    (folder / "manifest.json").write_text(json.dumps(MANIFEST))


class Streams(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        write_run(self.folder)
        style.apply_style()

    def study(self):
        return Study([read_run(self.folder)])

    def test_no_trace_no_figure(self):
        self.assertIsNone(streams.draw(self.study()))

    def test_both_sources_show_the_same_updates(self):
        write_trace(self.folder, {"predicted": 1.0, "measured": 1.5})
        figure = streams.draw(self.study())
        predicted, measured = figure.axes
        self.assertEqual([axes.get_title(loc="left") for axes in figure.axes],
                         ["predicted", "measured"])
        self.assertIn("version 3 (ms)", measured.get_xlabel())
        self.assertEqual([tick.get_text() for tick in predicted.get_yticklabels()],
                         ["worker 0", "push", "server"])
        self.assertEqual(predicted.get_xlim(), measured.get_xlim())
        self.assertAlmostEqual(measured.get_xlim()[1], 1.5 * 1.005)
        labels = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
        self.assertEqual(labels, ["forward", "backward", "push", "sum, update",
                                  "waiting for communication", "waiting for others", "cancelled"])
        ends = max(x for path in predicted.collections[0].get_paths()
                   for x, _ in path.vertices)
        self.assertAlmostEqual(ends, 0.3)  # forward, in ms

    def test_a_prediction_alone_is_drawn_too(self):
        write_trace(self.folder, {"predicted": 1.0})
        self.assertEqual(len(streams.draw(self.study()).axes), 1)

    def test_a_trace_of_another_run_is_not(self):
        write_trace(self.folder, {"predicted": 1.0})
        write_run(self.folder, policy="async")
        self.assertIsNone(streams.draw(self.study()))

    def test_only_what_is_asked_for_is_read(self):
        write_trace(self.folder, {"predicted": 1.0, "measured": 1.5})
        path = self.folder / "trace.json.gz"
        self.assertEqual([process.source for process in processes_of(path)],
                         ["predicted", "measured"])
        traces = read_processes(path, {2})
        self.assertEqual(list(traces), [2])
        self.assertEqual(len(traces[2].slices[1]), 12)
        self.assertEqual(traces[2].versions[1], (2, 1500.0))

    def test_what_cannot_be_read_is_said(self):
        path = self.folder / "trace.json.gz"
        for content in (b"no gzip", gzip.compress(b'{"pid":1,"name":"process_name",\n')):
            path.write_bytes(content)
            with self.assertRaises(BadInput) as raised:
                streams.draw(self.study())
            self.assertRegex(str(raised.exception), r"trace\.json\.gz: error: ")


if __name__ == "__main__":
    unittest.main()
