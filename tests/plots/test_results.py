# SPDX-License-Identifier: MIT
"""Reading results: values are read exactly, and each kind of broken file has its own error."""

import json
import tempfile
import unittest
from pathlib import Path

from sample import blank_row, quickstart_rows, write_csv, write_quickstart  # sets sys.path

from paceline.bad_input import BadInput
from paceline.manifest import read_manifest
from paceline.results import COLUMNS, NEWEST, read_results
from paceline.steps import read_steps
from paceline.study import read_run


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.csv = self.folder / "results.csv"

    def write(self, *rows, columns=COLUMNS):
        write_csv(self.csv, columns, rows)

    def assert_bad(self, line, read, path):
        with self.assertRaises(BadInput) as caught:
            read(path)
        self.assertEqual(str(caught.exception), f"{path}{line}")


class Results(Folder):
    def test_values(self):
        self.write(blank_row(source="measured", model="m, n", workers=8, k="4", throughput="1.5e3",
                             loss_final="nan", status="ok", **{"swept.stragglers.mean": "10 ms"}),
                   columns=[*COLUMNS, "swept.stragglers.mean", "new"])
        row, = read_results(self.csv)
        self.assertEqual((row["model"], row["workers"], row["k"]), ("m, n", 8, 4))
        self.assertEqual(row["throughput"], 1500.0)
        self.assertIsNone(row["loss_final"])  # not finite: unknown
        self.assertIsNone(row["iteration_s_mean"])
        self.assertEqual(row.swept, {"stragglers.mean": "10 ms"})
        self.assertTrue(row.usable)

    def test_status_says_whether_a_row_is_drawn(self):
        for status, usable in (("ok", True), ("bound", True), ("", True), ("failed: x", False),
                               ("skipped (not this machine)", False)):
            self.write(blank_row(source="measured", workers=1, status=status))
            self.assertEqual(read_results(self.csv)[0].usable, usable, status)

    def test_no_rows_is_no_error(self):
        self.write()
        self.assertEqual(read_results(self.csv), [])

    def test_a_swept_key_of_the_name_of_a_column_keeps_its_own_text(self):
        self.write(blank_row(source="theory", workers=2, aggregation="allreduce",
                             **{"swept.aggregation": "{kind: allreduce, algorithm: ring}"}),
                   columns=[*COLUMNS, "swept.aggregation"])
        row, = read_results(self.csv)
        self.assertEqual((row["aggregation"], row.swept),
                         ("allreduce", {"aggregation": "{kind: allreduce, algorithm: ring}"}))

    def test_two_columns_of_one_name(self):
        self.csv.write_text(",".join([*COLUMNS, "workers"]) + "\n")
        self.assert_bad(":1: error: two columns are named 'workers'", read_results, self.csv)

    def test_results_of_an_older_version_say_to_run_again(self):
        self.write(columns=[column for column in COLUMNS if column not in NEWEST])
        self.assert_bad(":1: error: column 'layer_times' is missing: an older paceline wrote this "
                        "file, run the experiment again", read_results, self.csv)

    def test_missing_file(self):
        self.assert_bad(": error: no such file", read_results, self.csv)

    def test_empty_file(self):
        self.csv.write_text("")
        self.assert_bad(":1: error: the file is empty", read_results, self.csv)

    def test_missing_column(self):
        self.csv.write_text("experiment,source\n")
        self.assert_bad(":1: error: column 'model' is missing", read_results, self.csv)

    def test_not_a_number(self):
        good = blank_row(source="theory", workers=1)
        self.write(good, good | {"throughput": "fast"})
        self.assert_bad(":3: error: column 'throughput': 'fast' is not a number", read_results,
                        self.csv)

    def test_beyond_all_measure(self):
        self.write(blank_row(source="theory", workers=1, throughput="1e300"))
        self.assert_bad(":2: error: column 'throughput': '1e300' is too large", read_results,
                        self.csv)

    def test_not_a_whole_number(self):
        self.write(blank_row(source="theory", workers="1.5"))
        self.assert_bad(":2: error: column 'workers': '1.5' is not a whole number", read_results,
                        self.csv)

    def test_workers_are_needed(self):
        self.write(blank_row(source="theory"))
        self.assert_bad(":2: error: column 'workers': a number of at least 1 is needed",
                        read_results, self.csv)

    def test_unknown_source(self):
        self.write(blank_row(source="guessed", workers=1))
        self.assert_bad(":2: error: unknown source 'guessed' (known: theory, predicted, measured, "
                        "published)", read_results, self.csv)

    def test_wrong_number_of_cells(self):
        self.csv.write_text(",".join(COLUMNS) + "\na,b\n")
        self.assert_bad(f":2: error: 2 cells where the header has {len(COLUMNS)}", read_results,
                        self.csv)

    def test_broken_quotes(self):
        self.csv.write_text(",".join(COLUMNS) + '\n"a"b,c\n')
        self.assert_bad(":2: error: malformed CSV (',' expected after '\"')", read_results,
                        self.csv)

    def test_not_text(self):
        self.csv.write_bytes(b"experiment\n\n\xff\xfe")
        self.assert_bad(":3: error: not UTF-8 text", read_results, self.csv)


class StepsAndManifest(Folder):
    def test_steps_may_be_missing_or_empty(self):
        path = self.folder / "steps.csv"
        self.assertEqual(read_steps(path), [])
        path.write_text("")
        self.assertEqual(read_steps(path), [])

    def test_steps(self):
        write_quickstart(self.folder)
        steps = read_steps(self.folder / "steps.csv")
        self.assertEqual(len(steps), 2 * 16 * 12)
        self.assertEqual((steps[0].worker, steps[0].step, steps[0].accepted), (0, 0, False))
        self.assertEqual((steps[1].accepted, steps[0].compute_s), (True, 0.03))
        self.assertEqual(steps[1].began_s, steps[0].end_s)

    def test_a_step_needs_its_times(self):
        path = self.folder / "steps.csv"
        path.write_text("point,source,worker,step,began_s,delay_s,compute_s,exposed_comm_s,wait_s,"
                        "end_s,accepted\n1,predicted,0,0,0,,,,,1,1\n1,predicted,0,1,1,,,,,,1\n")
        self.assert_bad(":3: error: column 'end_s': a number is needed", read_steps, path)

    def test_manifest(self):
        path = self.folder / "manifest.json"
        self.assertEqual(read_manifest(path), {})
        path.write_text(json.dumps({"seed": 7}))
        self.assertEqual(read_manifest(path), {"seed": 7})
        path.write_text('{"seed": 7,\n "host": }')
        self.assert_bad(":2: error: malformed JSON (Expecting value)", read_manifest, path)
        path.write_text("[1]")
        self.assert_bad(":1: error: a JSON object is needed", read_manifest, path)

    def test_missing_folder(self):
        self.assert_bad(": error: no such folder", read_run, self.folder / "nowhere")

    def test_sample(self):
        write_quickstart(self.folder)
        run = read_run(self.folder)
        self.assertEqual(len(run.rows), len(quickstart_rows()) + 1)
        self.assertEqual(len(run.rows), 61)


if __name__ == "__main__":
    unittest.main()
