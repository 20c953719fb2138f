"""Problems of small, different sizes for a lesson: what a question's lines are run on. Trusted; no student's code."""

from __future__ import annotations

import inspect
import random
from collections.abc import Mapping
from functools import lru_cache

from torch import Tensor

from grader.lesson.lesson import Lesson
from grader.reference.problem import Draw, Problem
from grader.reference.tape import Graph, Tape, Unfused, run_forward

PROBLEM_COUNT, TINY_COUNT = 3, 4
MAX_DRAWS_TRIED = 60


@lru_cache(64)
def small_problems(lesson: Lesson, tiny: bool = False) -> tuple[Problem, ...]:
    """PROBLEM_COUNT problems; any two sizes differ in one of them. `tiny` ones have sizes of 2 and 3 only.

    Empty for a lesson without gradients.
    """
    if not lesson.gradients:
        return ()
    parameters = list(inspect.signature(lesson.module.inputs).parameters.values())[1:]
    names = [each.name for each in parameters if type(each.default) is int and each.default > 1]
    chance, found = random.Random(lesson.name), list[Problem]()
    for seed in range(MAX_DRAWS_TRIED):
        drawn = chance.choices((2, 3), k=len(names)) if tiny else chance.sample(range(2, 14), len(names))
        sizes = dict(zip(names, drawn, strict=True))
        if "heads" in sizes and "groups" in sizes:
            sizes["heads"] = sizes["groups"] * 2
        try:
            found.append(lesson.problem(Draw(sizes), seed))
        except (RuntimeError, ValueError, IndexError, TypeError, ZeroDivisionError):  # no forward pass at these sizes
            continue
        if len(found) == (TINY_COUNT if tiny else PROBLEM_COUNT):
            break
    return tuple(found)


def fixed_graph(lesson: Lesson, problem: Problem, fixed: Mapping[str, Tensor]) -> Graph:
    """The forward pass on `problem` with the values `fixed`; where a function is joint, each fused name is a step."""
    tape = (Unfused if lesson.joint else Tape)(problem.inputs, fixed=fixed)
    run_forward(lesson.module.forward, tape)
    return Graph(tape)


def small_graph(lesson: Lesson, problem: Problem) -> Graph:
    """The graph whose names a student's lines may be gradients of."""
    return problem.finer if lesson.joint else problem.graph
