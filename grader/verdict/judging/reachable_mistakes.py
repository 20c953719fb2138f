"""Which of a lesson's known mistakes can change what a scenario gives."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from grader.lesson.lesson import Lesson
from grader.lesson.mistakes import Mistake
from grader.source.own_calls import changed_definitions, reachable_definitions


def reachable_mistakes(lesson: Lesson, functions: Collection[str]) -> tuple[Mistake, ...]:
    """Those in the given functions of the answer key, or in what these use. The others give the right results."""
    return _reachable(lesson, frozenset(functions))


@lru_cache(maxsize=1_000)
def _reachable(lesson: Lesson, functions: frozenset[str]) -> tuple[Mistake, ...]:
    reached = reachable_definitions(lesson.answer_key, functions)
    return tuple(mistake for mistake, changed in _changes(lesson) if changed & reached)


@lru_cache(maxsize=100)
def _changes(lesson: Lesson) -> list[tuple[Mistake, frozenset[str]]]:
    key = lesson.answer_key
    return [(mistake, changed_definitions(key, mistake.applied_to(key))) for mistake in lesson.mistakes]
