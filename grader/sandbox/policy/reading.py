"""The policy's readers, called in the process that has limits of time and memory."""

from __future__ import annotations

from collections.abc import Sequence

from grader.sandbox.policy.pure_functions import PureFunction, pure_functions
from grader.source.reader import source_reader


def read_pure_functions(source: bytes, graded: Sequence[str]) -> dict[str, PureFunction]:
    """`pure_functions.pure_functions` within limits. Raises ReadingStopped, ReadingFailed."""
    found = source_reader().call(pure_functions, source, graded)
    return {name: PureFunction(**function) for name, function in found.items()}
