# SPDX-License-Identifier: MIT
"""Draws the figures in two processes: they share nothing but what was read."""

import contextlib
import multiprocessing

import save


def draw_in_halves(study, rows):
    """(row, format -> bytes) of every figure that the study has data for, in the rows' order.

    Every second one is drawn by a copy of this process. What that fails at is done again here, and
    tells its error from here.
    """
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_send, args=(sender, study, rows[1::2]))
    child.start()
    sender.close()
    drawn = _drawn(study, rows[::2])
    try:
        drawn |= receiver.recv()
    except EOFError:
        drawn |= _drawn(study, rows[1::2])
    child.join()
    return [(row, drawn[row.name]) for row in rows if row.name in drawn]


def _send(sender, study, rows):
    with contextlib.suppress(Exception):  # sending nothing makes the other process draw them
        sender.send(_drawn(study, rows))


def _drawn(study, rows):
    """name -> (format -> bytes)."""
    figures = ((row.name, row.draw(study)) for row in rows)
    return {name: save.render(figure) for name, figure in figures if figure is not None}
