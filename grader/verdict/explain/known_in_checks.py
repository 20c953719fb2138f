"""Known mistakes in what a check's scenario gives: the answer key with one mistake gives the same results."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from grader.calling.module_target import ModuleTarget
from grader.comparison.trees import agreement
from grader.lesson.lesson import Item, Lesson
from grader.lesson.mistakes import Mistake
from grader.reference.course_formulas import LocalStudent
from grader.source.own_calls import changed_definitions, reachable_definitions
from grader.verdict.explain.claims import may_have
from grader.verdict.explain.explanation import Explanation
from grader.verdict.judge.checks import Assertion, Check, CheckFailed
from grader.verdict.judge.gradient import GradientCheck
from grader.verdict.judge.problems import ProblemBook
from grader.verdict.judge.runner import StepRunner


def known_mistake_of_check(check: Check, failed: CheckFailed) -> Explanation | None:
    """The first known mistake that gives just these results on every draw, as far as the code may have it."""
    assertion, results = failed.compared or (None, ())
    if assertion is None:
        return None
    found = known_mistakes(check, assertion, [result.found for result in results])
    possible = (m for m in found if is_possible(check.lesson, check.item, check.student, check.book, m))
    return next((Explanation(m.id, m.message, known=True) for m in possible), None)


def known_mistakes(check: Check, assertion: Assertion, found: Sequence[Any]) -> Iterator[Mistake]:
    """Yield the known mistakes that give just these results on every draw, as far as the code may have them.

    One in a function that the scenario does not reach gives the right results, so it is not run. Different mistakes
    may give the same few results, so the student's functions are looked at. A check about one function may call
    others, so a mistake is looked for in its own function, too.
    """
    lesson, trials = check.lesson, getattr(check.student, "trials", None)
    calls = (call for at in range(len(assertion.draws)) for call in check.reference(assertion, at)[1])
    called = {call.function.partition(".")[0] for call in calls}
    for mistake in reachable_mistakes(lesson, called):
        read = {name: trials and trials.contents(name) for name in (check.item.function, mistake.gradient)}
        if not may_have(mistake, {name: each for name, each in read.items() if each is not None}, lesson.functions):
            continue
        target = ModuleTarget(lesson.wrong(mistake), traced=False)
        for at in range(len(assertion.draws)):
            try:
                value = mistaken_value(check, assertion, at, target, mistake)
                if differ_exactly(found[at], value):
                    break
            except Exception:  # a mistake may be one that raises
                break
            if not agrees(found[at], value, assertion.tolerance, check.on.low_precision):
                break
        else:
            yield mistake


def mistaken_value(check: Check, assertion: Assertion, at: int, target: ModuleTarget, mistake: Mistake) -> Any:
    """What the scenario gives on the answer key with `mistake` in it, computed once for all students."""
    key = assertion.key(at)

    def compute() -> Any:
        return assertion.scenario(target, check.generator(*key), **assertion.draws[at])

    return check.book.value((check.lesson.name, check.item.name, *key, mistake.gradient, mistake.id), compute)


def differ_exactly(found: Any, value: Any) -> bool:
    """Whether a text, True or False differs between two mappings. Reads no further than the first such difference."""
    if not (isinstance(found, Mapping) and isinstance(value, Mapping)):
        return False
    if found.keys() != value.keys():
        return True
    return any(
        isinstance(answer, (bool, str)) and isinstance(value[name], (bool, str)) and answer != value[name]
        for name, answer in found.items()
    )


def agrees(found: Any, value: Any, tolerance: float, low_precision: bool) -> bool:
    try:
        return agreement(found, value, tolerance, low_precision).holds
    except Exception:  # the mistake gives something that a scenario should not, or raises when an answer is read
        return False


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


def is_possible(lesson: Lesson, item: Item, student: StepRunner, book: ProblemBook, mistake: Mistake) -> bool:
    """Whether the file can have a mistake: one of the joint function that makes gradients wrong needs wrong ones.

    A training run can come out the same: where every gradient is clipped, a constant factor has no effect.
    """
    joint = lesson.joint
    if joint is None or mistake.gradient != joint.name or item.function == joint.name:
        return True

    def leaves_gradients_right() -> bool:
        names = [gradient.name for gradient in lesson.gradients]
        return gradients_are_right(lesson, LocalStudent(vars(lesson.wrong(mistake)), names, joint), book)

    named = (lesson.name, mistake.name, "leaves gradients right")
    return not gradients_are_right(lesson, student, book) or bool(book.value(named, leaves_gradients_right))


def gradients_are_right(lesson: Lesson, student: StepRunner, book: ProblemBook) -> bool:
    checks = (GradientCheck(lesson, item, student, book) for item in lesson.gradients)
    return all(check.passes(lesson.draws) for check in checks)
