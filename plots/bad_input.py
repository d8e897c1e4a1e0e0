# SPDX-License-Identifier: MIT
"""The one exception for input that cannot be read: its text is the line the user sees."""


class BadInput(Exception):
    """`path: error: problem`, or `path:line: error: problem` where a line is to blame."""

    def __init__(self, path, problem, line=None):
        where = f"{path}:{line}" if line else f"{path}"
        problem = " ".join(str(problem).split())  # one line, whatever the cause said
        super().__init__(f"{where}: error: {problem}")
