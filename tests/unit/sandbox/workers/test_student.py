"""Steps run in batches give what the same steps give run one by one, and a fault falls on the same step."""

from __future__ import annotations

import contextlib
import os
import struct
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from shared_nursery import forked_zygote
from support import GUARD_SECONDS, sampled

from grader.calling.answer import Answer
from grader.calling.protocol import CallFailed, CallRequest, Function
from grader.lesson.lesson import Course, Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.reference.problem import Problem
from grader.sandbox.isolation import kernel
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.probe import plan_for, probe
from grader.sandbox.workers import file_worker
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.endings import WorkerLost
from grader.sandbox.workers.file_worker import StudentFile
from grader.sandbox.workers.messages import pack_problem
from grader.sandbox.workers.printed import unmarked
from grader.sandbox.workers.remote_target import RemoteTarget
from grader.sandbox.workers.student import Student
from grader.sandbox.workers.work_clock import TimeAccount
from grader.sandbox.workers.worker_process import MAX_ANSWER_BYTES_HELD, WorkerProcess
from grader.verdict.judge.problems import ProblemBook

if not kernel.supported():
    pytest.skip("needs Linux on x86_64 or aarch64", allow_module_level=True)

STEPS = ["dlogits", "db2", "dW2", "dh_bn"]
RIGHT = """
print("loaded")


def dlogits(logits):
    return logits


def db2(dlogits):
    {middle}
    return dlogits.sum(0)


def dW2(h_bn, dlogits):
    return h_bn.T @ dlogits


def dh_bn(dlogits, W2):
    print("last")
    return dlogits @ W2.T
"""


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return Course(Path(__file__).resolve().parents[4]).find("02")


@pytest.fixture(scope="module")
def problems(lesson: Lesson) -> list[Problem]:
    return ProblemBook(3).problems(lesson, lesson.draws)[:3]


@pytest.fixture(scope="module")
def zygote() -> Iterator[ZygoteProcess]:
    process = forked_zygote(plan_for(probe(), Limits(step_seconds=1.0)))
    yield process
    process.close()


@pytest.fixture
def run(zygote, problems, monkeypatch):
    """run(middle, seconds): (answers on each problem, what was printed), with that line in the second step."""

    def run(middle: str, seconds: float = 5.0, prefetch: bool = True) -> tuple[list[dict[str, Answer]], str]:
        monkeypatch.setattr(file_worker, "BATCH_SECONDS", seconds)
        student = Student(
            zygote, StudentFile({BACKWARD_FILE: RIGHT.format(middle=middle).encode()}, BACKWARD_FILE, STEPS)
        )
        try:
            if prefetch:
                student.prefetch(problems)
            answers = [student.answers(problem) for problem in problems]
        finally:
            student.close()
        return answers, unmarked(student.output.data).decode()

    return run


def same(ours: list[dict[str, Answer]], theirs: list[dict[str, Answer]]) -> bool:
    for mine, other in zip(ours, theirs, strict=True):
        for step in STEPS:
            if (mine[step].outcome, mine[step].uses) != (other[step].outcome, other[step].uses):
                return False
            tensors = mine[step].tensor, other[step].tensor
            if tensors != (None, None) and not torch.equal(*tensors):  # type: ignore[arg-type]
                return False
    return True


FAULTS = {
    "none": "pass",
    "slow": "import time; time.sleep(0.05)",  # no race: 1/20 of a step's deadline, and as good as a batch's
    "crash": "from grader.sandbox.isolation.kernel import ctypes; ctypes.string_at(0)",
    "exit": "import os; os._exit(3)",
    "loop": "while True: pass",
    "error": "1 / 0",
    "on_some_problems": "import os; len(dlogits) != 5 or os._exit(3)",
    "noise_on_the_pipe": "import os; os.write(4, b'x' * 100)",
}
NO_BATCH = -1.0


@sampled("middle", FAULTS.values(), keep=1, ids=FAULTS.keys())
def test_batches_and_one_by_one_give_the_same(run, middle):
    one_by_one, _ = run(middle, NO_BATCH)
    for seconds, prefetch in ((5.0, True), (0.02, True), (0.02, False)):
        in_batches, _ = run(middle, seconds, prefetch)
        assert same(in_batches, one_by_one)


@sampled("fault", ["crash", "loop"], keep=1)
def test_the_step_at_fault_is_found(run, fault):
    answers, _ = run(FAULTS[fault])
    assert answers
    for each in answers:
        outcomes = {step: each[step].outcome for step in STEPS}
        blamed = "crashed" if fault == "crash" else "timeout"
        assert outcomes == {"dlogits": "returned", "db2": blamed, "dW2": "returned", "dh_bn": "returned"}


@sampled("seconds", [5.0, 0.02, NO_BATCH], keep=2)
def test_what_is_printed_is_kept_once(run, problems, seconds):
    _, printed = run(FAULTS["slow"], seconds)
    assert printed.count("last") == len(problems)
    assert printed.count("loaded") == 1  # though the file itself may have been run again, by a new worker


@pytest.mark.full
def test_a_hang_costs_its_deadline_and_little_more(zygote, problems, missed_deadlines):
    student = Student(
        zygote, StudentFile({BACKWARD_FILE: RIGHT.format(middle=FAULTS["loop"]).encode()}, BACKWARD_FILE, STEPS)
    )
    try:
        student.prefetch(problems)
        for problem in problems:
            student.answers(problem)
    finally:
        student.close()
    assert len(missed_deadlines) == 2  # its batch's, and its own


def test_a_worker_that_answers_without_end_while_it_is_asked_is_given_up():
    requests, answers, output = os.pipe(), os.pipe(), os.pipe()
    nobody = SimpleNamespace(
        limits=Limits(step_seconds=10.0),
        end_of=lambda _: 0,
        status_if_ended=lambda *_: None,
        account=lambda seconds: TimeAccount(seconds, lambda: None),
    )
    worker = WorkerProcess(nobody, 1, requests[1], answers[0], output[0])  # type: ignore[arg-type]
    flood = struct.pack("<4sIQ", b"BPN1", 2, 1 << 25) + bytes(1 << 20)

    def go_on() -> None:
        with contextlib.suppress(OSError):
            while True:
                os.write(answers[1], flood)

    flooding = threading.Thread(target=go_on, daemon=True)
    flooding.start()
    problem = pack_problem(torch.float64, {"x": torch.zeros(1 << 18, dtype=torch.float64)}, {})
    try:
        with pytest.raises(WorkerLost, match="without end"):
            worker.send(problem.frame, nobody.account(10.0))  # more than the pipe takes, and nobody reads it
        assert worker._reader.held < MAX_ANSWER_BYTES_HELD + (1 << 20)
    finally:
        worker.close()  # the next write fails
        flooding.join(timeout=GUARD_SECONDS)  # else it would go on writing to whatever gets this descriptor next
        for descriptor in (requests[0], answers[1], output[1]):
            os.close(descriptor)


@pytest.mark.skipif(sys.platform != "linux", reason="no other process's processor time can be read there")
def test_a_zygote_reads_what_its_workers_have_used_in_all(zygote):
    worker = zygote.worker()
    try:
        worker.wait_until_locked_in()
        first = zygote.processor_seconds()
    finally:
        worker.close()
    assert 0 < first <= zygote.processor_seconds()  # one that has ended counts, too


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_steps_leave_no_default_behind(zygote, problems, lesson, dtype):
    """They run with the problem's dtype as torch's default, also where they change it; nothing else does."""
    middle = f"import torch; torch.set_default_dtype(torch.{dtype})"
    source = RIGHT + "\n\ndef dtype():\n    import torch\n    return str(torch.get_default_dtype())\n"
    student = Student(zygote, StudentFile({BACKWARD_FILE: source.format(middle=middle).encode()}, BACKWARD_FILE, STEPS))
    try:
        before = student.call("dtype", CallRequest("dtype")).value
        for problem in (*problems, lesson.public):
            assert student.answers(problem)["db2"].outcome == "returned"
            assert student.call("dtype", CallRequest("dtype")).value == before
    finally:
        student.close()


def sum_of(Number, second, numbers):
    total = Number(numbers[0])
    for number in numbers[1:]:
        total = total + Number(number)
    return {"total": total.data, "second": second(numbers)}


def test_a_function_of_the_course_runs_with_the_student_s_classes(zygote):
    """Its source travels; the class and the function are the student's. A name that is missing is reported as such."""
    source = (
        "class Number:\n    def __init__(self, data):\n        self.data = data\n"
        "    def __add__(self, other):\n        return Number(self.data + 2 * other.data)\n\n\n"
        "def second(values):\n    return values[1]\n"
    )
    student = Student(zygote, StudentFile({BACKWARD_FILE: source.encode()}, BACKWARD_FILE))
    try:
        on = RemoteTarget(student)
        assert on.run_with(["Number", "second"], Function(sum_of), [1.0, 3.0]) == {"total": 7.0, "second": 3.0}
        with pytest.raises(CallFailed) as failed:
            on.run_with(["Number", "third"], Function(sum_of), [1.0])
        assert failed.value.answer.outcome == "missing"
    finally:
        student.close()
