"""Which answers are run again, traced, before they are called wrong."""

from __future__ import annotations

import pytest
from support import ROOT

from grader.lesson.lesson import Course
from grader.reference.problem import Draw
from grader.reference.runner import LocalStudent
from grader.verdict.judge.gradient import judge_step


@pytest.mark.parametrize(
    ("factor", "passes", "traced"), [(1.0, True, 1), (1 + 1e-3, False, 0)], ids=["in float32", "wrong in float32 too"]
)
def test_without_an_explanation_only_what_float32_may_excuse_is_traced(factor, passes, traced, monkeypatch):
    """The trace decides whether float32's tolerance counts. It must not be saved where it may turn a verdict."""
    problem = Course(ROOT, secrets=False).find("03").problem(Draw(), 0)
    right = problem.reference("hpreact")
    student = LocalStudent({"dhpreact": lambda: (factor * right).float().double()}, ["dhpreact"])
    calls = []
    run_traced = LocalStudent.run_traced
    monkeypatch.setattr(LocalStudent, "run_traced", lambda self, *given: calls.append(1) or run_traced(self, *given))
    assert judge_step(student, "dhpreact", [problem]).passed is passes
    assert len(calls) == traced
