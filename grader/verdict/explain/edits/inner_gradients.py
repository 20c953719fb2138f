"""Of a function that returns all gradients: the first one on the way that is wrong, by the student's own names.

A variable `dout` of the function is compared with the gradient of the forward value `out`. What is wrong with the first
wrong one is then read as if it were a row of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from grader.reference.problem import Problem
from grader.results.wording import listed_as_code
from grader.verdict.explain.attempts import check_interrupt
from grader.verdict.explain.diagnose import explain
from grader.verdict.explain.edits.changed_functions import INNER_GRADIENT
from grader.verdict.explain.edits.search import Trials, is_right, known_on
from grader.verdict.explain.explanation import UNNAMED_MULTIPLE, Explanation
from grader.verdict.explain.problem_values import computed_once
from grader.verdict.explain.wrong_answer import Cases

MAX_RIGHT_GRADIENTS_NAMED = 3
"""Right gradients before the wrong one that a message names: the last ones."""


@dataclass(frozen=True)
class InnerGradient:
    """The first wrong gradient on the way to another one, and those before it that are `right`."""

    name: str
    right: Sequence[str]
    explanation: Explanation


class InnerGradients:
    """The gradients that `function` computes on the way to `step`.

    `passing` are the values whose gradients are right. What they are all computed from is not wrong, whatever its name:
    a student's `dscores` may have the factor of the next line already.
    """

    def __init__(
        self,
        step: str,
        function: str,
        cases: Cases,
        trials: Trials,
        constants: Sequence[float],
        passing: Collection[str],
    ) -> None:
        self._step, self._function, self._cases, self._trials, self._passing = step, function, cases, trials, passing
        edits = enumerate(trials.edits(function, known_on(cases[0][0], constants, passing)))
        self._edits = {edit.message: (number, edit.line) for number, edit in edits if edit.kind == INNER_GRADIENT}

    def first_wrong(self) -> InnerGradient | None:
        """What is wrong with the first wrong one; None where none is known to be wrong."""
        finer, right = self._cases[0][0].finer, list[str]()
        above = finer.above(self._step[1:])
        for name in (name for name in self._edits if name[1:] in above and name != self._step):
            check_interrupt()
            answers = self._answers(name)
            if self._is_right(name, answers):
                right.append(name)
            elif answers and not any(finer.goes_through(each, name[1:]) for each in self._passing):
                found = explain(name[1:], answers)
                last = listed_as_code(right[-MAX_RIGHT_GRADIENTS_NAMED:])
                texts = [f"Up to {last} your `{self._function}` is right."] if right else []
                texts.append(f"`{name}` is wrong, and `{self._step}` is computed from it.")
                texts += [found.message] if found is not None and found.id != UNNAMED_MULTIPLE else []
                line = self._edits[name][1]
                return InnerGradient(name, right, Explanation("inner_gradient", " ".join(texts), line=line))
        return None

    def upstream_is_right(self) -> bool:
        """Whether it computes, by its name, the gradient of each value that `step`'s is used in, and rightly."""
        upstream = [f"d{consumer}" for consumer in self._cases[0][0].finer.consumers[self._step[1:]]]
        return all(name in self._edits and self._is_right(name, self._answers(name)) for name in upstream)

    def _is_right(self, name: str, answers: Cases) -> bool:
        return bool(answers) and all(is_right(name, *case) for case in answers)

    def _answers(self, name: str) -> Cases:
        """An inner gradient on each problem; none where it is not a tensor on all of them."""
        number = self._edits[name][0]
        found = [(unfused(p), self._trials.answers(self._step, p, [number]).get(number)) for p, _ in self._cases]
        answers = [(p, answer) for p, answer in found if answer is not None and answer.tensor is not None]
        return answers if len(answers) == len(self._cases) else []


def unfused(problem: Problem) -> Problem:
    """The problem with a gradient for each value of the forward pass, those of fused steps included."""
    return computed_once(problem, "unfused", lambda: problem.in_single_steps())
