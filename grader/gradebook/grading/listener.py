"""Who watches a run."""

from __future__ import annotations

from typing import Protocol

from grader.results import SubmissionResult


class RunListener(Protocol):
    """Is called as a run progresses. `started` may be called from any thread."""

    def planned(self, due: int, kept: int) -> None: ...

    def started(self, student: str) -> None: ...

    def result(self, results: SubmissionResult) -> None: ...
