"""No worker is ever sent the true answer to a row that it has still to answer, and bench/sent.py would notice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from shared_nursery import forked_zygote
from support import sampled

from bench.sent import measure, run
from grader.lesson.lesson import Course, Lesson
from grader.reference.problem import Problem
from grader.sandbox.isolation import kernel
from grader.sandbox.isolation.lockdown import plan_for
from grader.sandbox.isolation.probe import probe
from grader.sandbox.workers import sending, step_scheduler
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.requests import PackedProblem, PackedUpstream, pack_problem

if not kernel.supported():
    pytest.skip("needs Linux on x86_64 or aarch64", allow_module_level=True)

COURSE = Course(Path(__file__).resolve().parents[3])


@pytest.fixture(scope="module")
def zygote() -> Iterator[ZygoteProcess]:
    process = forked_zygote(plan_for(probe()))
    yield process
    process.close()


QUICK = ["03_makemore_steps", "06_embedding_net", "07_training", "09_checkpointing"]
"""Each other lesson is sent as one of these is: steps, a joint function, a pass with checks, functions."""
OTHERS = [name for name in COURSE.lessons if name not in QUICK]


@pytest.mark.full
@sampled("names", [QUICK, pytest.param(OTHERS, marks=pytest.mark.slow)], keep=1)
def test_nothing_that_is_sent_is_an_answer(names: list[str]) -> None:
    lines: list[str] = []
    assert run([COURSE.lessons[name] for name in names], [11], lines.append) == []
    assert [line.split()[0] for line in lines[1:]] == names


def with_true_gradients(key: int, problem: Problem) -> PackedProblem:
    return pack_problem(key, problem.dtype, problem.values, problem.upstream, problem.groups)


@sampled("number", ["02", "06"], keep=1)
def test_true_gradients_sent_with_a_problem_are_noticed(
    number: str, zygote: ZygoteProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    lesson = COURSE.find(number)
    monkeypatch.setattr(step_scheduler, "pack_once", with_true_gradients)
    monkeypatch.setattr(sending, "pack_once", with_true_gradients)
    found = measure(lesson, zygote, 5).found
    question = [item.name for item in lesson.gradients if item.name not in ("dX", "dC", "dW", "db")]
    assert set(question) & {text.rpartition(" ")[2] for text in found}
    assert all("u:" in text for text in found)


@sampled("exact", [True, False], keep=1)
def test_gradients_disclosed_a_stage_too_early_are_noticed(
    zygote: ZygoteProcess, monkeypatch: pytest.MonkeyPatch, exact: bool
) -> None:
    own = sending.pack_upstream_once

    def a_stage_more(key: int, problem: Problem, steps: list[str], first: int, last: int) -> PackedUpstream:
        return own(key, problem, steps, first, last + 1)

    monkeypatch.setattr(step_scheduler, "pack_upstream_once", a_stage_more)
    assert measure(COURSE.find("02"), zygote, 6, exact).found


def test_stages_follow_the_graph(lesson: Lesson) -> None:
    """A step's stage comes after the stages of all rows that its true gradient is made of, and every step has one."""
    if not lesson.gradients or lesson.joint is not None:
        pytest.skip("no steps that are fed true upstream gradients")
    problem, steps = lesson.public, [item.name for item in lesson.gradients]
    disclosed: set[str] = set(problem.ends)
    answered: set[str] = set()
    for stage in sending.stages(0, problem, steps):
        disclosed |= {name[1:] for name in stage.upstream.known}
        assert disclosed.isdisjoint({step[1:] for step in steps} - answered)
        for step in stage.steps:
            assert set(problem.graph.consumers[step[1:]]) <= disclosed
        answered |= {step[1:] for step in stage.steps}
    assert answered == {step[1:] for step in steps}


@pytest.fixture(params=list(COURSE.lessons))
def lesson(request: pytest.FixtureRequest) -> Lesson:
    return COURSE.lessons[request.param]
