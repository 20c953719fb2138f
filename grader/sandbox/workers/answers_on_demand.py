"""Answers of steps that are run only when one of them is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from grader.calling.answer import Answer


class AnswersOnDemand(Mapping[str, Answer]):
    """{step: answer} of all `steps`. The first use of one that is not `known` runs the others, which become known."""

    def __init__(self, steps: Sequence[str], known: dict[str, Answer], run: Callable[[], Mapping[str, Answer]]) -> None:
        self._steps, self._known, self._run = steps, known, run

    def __getitem__(self, step: str) -> Answer:
        if step not in self._known and step in self._steps:
            self._known |= self._run()
        return self._known[step]

    def __iter__(self) -> Iterator[str]:
        return iter(self._steps)

    def __len__(self) -> int:
        return len(self._steps)
