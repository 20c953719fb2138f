"""What the course's own functions give for the scenarios of a check: reference values, known mistakes, explanations."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import torch

from grader.calling.module_target import ModuleTarget
from grader.calling.recorder import Call, RecordingTarget, numbers_given, tensors_given
from grader.comparison.trees import Agreement, Difference, agreement
from grader.lesson.lesson import Item, Lesson
from grader.lesson.mistakes import Mistake
from grader.reference.problem import derive
from grader.source.own_calls import changed_definitions, reachable_definitions
from grader.verdict.explain.claims import FunctionContents, may_have
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.results.results import ComparedResult, explain_result
from grader.verdict.judge.check_endings import ReferenceFailed
from grader.verdict.judge.problems import ProblemBook
from grader.verdict.judge.shuffled import answers_on_demand

Scenario = Callable[..., Any]
"""`scenario(on, generator, **draw)`: calls functions of the target `on` and returns a tree of their results."""

Draws = Sequence[Mapping[str, Any]]
ScenarioKey = tuple[Any, ...]


@dataclass(frozen=True)
class Assertion:
    """One `check.agrees(...)` in a test. `number` tells those of one test apart; secret generators depend on it."""

    scenario: Scenario
    draws: Draws
    reference: Any  # the module or class with the reference's functions
    tolerance: float
    number: object

    def key(self, at: int) -> ScenarioKey:
        """The key of the draw at that place, under which the reference's value of it is kept."""
        return self.number, at, draw_identity(self.draws[at])


class ScenarioResult(NamedTuple):
    """What a scenario gave on one draw: of the student's functions, of the reference's, and how they compare."""

    draw: Mapping[str, Any]
    found: Any
    expected: Any
    agreement: Agreement


class CourseValues:
    """Values of one check's scenarios on the course's own functions, computed once per run and used for every student.

    `signatures` is the namespace whose functions name the parameters in explanations.
    """

    def __init__(self, lesson: Lesson, item: Item, book: ProblemBook, signatures: Any) -> None:
        self._lesson, self._item, self._book, self._signatures = lesson, item, book, signatures

    def generator(self, *parts: object) -> torch.Generator:
        """Return a secret generator for one purpose, the same for every student of this run."""
        return torch.Generator().manual_seed(derive(self._book.seed, self._lesson.name, self._item.name, *parts))

    def reference(self, assertion: Assertion, at: int) -> tuple[Any, list[Call]]:
        """Return what the scenario gives on the reference, and its calls. Raises ReferenceFailed."""
        key = assertion.key(at)

        def compute() -> tuple[Any, list[Call]]:
            listening = RecordingTarget(ModuleTarget(assertion.reference), self._signatures, copies=True)
            try:
                return assertion.scenario(listening, self.generator(*key), **assertion.draws[at]), listening.calls
            except Exception as error:
                raise ReferenceFailed(
                    f"test_{self._item.name} of {self._lesson.name}: its scenario raises {type(error).__name__} on the "
                    "course's own functions."
                ) from error

        found: tuple[Any, list[Call]] = self._book.value((self._lesson.name, self._item.name, *key), compute)
        return found

    def known_mistakes(
        self,
        assertion: Assertion,
        found: Sequence[Any],
        low_precision: bool,
        contents_of: Callable[[str], FunctionContents | None],
    ) -> Iterator[Mistake]:
        """Yield the known mistakes that give just these results on every draw, as far as the code may have them.

        One in a function that the scenario does not reach gives the right results, so it is not run. Different mistakes
        may give the same few results: `contents_of` says what the student's functions are made of. A check about one
        function may call others, so a mistake is looked for in its own function, too.
        """
        calls = (call for at in range(len(assertion.draws)) for call in self.reference(assertion, at)[1])
        called = {call.function.partition(".")[0] for call in calls}
        for mistake in reachable_mistakes(self._lesson, called):
            contents = {name: contents_of(name) for name in (self._item.function, mistake.gradient)}
            known = {name: each for name, each in contents.items() if each is not None}
            if not may_have(mistake, known, self._lesson.functions):
                continue
            target = ModuleTarget(self._lesson.wrong(mistake), traced=False)
            for at in range(len(assertion.draws)):
                try:
                    value = self._mistaken_value(assertion, at, target, mistake)
                    if differ_exactly(found[at], value):
                        break
                except Exception:  # a mistake may be one that raises
                    break
                if not agrees(found[at], value, assertion.tolerance, low_precision):
                    break
            else:
                yield mistake

    def _mistaken_value(self, assertion: Assertion, at: int, target: ModuleTarget, mistake: Mistake) -> Any:
        """What the scenario gives on the answer key with `mistake` in it, computed once for all students.

        An answer is computed when it is read: most mistakes differ from a student's function in the first few answers.
        """
        key = assertion.key(at)

        def compute() -> Any:
            with answers_on_demand():
                return assertion.scenario(target, self.generator(*key), **assertion.draws[at])

        named = (self._lesson.name, self._item.name, *key, mistake.gradient, mistake.id)
        return self._book.value(named, compute)

    def explanation(
        self, assertion: Assertion, results: Sequence[ScenarioResult], low_precision: bool
    ) -> Explanation | None:
        """Explain by what the student's results differ from the reference's, on every draw."""
        outcomes = []
        for at, result in enumerate(results):
            _, calls = self.reference(assertion, at)
            numbers = numbers_given(calls) | dict(result.draw)
            outcomes.append(
                ComparedResult(
                    result.found,
                    result.expected,
                    differing_parts(result.agreement.findings),
                    tensors_given(calls),
                    {name: n for name, n in numbers.items() if type(n) is int and n > 1},
                    {name: s for name, s in numbers.items() if type(s) is float},
                )
            )
        return explain_result(outcomes, assertion.tolerance, low_precision)


def differing_parts(findings: Sequence[Difference]) -> frozenset[str]:
    """The parts that do not agree; only those of the wrong shape or kind, where there are any."""
    shapes = frozenset(finding.part for finding in findings if finding.stage == "shape")
    return shapes or frozenset(finding.part for finding in findings)


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


def draw_identity(draw: Mapping[str, Any]) -> str:
    """The same text in every process: a function is represented by its name, as its repr contains an address."""
    return repr(sorted((k, getattr(v, "__qualname__", v)) for k, v in draw.items()))


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
