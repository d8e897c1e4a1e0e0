# SPDX-License-Identifier: MIT
"""Exceptions whose text is the one line that is shown to the user."""


class Error(Exception):
    """The text is one line: `where: error: problem`."""


class BadInput(Error):
    """`path: error: problem`, or `path:line: error: problem` if a line causes it."""

    def __init__(self, path, problem, line=None):
        where = f"{path}:{line}" if line else f"{path}"
        problem = " ".join(str(problem).split())  # the cause may have several lines
        super().__init__(f"{where}: error: {problem}")
