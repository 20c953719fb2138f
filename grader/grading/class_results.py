"""The results of a class while a run goes on: what the pages of a class and grades.csv read, and no figures."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Sequence
from typing import Any, overload

Results = dict[str, Any]

FIGURES = ("exact", "approximate", "maxdiff", "ulps", "relative_error", "shape", "expected_shape")
"""What a row is not kept with: thousands of students would fill the memory, and their own pages have it."""


class ClassResults(Sequence[Results]):
    """results.json of each student without FIGURES, in order of name. Equal rows are one object: not to be changed."""

    def __init__(self) -> None:
        self._results: list[Results] = []
        self._rows: dict[str, Results] = {}

    def add(self, results: Results) -> None:
        lessons = [
            {**lesson, "gradients": [self._shared(row) for row in lesson["gradients"]]} for lesson in results["lessons"]
        ]
        insort(self._results, {**results, "lessons": lessons}, key=lambda entry: entry["student"].lower())

    def _shared(self, row: Results) -> Results:
        kept = {name: value for name, value in row.items() if name not in FIGURES}
        return self._rows.setdefault(repr(kept), kept)

    @overload
    def __getitem__(self, place: int) -> Results: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Results]: ...
    def __getitem__(self, place: int | slice) -> Results | Sequence[Results]:
        return self._results[place]

    def __len__(self) -> int:
        return len(self._results)

    def __iter__(self) -> Iterator[Results]:
        return iter(self._results)
