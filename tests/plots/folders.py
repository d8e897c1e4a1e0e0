# SPDX-License-Identifier: MIT
"""Tests that write into a folder which is removed after them."""

import tempfile
import unittest
from pathlib import Path


class InFolder(unittest.TestCase):
    """A new folder for each test: `folder`."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


class InOneFolder(unittest.TestCase):
    """A new folder for each class of tests: `root`."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = Path(folder.name)
