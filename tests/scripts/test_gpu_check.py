# SPDX-License-Identifier: MIT
"""scripts/gpu-check in a folder as scripts/portable packs it, with made-up programs: what it runs,
what it makes of their exit codes, and its table."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

LISTS_A_GPU = """#!/bin/sh
case "$1" in
  -L) echo "GPU 0: NVIDIA H200 (UUID: GPU-1)" ;;
  --query-gpu=name) echo "NVIDIA H200" ;;
  *) echo "NVIDIA H200, 580" ;;
esac
"""

# Writes results as `paceline execute -o DIR FILE` does; `policies` is not for this computer, and
# `vgg16-bf16` fails.
PACELINE = """#!/bin/sh
[ "$1" = --version ] && { echo "paceline 0.1.0"; exit 0; }
for word; do
  [ "$before" = -o ] && folder=$word
  before=$word
done
name=$(basename "$word" .yaml)
[ "$name" = probe ] && { [ -n "$NO_GPU" ] || exit 0; echo "paceline: error: $NO_GPU" >&2; exit 77; }
echo "$@" >>"$(dirname "$0")/calls"
[ "$name" = policies ] && { echo "paceline: error: 4 workers and 1 GPU" >&2; exit 77; }
[ "$name" = vgg16-bf16 ] && { echo "point 0: failed: out of memory" >&2; exit 1; }
mkdir -p "$folder"
echo '{"resolved": {"precision": "bf16", "layout": "NHWC"}}' >"$folder/manifest.json"
{
  printf experiment,source,machine,model,policy,aggregation,workers,batch,
  echo throughput,throughput_stderr,status
  echo "$name,predicted,this,resnet50,sync,allreduce,1,256,9999,,ok"
  echo "$name,measured,this,resnet50,sync,allreduce,1,256,3000,12.5,ok"
} >"$folder/results.csv"
"""

PYTORCH = """
import json, sys
mode = sys.argv[sys.argv.index("--modes") + 1]
row = {"model": "resnet50", "precision": "bf16", "layout": "NHWC", "batch": 256, "mode": mode}
if mode == "max-autotune": row["error"] = "no compiler"
else: row["throughput"] = {"eager": 2000, "default": 2500}[mode]
with open("bin/calls", "a") as calls: print("pytorch", mode, *sys.argv, file=calls)
json.dump({"rows": [row]}, open(sys.argv[sys.argv.index("-o") + 1], "w"))
"""


class GpuCheck(unittest.TestCase):
    def setUp(self):
        self.system = "/usr/bin:/bin"
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for part in ("scripts", "bin", "tools", "tests/benchmarks", "experiments"):
            (self.folder / part).mkdir(parents=True)
        for script in ("gpu-check", "gpu-summary"):
            shutil.copy(ROOT / "scripts" / script, self.folder / "scripts")
        shutil.copytree(ROOT / "experiments/gpu", self.folder / "experiments/gpu")
        self.program("tools/nvidia-smi", LISTS_A_GPU)
        self.program("bin/paceline", PACELINE)
        self.program("bin/cuda_test",
                     '#!/bin/sh\necho "test $@" >>"$(dirname "$0")/calls"\necho 3 tests\n')
        self.program("tools/cc", "#!/bin/sh\n")
        self.program("tools/python3", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        (self.folder / "tests/benchmarks/pytorch_throughput.py").write_text(PYTORCH)

    def program(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)

    def check(self, *options, **variables):
        environment = {**os.environ, "NO_GPU": "", **variables}
        environment.pop("CC", None)
        environment["PATH"] = f"{self.folder / 'tools'}:{self.system}"
        return subprocess.run(
            [self.folder / "scripts/gpu-check", *options, "-o", self.folder / "out"],
            cwd=self.folder, env=environment, capture_output=True, text=True, check=False)

    def calls(self):
        return (self.folder / "bin/calls").read_text().splitlines()

    def bare(self, *tools):
        """A computer with these tools alone, and without nvidia-smi."""
        (self.folder / "tools/nvidia-smi").unlink()
        (self.folder / "tools/cc").unlink()
        (self.folder / "tools/python3").unlink()
        for tool in ("bash", "sh", "env", "timeout", "date", "cat", "echo", "basename", "dirname",
                     "mkdir", "mktemp", "rm", "tail", "tee", "uname", "grep", *tools):
            (self.folder / "tools" / tool).symlink_to(
                sys.executable if tool == "python3" else shutil.which(tool))
        self.system = ""

    def test_without_a_gpu_it_says_so(self):
        done = self.check(NO_GPU="no NVIDIA driver on this computer")
        self.assertEqual(done.returncode, 77)
        self.assertEqual(done.stderr, "gpu-check: no GPU can be used here: no NVIDIA driver on this "
                                      "computer\n")
        self.assertFalse((self.folder / "out").exists())

    def test_a_checkout_is_not_built_without_a_gpu(self):
        if os.path.exists("/dev/nvidiactl") or os.path.exists("/dev/dxg"):
            self.skipTest("here is a driver")
        self.program("tools/nvidia-smi", "#!/bin/sh\nexit 9\n")
        (self.folder / "bin/paceline").unlink()
        done = self.check()
        self.assertEqual(done.returncode, 77)
        self.assertEqual(done.stderr, "gpu-check: no NVIDIA GPU here (nvidia-smi is missing or "
                                      "lists none)\n")

    def test_a_bare_computer_has_its_figures(self):
        self.bare()
        done = self.check("--quick")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for line in ("nvidia-smi is not here", "pytorch: python3 is not here",
                     "no table (python3 is missing)"):
            self.assertIn(line, done.stdout)
        self.assertTrue((self.folder / "out/results/resnet50-bf16/results.csv").exists())

    def test_without_a_compiler_pytorch_is_eager(self):
        self.bare("python3")
        done = self.check("--quick")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("torch.compile needs a C compiler", done.stdout)
        modes = [call.split()[1] for call in self.calls() if call.startswith("pytorch")]
        self.assertEqual(modes, ["eager"])

    def test_the_ratio_comes_before_what_may_use_up_the_time(self):
        done = self.check("--quick")
        calls = self.calls()
        kinds = [call.split()[0] for call in calls]
        first = next(i for i, call in enumerate(calls) if "gpu/resnet50-bf16.yaml" in call)
        self.assertEqual(kinds[:first], ["test"] * 3)
        self.assertIn("--gtest_filter=*Facts*:*Words*:*Flat*", calls[0])
        self.assertEqual([call.split()[1] for call in calls[first + 1:first + 4]],
                         ["eager", "default", "max-autotune"])
        self.assertIn("PyTorch, resnet50 bf16 NHWC 256: default 2500, eager 2000, max-autotune no "
                      "compiler", done.stdout)
        self.assertLess(done.stdout.index(" 1.20 "), done.stdout.index("two-workers"))

    def test_no_step_before_the_ratio_uses_up_the_time(self):
        self.program("bin/cuda_test",
                     "#!/bin/sh\ncase $* in *Facts*|*Loss*|*CudaNet*) sleep 60; esac\n")
        done = self.check("--quick", "--minutes", "1")
        for name in ("tests-first", "tests-layers", "tests-against-cpu"):
            self.assertRegex(done.stdout, name + ": [^\n]*\n  cut off after [4-7] s")
        self.assertIn("PyTorch, resnet50", done.stdout)

    def test_a_dry_run_prints_the_commands_only(self):
        self.program("tools/nvidia-smi", "#!/bin/sh\nexit 9\n")
        done = self.check("--dry-run")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("bin/paceline execute --device cuda", done.stdout)
        self.assertIn("experiments/gpu/resnet50-bf16.yaml", done.stdout)
        self.assertIn("pytorch_throughput.py", done.stdout)
        self.assertFalse((self.folder / "out").exists())

    def test_an_unknown_option_is_an_error(self):
        done = self.check("--fast")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no option '--fast'", done.stderr)

    def test_every_experiment_is_run(self):
        self.check()
        run = {call.split("/")[-1] for call in self.calls() if call.endswith(".yaml")}
        self.assertEqual(run, {path.name for path in (ROOT / "experiments/gpu").glob("*.yaml")})

    def test_quick_runs_fewer_steps_and_sets_pytorch_beside(self):
        done = self.check("--quick")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue(all("--set steps=" in call for call in self.calls()
                            if call.startswith("execute")))
        self.assertIn("not here: paceline: error: 4 workers and 1 GPU", done.stdout)
        row = next(line for line in done.stdout.splitlines()
                   if line.startswith("resnet50-bf16  this"))
        self.assertEqual(row.split(), ["resnet50-bf16", "this", "resnet50", "bf16", "NHWC", "sync",
                                       "allreduce", "1", "256", "3000", "12.5", "2500", "1.20",
                                       "ok"])
        self.assertNotIn("9999", done.stdout)
        self.assertTrue((self.folder / "out/versions.txt").exists())
        self.assertEqual((self.folder / "out/tests-first.log").read_text(), "3 tests\n")

    def test_a_described_card_is_predicted_too(self):
        self.check("--quick")
        self.assertTrue(any("run --device cuda --set machine=h200" in call
                            for call in self.calls()))
        self.program("tools/nvidia-smi", LISTS_A_GPU.replace("NVIDIA H200", "NVIDIA L4"))
        (self.folder / "bin/calls").unlink()
        self.check("--quick")
        self.assertFalse(any("machine=" in call for call in self.calls()))

    def test_virtual_gpus_are_predicted_from_what_was_calibrated(self):
        self.check("--minutes", "25")
        calls = self.calls()
        calibrated = [i for i, call in enumerate(calls)
                      if "calibrate --device cuda experiments/gpu/virtual-gpus.yaml" in call]
        compared = [i for i, call in enumerate(calls)
                    if "run --device cuda" in call and "gpu/virtual-gpus.yaml" in call]
        self.assertEqual((len(calibrated), len(compared)), (1, 1))
        self.assertLess(calibrated[0], compared[0])

    def test_a_failure_is_told_and_the_rest_goes_on(self):
        done = self.check()
        self.assertEqual(done.returncode, 1)
        self.assertIn("failed (1): point 0: failed: out of memory", done.stdout)
        self.assertIn("failed or cut off: vgg16-bf16", done.stdout)
        self.assertIn("virtual-gpus", "".join(self.calls()))

    def test_what_does_not_fit_the_time_is_left_out(self):
        done = self.check("--minutes", "0")
        self.assertEqual(done.returncode, 1)
        self.assertIn("resnet50-bf16: left out, the time is up", done.stdout)


if __name__ == "__main__":
    unittest.main()
