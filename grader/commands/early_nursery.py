"""The nursery of `grade run`, started before the command line is read: loading torch is what the run waits for."""

from __future__ import annotations

import contextlib

from grader.sandbox.workers import forked

GRADER_PROGRAM = "grader.publish.grader_process"
"""The module whose `main` a grader process runs. It grades and writes reports, and contains no secret."""

_started: list[forked.Nursery] = []


def start_for(arguments: list[str]) -> None:
    """Starts a nursery if a command line will grade submissions in this computer's processes."""
    grades = arguments[:1] == ["run"] and not {"-h", "--help"}.intersection(arguments)
    if grades and not any(argument.startswith("--cluster") for argument in arguments):
        with contextlib.suppress(ModuleNotFoundError):  # the command says it
            _started.append(forked.Nursery([GRADER_PROGRAM]))


def take() -> forked.Nursery:
    """The nursery that was started, or a new one. The caller closes it."""
    return _started.pop() if _started else forked.Nursery([GRADER_PROGRAM])


def close_nursery() -> None:
    """Ends the nursery that nobody took, as the command line could not be used."""
    while _started:
        _started.pop().close(at_once=True)
