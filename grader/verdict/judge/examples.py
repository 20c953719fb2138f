"""Public examples for checks: exercises/NN_name/examples.py, written like a hidden suite.

    def test_closed_share(check):
        check.gives("closed_share", (h, 0.5), 0.25)                  # a number worked out by hand

    def test_evaluation(check):
        check.agrees(scenario, ({"size": 3},), reference=Torch)      # what torch itself gives

A student's own check runs them where the hidden suite is not. They are read by students: no line of them may hold the
answer, so what is expected comes from plain numbers, from autograd or from torch's own functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import ModuleType
from typing import Any

from grader.comparison.tensors import TOLERANCE
from grader.comparison.trees import agreement, bits_of, is_tensor, shown
from grader.lesson.course_modules import installed_copy, load_module
from grader.lesson.lesson import Lesson, LessonError
from grader.results import Status
from grader.verdict.judge.checks import Check, CheckFailed, Draws, Scenario, ScenarioResult, Test, tests_of

EXAMPLES_FILE = "examples.py"
PUBLIC_SEED = 13
"""Everybody's public problems are the same; those of a hidden suite come from another seed in every run."""


class Example(Check):
    """The `check` of an example: there is no answer key behind it."""

    @property
    def signatures(self) -> Any:
        return stub_module(self.lesson)

    def is_sound(self, test: Test) -> bool:
        """Assumed here, for want of an answer key: the author of an example is shown the error itself."""
        return True

    def gives(self, name: str, arguments: Sequence[Any], expected: Any, tolerance: float = TOLERANCE) -> None:
        """Ends the example unless the student's `name(*arguments)` agrees with `expected`."""
        self.equals(self.on.call(name, *arguments), expected, tolerance)

    def entries(self, names: Sequence[str], function: str, *arguments: Any, **by_name: Any) -> tuple[Any, ...]:
        """What the student's function returns, one value for each of `names`. Raises CheckFailed for anything else."""
        answer = self.on.call(function, *arguments, **by_name)
        has_entries = isinstance(answer, (tuple, list)) or (is_tensor(answer) and answer.ndim > 0)
        if has_entries and len(answer) == len(names):
            return tuple(answer)
        wanted = f"{len(names)} values: {', '.join(names)}"
        raise CheckFailed(f"`{function}` returned {shown(answer)}; expected {wanted}.", "shape")

    def equals(self, found: Any, expected: Any, tolerance: float = TOLERANCE, otherwise: str = "") -> None:
        """Raise CheckFailed unless `found`, which came from the student, agrees with `expected` part by part.

        Where another row says what is wrong, `otherwise` is the sentence of this one.
        """
        self.compared_bits += bits_of(expected)
        compared = agreement(found, expected, tolerance, self.on.low_precision)
        if compared.holds:
            return
        if otherwise:
            self.fail(otherwise)
        finding, result = compared.findings[0], ScenarioResult({}, found, expected, compared)
        status: Status = "shape" if finding.stage == "shape" else "failed"
        raise CheckFailed(finding.message, status, compared=(None, [result]))

    def agrees(
        self, scenario: Scenario, draws: Draws = ({},), reference: Any = None, tolerance: float = TOLERANCE
    ) -> None:
        """As `Check.agrees`, against a `reference` that the example gives. Raises LessonError for one without it."""
        if reference is None:
            where = f"{self.lesson.exercise / EXAMPLES_FILE}, test_{self.item.name}"
            raise LessonError(f"{where}: `agrees` needs a `reference` here, as a student has no answer key.")
        super().agrees(scenario, draws, reference, tolerance)


@lru_cache(maxsize=64)
def stub_module(lesson: Lesson) -> ModuleType | None:
    """The lesson's stub as a module, for its parameters' names; None where it is not there."""
    stub = installed_copy(lesson.pristine)
    if not stub.is_file():
        return None
    module = ModuleType(f"backprop_ninja_stub_{lesson.name}")
    exec(compile(stub.read_bytes(), str(stub), "exec"), vars(module))
    return module


@lru_cache(maxsize=64)
def examples_of(lesson: Lesson) -> Mapping[str, Test]:
    """{row: its public example}; empty where the lesson has none. Raises LessonError when the file does not run."""
    path = lesson.exercise / EXAMPLES_FILE
    return tests_of(load_module(path, f"backprop_ninja_examples_{lesson.name}")) if path.is_file() else {}
