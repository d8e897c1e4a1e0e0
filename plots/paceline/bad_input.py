# SPDX-License-Identifier: MIT
"""The exception for unreadable input; its text is the line shown to the user."""


class BadInput(Exception):
    """`path: error: problem`, or `path:line: error: problem` if a line causes it."""

    def __init__(self, path, problem, line=None):
        where = f"{path}:{line}" if line else f"{path}"
        problem = " ".join(str(problem).split())  # the cause may have several lines
        super().__init__(f"{where}: error: {problem}")
