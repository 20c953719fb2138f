"""The hidden problems of a run, and the results of the course's own files on them, computed once for all students."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from grader.lesson.lesson import Lesson
from grader.reference.problem import Draw, Problem, derive
from grader.verdict.judge.notebook_terms import OwnProblems, own_problems


class ProblemBook:
    """The hidden problems of one run, each drawn once and used for every student."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._drawn: dict[tuple[str, int, str], Problem] = {}
        self._values: dict[tuple[object, ...], Any] = {}
        self._own: dict[str, tuple[object, OwnProblems]] = {}

    def value(self, key: tuple[object, ...], make: Callable[[], Any]) -> Any:
        """What a scenario gives on the reference or on a known mistake, computed once for all students."""
        if key not in self._values:
            self._values[key] = make()
        return self._values[key]

    def own_problems(self, lesson: Lesson, draws: Sequence[Draw], sizes: Mapping[str, int]) -> OwnProblems:
        """Problems at a notebook's sizes, in place of these draws. Those of a lesson's latest notebook are kept."""
        key = (sizes, [*map(id, draws)])
        latest, found = self._own.get(lesson.name, (None, None))
        if found is None or latest != key:
            found = own_problems(lesson, draws, sizes, self.seed)
            self._own[lesson.name] = key, found
        return found

    def problems(self, lesson: Lesson, draws: Sequence[Draw]) -> list[Problem]:
        """One for each draw. Equal draws in the same place have the same problem."""
        result = []
        for number, draw in enumerate(draws):
            change = getattr(draw.change, "__name__", "")
            key = (lesson.name, number, f"{sorted(draw.sizes.items())} {change} {' '.join(draw.note.values())}")
            if key not in self._drawn:
                self._drawn[key] = lesson.problem(draw, derive(self.seed, *key))
            result.append(self._drawn[key])
        return result
