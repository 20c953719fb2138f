"""Measured calls: memory and processor time by the kernel's account, and what a worker's own account is worth.

tests/corpus/hostile/measured has answers to lessons 09 and 19 that keep or compute too much where no count in their
process sees it, and engines for lesson 18. Each says its exact result: `# rows of NAME: STATUS` for rows that are not
passed. It is submitted with the answer key as right.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from support import CORPUS, GUARD_SECONDS, sampled

from bench.attacks.corpus import Attack, attack_of
from bench.members import members_of
from grader.calling.protocol import CallFailed, CallRequest
from grader.gradebook.grading.session import Session
from grader.intake.lesson_files import LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course, Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.sandbox.isolation import kernel
from grader.sandbox.isolation.limits import Limits, Usage
from grader.sandbox.isolation.probe import probe
from grader.sandbox.workers import remote_target
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.remote_target import RemoteTarget
from grader.sandbox.workers.student import Student

ATTACKS = [
    attack_of(each, path.stem)
    for path in sorted((CORPUS / "hostile" / "measured").glob("*.py"))
    for each in members_of(path)
]
HOLD = """
import numpy as np
import torch

print("loaded")


def hold(size):
    print("called")
    kept = np.ones(size)
    return torch.tensor(kept[:1])


def fail(size):
    raise ValueError("no")


def stay():
    import os, threading
    threading.Timer(0.5, lambda: os._exit(0)).start()  # guard: the answer is sent within a millisecond
    return 1
"""
NOTHING = """
import numpy as np
import torch


def hold(size): return torch.tensor(np.ones(8)[:1])
def fail(size): return size
def stay(): return 1
"""


@pytest.fixture
def student(zygote: ZygoteProcess) -> Iterator[Student]:
    student = Student(zygote, {BACKWARD_FILE: HOLD.encode()})
    yield student
    student.close()


# The account ---------------------------------------------------------------------------------------------------------


@pytest.mark.full
@pytest.mark.parametrize("megabytes", [8, 128])
def test_memory_is_what_the_call_held(student: Student, megabytes: int) -> None:
    measured = RemoteTarget(student).measured(megabytes, "hold", [megabytes << 17], NOTHING, None)
    assert megabytes - 1 <= measured.extra_bytes / (1 << 20) <= megabytes + 3
    assert measured.value == torch.ones(1)


def test_a_call_that_raises_says_so(student: Student) -> None:
    with pytest.raises(CallFailed, match="ValueError: no"):
        RemoteTarget(student).measured("fails", "fail", [1], NOTHING, None)


def test_a_measured_call_has_a_worker_of_its_own_and_nothing_is_printed_twice(student: Student) -> None:
    student.call(CallRequest("hold", [1]))
    student.call_measured("hold", [1])
    assert student.process is None
    assert student.output.data.decode().split("\n")[:-1] == ["backward.py: loaded", "hold: called", "hold: called"]


def test_a_worker_that_has_ended_by_itself_is_accounted_for(student: Student) -> None:
    """Else a submission could leave before anybody looks, and would have used nothing."""
    worker = Student(student.zygote, student.files)
    assert worker.load_failure is None
    process = worker.process
    assert process is not None
    called = worker.call(CallRequest("stay"))
    assert called.value == 1
    process.ending(GUARD_SECONDS)
    assert process.end_and_measure().resident_bytes > 0
    worker.close()


def fake(ratios: list[float], base: float = 1.0) -> Any:
    """A student whose calls take these multiples of the yardstick's time, one after another."""
    calls = iter(ratios)

    def measured(name: str, arguments: Any, memory: bool) -> tuple[object, Usage]:
        return 1, Usage(100, base * next(calls))

    return SimpleNamespace(
        measurements={}, zygote=SimpleNamespace(baselines={"key": Usage(60, base)}), call_measured=measured
    )


@pytest.mark.parametrize(
    ("ratios", "counts"), [([1.5, 9], 1.5), ([3, 1.2, 9], 1.2), ([3, 2.5, 2.8, 2.6, 2.7, 1], 2.5), ([4.1, 1], 4.1)]
)
def test_a_slow_call_is_measured_again(ratios: list[float], counts: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_target, "of_yardstick", lambda *_: Usage(60, 1.0))
    student = fake(ratios)
    for _ in range(2):  # once it is known, nothing is called again
        assert RemoteTarget(student).measured("key", "f", [], "", 2.0).cpu_ratio == counts
    assert RemoteTarget(fake([1.0])).measured("key", "f", [], "", None).extra_bytes == 40


# Lessons 09, 18 and 19 -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def session(course: Course) -> Iterator[Session]:
    if not kernel.supported() or probe().level == "none":
        pytest.skip("nothing locks hostile code in here")
    session = Session([course.find(number) for number in ("09", "18", "19")], seed=11, limits=Limits(step_seconds=4.0))
    yield session
    session.close()


@pytest.fixture
def same_processor_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every call takes as long as its yardstick: what is left are counts and memory, the same on every machine."""
    call_measured = Student.call_measured

    def in_a_second(*of: Any) -> tuple[object, Usage]:
        value, used = call_measured(*of)
        return value, used._replace(cpu_seconds=1.0)

    monkeypatch.setattr(Student, "call_measured", in_a_second)


def rows(session: Session, lesson: Lesson, text: bytes) -> dict[str, dict[str, Any]]:
    files = {BACKWARD_FILE: text, "right.py": (lesson.solution / BACKWARD_FILE).read_bytes()}
    graded = session.grade(Submission("s", Path("s"), {lesson.name: LessonFiles(lesson.name, files)}))
    return {
        row["name"]: row
        for found in graded.results.to_json()["lessons"]
        if found["name"] == lesson.name
        for row in found["gradients"]
    }


BY_TIME = {"from_the_input_in_a_thread", "again_uncounted", "future_in_a_thread"}
"""Only processor time gives these away, which is statistical: `make test-slow` measures it."""
QUICK = {"mask_in_numpy", "whole_rows"}
"""Of lesson 19, whose answers take five seconds: one of each class."""


def is_slow(attack: Attack) -> bool:
    return attack.name in BY_TIME or (attack.lesson == "19" and attack.name not in QUICK)


@pytest.mark.full
@sampled(
    "attack",
    [pytest.param(each, marks=[pytest.mark.slow] if is_slow(each) else []) for each in ATTACKS],
    keep=1,
    ids=[f"{each.group}/{each.name}" for each in ATTACKS],
)
def test_no_count_is_evaded(attack: Attack, session: Session, course: Course, request: pytest.FixtureRequest) -> None:
    if attack.name not in BY_TIME:
        request.getfixturevalue("same_processor_time")
    expected = {key.removeprefix("rows of "): status for key, status in attack.header.items() if key != "lesson"}
    assert bool(expected) != attack.what.startswith("Honest")
    found = rows(session, course.find(attack.lesson), attack.files[BACKWARD_FILE])
    assert {name: row["status"] for name, row in found.items() if row["status"] != "passed"} == expected


@pytest.mark.full
def test_right_answers_cost_little_more(
    session: Session, course: Course, same_processor_time: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five calls, each made once, and no yardstick again."""
    lesson, called = course.find("09"), list[str]()
    right = (lesson.solution / BACKWARD_FILE).read_bytes()
    rows(session, lesson, right)
    measured = Student.call_measured
    monkeypatch.setattr(Student, "call_measured", lambda *of: called.append("call") or measured(*of))
    assert all(row["status"] == "passed" for row in rows(session, lesson, right).values())
    assert called == ["call"] * 5
