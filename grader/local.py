"""Running the course's own formulas (solutions, variants, known mistakes) in this process: they are trusted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grader.answer import Answer
from grader.problem import Problem
from grader.sandbox.operators import OperatorWatch
from grader.sandbox.steps import call_step


def run_formula(function: Callable[..., Any] | None, step: str, problem: Problem, watched: bool = False) -> Answer:
    """One of the course's own step functions on one problem, called just as a student's would be."""
    watch = OperatorWatch(cap=100_000) if watched else None
    return call_step(function, step, problem.values, problem.upstream, problem.dtype, watch=watch)
