"""What a file in a worker answers: a fault falls on its step alone, and nothing is run twice."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from shared_nursery import forked_zygote
from support import sampled

from grader.calling.answer import Answer
from grader.calling.protocol import CallFailed, CallRequest, Function
from grader.lesson.lesson import Course, Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.reference.problem import Problem
from grader.sandbox.isolation import kernel
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.lockdown import Plan
from grader.sandbox.isolation.probe import probe
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.remote_target import RemoteTarget
from grader.sandbox.workers.student import Student
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
    process = forked_zygote(Plan(probe().layers, Limits(step_seconds=1.0)))
    yield process
    process.close()


@pytest.fixture
def run(zygote, problems):
    """run(middle): (answers on each problem, what was printed), with that line in the second step."""

    def run(middle: str) -> tuple[list[dict[str, Answer]], str]:
        student = Student(zygote, {BACKWARD_FILE: RIGHT.format(middle=middle).encode()}, STEPS)
        try:
            answers = [student.answers(problem) for problem in problems]
        finally:
            student.close()
        return answers, student.output.data.decode()

    return run


FAULTS = {
    "crash": ("from grader.sandbox.isolation.kernel import ctypes; ctypes.string_at(0)", "crashed"),
    "exit": ("import os; os._exit(3)", "crashed"),
    "loop": ("while True: pass", "timeout"),
    "error": ("1 / 0", "raised"),
    "noise_on_the_pipe": ("import os; os.write(4, b'x' * 100)", "crashed"),
}


@sampled(("middle", "outcome"), FAULTS.values(), keep=3, ids=FAULTS.keys())
def test_the_step_at_fault_is_found_and_nothing_runs_twice(run, problems, middle, outcome):
    answers, printed = run(middle)
    for each in answers:
        outcomes = {step: each[step].outcome for step in STEPS}
        assert outcomes == {"dlogits": "returned", "db2": outcome, "dW2": "returned", "dh_bn": "returned"}
    if "os.write" not in middle:  # else the steps after it have run by the time that it is noticed
        assert printed.count("last") == len(problems)
    assert printed.count("loaded") == 1  # though the file itself may have been run again, by a new worker


def test_a_fault_on_some_problems_leaves_the_answers_before_it(run, problems):
    answers, _ = run("import os; len(dlogits) != 5 or os._exit(3)")
    for problem, each in zip(problems, answers, strict=True):
        fails = len(problem.values["logits"]) == 5
        assert each["db2"].outcome == ("crashed" if fails else "returned") or "crashed" in each["db2"].outcome
        assert {each[step].outcome for step in STEPS if step != "db2"} == {"returned"}


@pytest.mark.full
def test_a_hang_costs_one_deadline_of_all_steps_and_one_of_its_own(zygote, problems, missed_deadlines):
    student = Student(zygote, {BACKWARD_FILE: RIGHT.format(middle=FAULTS["loop"][0]).encode()}, STEPS)
    try:
        for problem in problems:
            student.answers(problem)
    finally:
        student.close()
    assert len(missed_deadlines) == 2


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
    student = Student(zygote, {BACKWARD_FILE: source.format(middle=middle).encode()}, STEPS)
    try:
        before = student.call(CallRequest("dtype")).value
        for problem in (*problems, lesson.public):
            assert student.answers(problem)["db2"].outcome == "returned"
            assert student.call(CallRequest("dtype")).value == before
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
    student = Student(zygote, {BACKWARD_FILE: source.encode()})
    try:
        on = RemoteTarget(student)
        assert on.run_with(["Number", "second"], Function(sum_of), [1.0, 3.0]) == {"total": 7.0, "second": 3.0}
        with pytest.raises(CallFailed) as failed:
            on.run_with(["Number", "third"], Function(sum_of), [1.0])
        assert failed.value.answer.outcome == "missing"
    finally:
        student.close()


def test_what_runs_aside_changes_nothing_of_the_verdict(zygote, problems):
    """Changed functions are tried in the same worker, with time of their own, when all verdicts are known."""
    student, aside = Student(zygote, {BACKWARD_FILE: RIGHT.format(middle="pass").encode()}, STEPS), zygote.account(10.0)
    with closing(student):
        right, worker, used = student.answers(problems[0])["db2"].tensor, student.process, student.time.used
        with student.aside(aside):
            student.define("def triple(dlogits):\n    print('aside')\n    return 3 * db2(dlogits)\n")
            assert student.run_steps(problems[0], ["triple"])["triple"].tensor.equal(3 * right)
            student.define("def hangs(dlogits):\n    while True:\n        pass\n")
            assert student.process is worker
            assert student.run_steps(problems[0], ["hangs"])["hangs"].outcome == "timeout"
        assert student.time.used == used and aside.used > 0 and student.given_up == {}
        assert student.run_steps(problems[1], ["dW2"])["dW2"].tensor is not None  # in a new worker
    assert student.output.data == b"backward.py: loaded\ndh_bn: last\n"
