"""The results of a class while a run goes on: what the pages of a class and grades.csv read, and no figures."""

from __future__ import annotations

import sys
from bisect import insort
from collections.abc import Collection, Iterator, Sequence
from hashlib import blake2b
from typing import Any, overload

Results = dict[str, Any]

FIGURES = ("exact", "approximate", "maxdiff", "ulps", "relative_error", "shape", "expected_shape")
"""What a row is not kept with: thousands of students would fill the memory, and their own pages have it."""
OF_THE_LESSON = ("seconds",)
OF_THE_WHOLE = ("version", "submission_sha256", "environment", "seed")


class ClassResults(Sequence[Results]):
    """results.json of each student without FIGURES, in order of name. Equals are one object: not to be changed."""

    def __init__(self) -> None:
        self._results: list[Results] = []
        self._seen: dict[bytes, Any] = {}

    def add(self, results: Results) -> None:
        lessons = []
        for lesson in results["lessons"]:
            rows = [self._shared(without(FIGURES, row)) for row in lesson["gradients"]]
            lessons.append(self._shared({**without(OF_THE_LESSON, lesson), "gradients": self._shared(rows)}))
        kept = {**without(OF_THE_WHOLE, results), "lessons": lessons}
        for name, value in kept.items():
            if isinstance(value, (list, str)) and name != "student":
                kept[name] = self._shared(value)
        insort(self._results, kept, key=lambda entry: entry["student"].lower())

    def _shared(self, value: Any) -> Any:
        """The first one that was equal to it. Known by a digest: the texts of all would fill the memory, too."""
        return self._seen.setdefault(
            blake2b(repr(value).encode(errors="surrogatepass"), digest_size=16).digest(), value
        )

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


def without(names: Collection[str], entry: Results) -> Results:
    return {sys.intern(name): value for name, value in entry.items() if name not in names}
