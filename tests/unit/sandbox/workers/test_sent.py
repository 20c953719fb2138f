"""No worker is sent the true answer to a row of a hidden problem, or of the published one too early."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from shared_nursery import forked_zygote
from support import sampled

from bench.attacks.sent import measure, run
from grader.lesson.lesson import Course
from grader.sandbox.isolation import kernel
from grader.sandbox.isolation.lockdown import Plan
from grader.sandbox.isolation.probe import probe
from grader.sandbox.workers import student
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.student import Student, pack_once

if not kernel.supported():
    pytest.skip("needs Linux on x86_64 or aarch64", allow_module_level=True)

COURSE = Course(Path(__file__).resolve().parents[4])


@pytest.fixture(scope="module")
def zygote() -> Iterator[ZygoteProcess]:
    process = forked_zygote(Plan(probe().layers))
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


@pytest.mark.full
@sampled("number", ["02", "06"], keep=1)
def test_true_gradients_sent_with_a_problem_are_noticed(
    number: str, zygote: ZygoteProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    lesson = COURSE.find(number)
    monkeypatch.setattr(student, "pack_once", lambda problem, left_out=(): pack_once(problem))
    found = measure(lesson, zygote, 5).found
    question = [item.name for item in lesson.gradients if item.name not in ("dX", "dC", "dW", "db")]
    assert set(question) & {text.rpartition(" ")[2] for text in found}
    assert all("u:" in text for text in found)


def test_true_gradients_sent_before_the_chain_has_run_are_noticed(
    zygote: ZygoteProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Student, "discloses", lambda self, problem: False)
    assert measure(COURSE.find("02"), zygote, 6).found
