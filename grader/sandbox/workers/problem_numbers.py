"""The numbers under which a submission's workers know problems, and which of them the zygote holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grader.reference.problem import Problem
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.requests import PackedProblem
from grader.sandbox.workers.sending import pack_once

FIRST_PRIVATE = 1_000_000
"""The number of a submission's first private problem."""


class ProblemNumbers:
    """Numbers problems as the zygote does, or, where `problems` are given, in their order.

    A private problem is one that only this submission is judged on. No zygote holds it for workers to come.
    """

    def __init__(self, zygote: ZygoteProcess, problems: Sequence[Problem]) -> None:
        self._zygote = zygote
        self.are_own = bool(problems)
        self.shared = list(problems) if problems else zygote.problems
        self._private: list[Problem] = []

    def number_of(self, problem: Problem) -> int:
        """The problem's number. A problem that is new gets the next one."""
        for number, known in enumerate(self.shared):
            if known is problem:
                return number
        for number, known in enumerate(self._private, FIRST_PRIVATE):
            if known is problem:
                return number
        self.shared.append(problem)
        return len(self.shared) - 1

    def chain_key(self, problem: Problem) -> int:
        """The number of the problem as it is sent for the student's own chain: a negative one."""
        return -1 - self.number_of(problem)

    def problem_of(self, key: int) -> Problem | None:
        """The problem of a number, or the shared one of a chain key."""
        number = key if key >= 0 else -1 - key
        if number >= FIRST_PRIVATE:
            return self._private[number - FIRST_PRIVATE] if number < FIRST_PRIVATE + len(self._private) else None
        return self.shared[number] if number < len(self.shared) else None

    def add_private(self, problems: Iterable[Problem]) -> None:
        self._private += [problem for problem in problems if all(problem is not known for known in self._private)]

    def hold(self, problems: Iterable[Problem]) -> None:
        """Have the zygote hold problems for the workers to come. Raises ZygoteDied."""
        for problem in () if self.are_own else problems:
            if self.number_of(problem) < FIRST_PRIVATE:
                self._zygote.hold(pack_once(self.number_of(problem), problem), problem)

    def hold_chain(self, chain: PackedProblem, problem: Problem) -> None:
        """The same for the chain's problem, which is packed already."""
        if not self.are_own and self.number_of(problem) < FIRST_PRIVATE:
            self._zygote.hold(chain, problem)
