"""The policy's readers, called in the process that has limits of time and memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.sandbox.policy.numerical import Observation, observe
from grader.sandbox.policy.static_check import Finding, find_acts
from grader.source.reader import source_reader


def static_findings(
    source: bytes, filename: str, entry_points: Sequence[str], neighbours: Mapping[str, bytes]
) -> list[Finding]:
    """`static_check.find_acts` within limits. Raises ReadingStopped, ReadingFailed."""
    found = source_reader().call(find_acts, source, filename, entry_points, neighbours)
    return [Finding(**entry) for entry in found]


def numerical_observations(
    source: bytes, filename: str, rows: Mapping[str, tuple[str, Sequence[str]]], neighbours: Mapping[str, bytes]
) -> list[Observation]:
    """`numerical.observe` within limits. Raises ReadingStopped, ReadingFailed."""
    found = source_reader().call(observe, source, filename, rows, neighbours)
    return [Observation(**entry) for entry in found]
