"""Problems of small, different sizes for a lesson: what a question's lines are run on. Trusted; no student's code."""

from __future__ import annotations

import inspect
import random
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from torch import Tensor

from grader.lesson.lesson import Lesson
from grader.reference.problem import Draw, Problem
from grader.reference.tape import Graph, Tape, Unfused, is_floating, run_forward

PROBLEM_COUNT = 3
MAX_DRAWS_TRIED = 60
DISTINCT_SIZES, TINY_SIZES = (2, 3, 4, 5, 6, 7, 8, 9), (2, 3)


def size_names(lesson: Lesson) -> list[str]:
    """The whole-number sizes of `inputs` in forward.py."""
    parameters = list(inspect.signature(lesson.module.inputs).parameters.values())[1:]
    return [each.name for each in parameters if type(each.default) is int and each.default > 1]


@lru_cache(64)
def small_problems(lesson: Lesson) -> tuple[Problem, ...]:
    """PROBLEM_COUNT problems; any two sizes differ in one of them. Empty for a lesson without gradients."""
    if not lesson.gradients:
        return ()
    chance, found = random.Random(lesson.name), list[Problem]()
    for seed in range(MAX_DRAWS_TRIED):
        sizes = {}
        pool = [*DISTINCT_SIZES, 10, 11, 12, 13]
        for name in size_names(lesson):
            sizes[name] = pool.pop(chance.randrange(len(pool)))
        if "heads" in sizes and "groups" in sizes:
            sizes["heads"] = sizes["groups"] * 2
        problem = problem_of(lesson, sizes, seed)
        if problem is not None:
            found.append(problem)
        if len(found) == PROBLEM_COUNT:
            break
    return tuple(found)


def problem_of(lesson: Lesson, sizes: Mapping[str, int], seed: int) -> Problem | None:
    """A problem of these sizes; None where the forward pass does not run at them."""
    try:
        return lesson.problem(Draw(dict(sizes)), seed)
    except (RuntimeError, ValueError, IndexError, TypeError, ZeroDivisionError):
        return None


@lru_cache(256)
def tiny_problem(lesson: Lesson, number: int) -> Problem | None:
    """A problem whose sizes are 2 or 3; another one for each `number`. None where the forward pass runs at none."""
    chance = random.Random(f"{lesson.name}/{number}")
    for _ in range(8):
        problem = problem_of(lesson, {name: chance.choice(TINY_SIZES) for name in size_names(lesson)}, number)
        if problem is not None:
            return problem
    return None


class FixedTape(Tape):
    """A tape on which some names have given values, whatever the forward pass computes for them."""

    _fixed: Mapping[str, Tensor]

    def __init__(self, inputs: Mapping[str, Any], fixed: Mapping[str, Tensor]) -> None:
        object.__setattr__(self, "_fixed", fixed)
        super().__init__(inputs)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name in self._fixed and is_floating(value):
            state = self._state
            if name not in state.fused_names:
                state.leaves[name] = state.leaf(name, self._fixed[name])


class FixedUnfused(FixedTape, Unfused):
    """The same, with fused names as steps of their own."""


def fixed_graph(lesson: Lesson, problem: Problem, fixed: Mapping[str, Tensor]) -> Graph:
    """The forward pass on `problem` with the values `fixed`; with each fused name as a step where a function is joint.

    Inputs among `fixed` are replaced, too.
    """
    inputs = {name: fixed.get(name, value) for name, value in problem.inputs.items()}
    tape = (FixedUnfused if lesson.joint else FixedTape)(inputs, fixed)
    run_forward(lesson.module.forward, tape)
    return Graph(tape)


def graph_of(lesson: Lesson, problem: Problem) -> Graph:
    """The graph whose names a student's lines may be gradients of."""
    return problem.finer if lesson.joint else problem.graph


def arguments_on(problem: Problem, parameters: Sequence[str]) -> dict[str, Any] | None:
    """What a function is called with on a problem; None where it asks for something else."""
    known = problem.given | {f"d{name}": value for name, value in problem.upstream.items()}
    return {name: known[name] for name in parameters} if all(name in known for name in parameters) else None
