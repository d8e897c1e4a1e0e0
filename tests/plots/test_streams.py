# SPDX-License-Identifier: MIT
"""The figure of a trace: its contents, the condition for drawing it, and unreadable traces."""

import gzip
import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from sample import MANIFEST, blank_row, write_csv  # sets sys.path

from paceline import spans
from paceline import streams
from paceline.bad_input import BadInput
from paceline.palette import DARK, LIGHT
from paceline.results import COLUMNS
from paceline.study import Study, read_run
from paceline.spans import processes_of, read_processes

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
    write_csv(folder / "results.csv", COLUMNS, rows)
    (folder / "manifest.json").write_text(json.dumps(MANIFEST))


def luminance(colour):
    shares = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4
                        for each in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


class Looks(unittest.TestCase):
    def test_names_on_bars_are_legible_in_light_and_dark(self):
        for colours in (LIGHT, DARK):
            for label, colour, ink in streams.LOOKS.values():
                low, high = sorted((luminance(colours[colour]), luminance(colours[ink])))
                self.assertGreater((high + 0.05) / (low + 0.05), 4.5, (label, colour, ink))


class Streams(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        write_run(self.folder)

    def study(self):
        return Study([read_run(self.folder)])

    def test_no_trace_no_figure(self):
        self.assertIsNone(streams.draw(self.study()))

    def test_both_sources_show_the_same_updates(self):
        write_trace(self.folder, {"predicted": 1.0, "measured": 1.5})
        figure = streams.draw(self.study())
        predicted, measured = figure.panels
        self.assertEqual([panel.title for panel in figure.panels],
                         ["predicted: sync, 1 worker", "measured: sync, 1 worker"])
        self.assertIn("version 3 of the model (ms)", measured.x_label)
        self.assertEqual([text for _, text in predicted.y.ticks], ["worker 0", "push", "server"])
        self.assertEqual((predicted.x.low, predicted.x.high), (measured.x.low, measured.x.high))
        self.assertAlmostEqual(measured.x.high, 1.5 * 1.005)
        named = {shape[0].text for shape in predicted.marks}
        self.assertEqual(named, {"forward", "push", "sum, update", "waiting for others",
                                 "waiting for communication"} & named)
        self.assertIn("forward", named)
        # a kind named on its span needs no key
        self.assertEqual({"backward", "cancelled"} - {key.label for key in figure.keys}, set())
        self.assertEqual(named & {key.label for key in figure.keys}, set())
        forward = next(area for area in predicted.lines if getattr(area, "tip", "").startswith("forward"))
        self.assertAlmostEqual(max(x for x, _ in forward.points), 0.3)  # ms
        self.assertEqual(forward.tip, "forward, 300 \N{MICRO SIGN}s")
        self.assertRegex(figure.finding, r"^Of 1\.50 ms \(predicted 1\.00 ms\) worker 0 spends: "
                                         r"[a-z ]+ \d+ %, .* \d+ %\.$")

    def test_a_prediction_alone_is_drawn_too(self):
        write_trace(self.folder, {"predicted": 1.0})
        self.assertEqual(len(streams.draw(self.study()).panels), 1)

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

    def refused(self, content):
        """The error for a trace with this content."""
        path = self.folder / "trace.json.gz"
        path.write_bytes(content)
        with self.assertRaises(BadInput) as raised:
            streams.draw(self.study())
        text = str(raised.exception)
        self.assertNotIn("\n", text)
        self.assertTrue(text.startswith(f"{path}: error: "), text)
        return text.removeprefix(f"{path}: error: ")

    def test_what_cannot_be_read_is_said(self):
        self.assertEqual(self.refused(b"no gzip"),
                         "cannot be read: Not a gzipped file (b'no')")
        self.assertIn("no event", self.refused(
            gzip.compress(b'{"pid":1,"name":"process_name",\n')))
        whole = gzip.compress(b'{"pid":1,"name":"version"}\n' * 9000)
        self.assertIn("cannot be read", self.refused(whole[:len(whole) // 2]))
        damaged = whole[:40] + bytes([whole[40] ^ 255]) + whole[41:]
        self.assertIn("cannot be read", self.refused(damaged))

    def test_a_line_or_a_file_without_end_is_no_trace(self):
        self.assertEqual(self.refused(gzip.compress(b" " * (1 << 22))),
                         "a line of 64 KiB or more is no event")
        with mock.patch.object(spans, "MOST_UNPACKED", 1 << 20):
            self.assertEqual(self.refused(gzip.compress(b"\n".join([b" " * 1000] * 2000))),
                             "unpacks to more than 1 MiB")
        write_trace(self.folder, {"predicted": 1.0})
        with mock.patch.object(spans, "MOST_HELD", 5):
            self.assertEqual(self.refused((self.folder / "trace.json.gz").read_bytes()),
                             "a point has more than 5 events")

    def test_events_of_other_kinds(self):
        write_trace(self.folder, {"predicted": 1.0})
        lines = gzip.decompress((self.folder / "trace.json.gz").read_bytes()).decode()
        for event in ('"ph":"X"', '"ph":"X","tid":[],"name":"a","ts":1,"dur":1',
                      '"ph":"X","tid":1,"name":"a","ts":1e999,"dur":1',
                      '"ph":"X","tid":1,"name":"a","ts":1,"dur":1,"args":[1]',
                      '"ph":"i","name":"version ","ts":1', '"ph":"i","name":{},"ts":1',
                      '"ph":"M","name":"thread_name","tid":1,"args":3'):
            text = lines.replace("\n]}", ',\n{"pid":1,' + event + "}\n]}")
            self.assertIn("an event is not as expected",
                          self.refused(gzip.compress(text.encode())), event)
        process = '{"pid":1,"name":"process_name","args":{"experiment":"s","point":[],"source":1}}'
        (self.folder / "trace.json.gz").write_bytes(gzip.compress(process.encode()))
        self.assertIsNone(streams.draw(self.study()))


if __name__ == "__main__":
    unittest.main()
