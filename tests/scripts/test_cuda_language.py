# SPDX-License-Identifier: MIT
"""What cmake/CudaLanguage.cmake makes of an nvcc that refuses the host compiler."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(test CXX)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_SOURCE_DIR})
include(%s/cmake/CudaLanguage.cmake)
message(STATUS "missing: ${PACELINE_CUDA_MISSING}")
"""


class NvccThatFails(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "CMakeLists.txt").write_text(PROJECT % ROOT)
        (self.folder / "FindCudaLibraries.cmake").write_text("set(CudaLibraries_MISSING)\n")
        nvcc = self.folder / "nvcc"
        nvcc.write_text("#!/bin/sh\necho '#error -- unsupported GNU version!' >&2\nexit 1\n")
        nvcc.chmod(0o755)

    def configure(self, mode):
        """(exit code, what was printed)"""
        said = subprocess.run(
            ["cmake", "-G", "Ninja", "-S", self.folder, "-B", self.folder / "build",
             f"-DPACELINE_CUDA={mode}", f"-DCUDAToolkit_NVCC_EXECUTABLE={self.folder / 'nvcc'}"],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return said.returncode, said.stdout

    def test_leaves_the_cuda_layer_out(self):
        for _ in range(2):  # and again with what the cache holds then
            code, printed = self.configure("AUTO")
            self.assertEqual(code, 0, printed)
            self.assertIn("CUDA layer: OFF", printed)
            self.assertIn("missing: nvcc that compiles here with ", printed)

    def test_is_an_error_where_the_layer_is_needed(self):
        code, printed = self.configure("ON")
        self.assertNotEqual(code, 0)
        self.assertIn("the CUDA layer cannot be built", printed)


if __name__ == "__main__":
    unittest.main()
