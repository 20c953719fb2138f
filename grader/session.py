"""Grading one submission: hidden suites run by pytest in this trusted process, student code in workers."""

from __future__ import annotations

import difflib
import gc
import platform
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import torch

from grader.check import STATUS_OF, Row, chain_verdicts
from grader.checks import ProblemBook
from grader.lesson import Lesson
from grader.policy import check
from grader.sandbox.client import ZygoteProcess
from grader.sandbox.limits import Limits
from grader.sandbox.lockdown import plan_for
from grader.sandbox.probe import Isolation, probe
from grader.scores import number
from grader.student import Student
from grader.submission import MAIN, Handed, Submission
from grader.suite import run_suite

VERSION = 1
MAX_PRINTED = 4_000


@dataclass
class Graded:
    """`results` is results.json; for the report: `pictures` {lesson: {row: heat map}} and `printed` {lesson: text}."""

    results: dict[str, Any]
    pictures: dict[str, dict[str, Any]] = field(default_factory=dict)
    printed: dict[str, str] = field(default_factory=dict)


@cache
def environment() -> dict[str, str]:
    return {
        "torch": str(torch.__version__),
        "python": platform.python_version(),
        "cpu_capability": torch.backends.cpu.get_cpu_capability(),
        "platform": platform.platform(),
    }


class Session:
    """Lessons, a seed, and a zygote, kept warm for one submission after another."""

    def __init__(
        self,
        lessons: Sequence[Lesson],
        seed: int,
        limits: Limits | None = None,
        isolation: Isolation | None = None,
        hide: Sequence[Path] = (),
    ) -> None:
        """`isolation` is what a probe found (else one is made); `hide` are folders that workers must not see."""
        torch.set_num_threads(1)
        self.lessons, self.seed = tuple(lessons), seed
        self._limits = Limits() if limits is None else limits
        self.isolation = probe() if isolation is None else isolation
        secrets = {lesson.solution.parent.resolve() for lesson in self.lessons} | {path.resolve() for path in hide}
        self._zygote = ZygoteProcess(
            plan_for(self.isolation, self._limits, hide=sorted(p for p in secrets if p.is_dir()))
        )
        self._book = ProblemBook(seed)
        self._frozen = False

    def close(self) -> None:
        self._zygote.close()

    def grade(self, submission: Submission) -> Graded:
        """Grades every lesson. Raises GraderFault or ZygoteDied for reasons of ours, nothing for what students do."""
        self._zygote.wait_until_ready()  # loading torch is not this student's time
        started = time.monotonic()
        graded = Graded({})
        lessons = [self._lesson(lesson, submission, graded) for lesson in self.lessons]
        rejected = submission.message is not None
        graded.results = {
            "version": VERSION,
            "student": submission.student,
            "submission_sha256": submission.sha256,
            "score": number(sum(lesson["score"] for lesson in lessons)),
            "max_score": number(sum(lesson["max_score"] for lesson in lessons)),
            "status": "rejected" if rejected else "graded",
            "message": submission.message,
            "isolation": self.isolation.level,
            "isolation_missing": list(self.isolation.missing),
            "seed": self.seed,
            "seconds": round(time.monotonic() - started, 3),
            "environment": environment(),
            "lessons": lessons,
        }
        if not self._frozen:
            gc.collect()
            gc.freeze()  # pytest collects garbage twice a session: not torch's and ours each time
            self._frozen = True
        return graded

    def _lesson(self, lesson: Lesson, submission: Submission, graded: Graded) -> dict[str, Any]:
        started = time.monotonic()
        handed = submission.handed.get(lesson.name) or Handed(lesson.name, message=submission.message, rejected=True)
        status, message = "graded", None
        if handed.present:
            rows, message = self._judged(lesson, handed, graded)
        else:
            status, message = ("rejected" if handed.rejected else "missing"), handed.message
            rows = [
                Row(item.name, "missing", 0, item.points, expected_shape=lesson.expected_shape(item))
                for item in lesson.items
            ]
        return {
            "name": lesson.name,
            "score": number(sum(row.points for row in rows)),
            "max_score": number(lesson.max_score),
            "status": status,
            "message": message,
            "seconds": round(time.monotonic() - started, 3),
            "gradients": [clean(row.to_dict()) for row in rows],
        }

    def _judged(self, lesson: Lesson, handed: Handed, graded: Graded) -> tuple[list[Row], str | None]:
        steps = [item.name for item in lesson.gradients]
        neighbours = {name: source for name, source in handed.files.items() if name != MAIN}
        found = check(handed.files[MAIN], MAIN, lesson.functions, neighbours)
        findings = {finding.step: finding for finding in reversed(found)}
        student = Student(self._zygote, handed.files, MAIN, steps, findings, lesson.joint)
        try:
            failure = student.load_failure
            message = handed.message
            if failure is not None:
                place = f"{handed.shown}, line {failure.line}: " if failure.line else f"{handed.shown}: "
                message = place + failure.message
                status = STATUS_OF[failure.outcome]
                rows = [
                    Row(
                        item.name,
                        status,
                        0,
                        item.points,
                        expected_shape=lesson.expected_shape(item),
                        message=message,
                        line=failure.line,
                    )
                    for item in lesson.items
                ]
            else:
                rows, pictures = run_suite(lesson, student, self._book)
                graded.pictures[lesson.name] = pictures
                if lesson.gradients:
                    add_chain(lesson, student, rows)
                if student.note:
                    message = f"{handed.shown} stopped before its end; the functions above were graded. {student.note}"
                explain_missing(lesson, rows, student)
        finally:
            student.close()
        for row in rows:
            row.file = handed.shown
        if student.printed_bytes:
            graded.printed[lesson.name] = printed_text(student.printed, student.printed_bytes)
            if student.printed_bytes > self._limits.output_bytes:
                kept = (
                    f"It printed {student.printed_bytes:,} bytes; the first {self._limits.output_bytes:,} were kept, "
                    "the rest was dropped."
                )
                message = f"{message} {kept}" if message else kept
        return rows, message


def add_chain(lesson: Lesson, student: Student, rows: list[Row]) -> None:
    problem = lesson.public_chain
    targets = {item.name: item.target for item in lesson.gradients if item.target is not None}
    needs = {
        step: {"d" + above for above in problem.graph.above(target)} & targets.keys()
        for step, target in targets.items()
    }
    lines = {row.name: row.status == "passed" for row in rows}
    verdicts = chain_verdicts(problem, targets, student.chain(problem, needs), lines)
    for row in rows:
        if row.name in verdicts:
            row.chain, row.because_of = verdicts[row.name]


def explain_missing(lesson: Lesson, rows: list[Row], student: Student) -> None:
    """Says of a function that is not there what it may be called instead, or why the file ended before it."""
    for row in rows:
        if row.status == "missing" and row.message is None:
            name = lesson.item_for(row.name).function
            what = "class" if name[:1].isupper() and row.name != name else "function"
            if student.note:
                row.message = f"There is no {what} `{name}`: the file stopped before it. {student.note}"
                continue
            strangers = [f for f in student.functions if f not in lesson.functions]
            near = difflib.get_close_matches(name, strangers, n=1)
            guess = f"; did you mean `{near[0]}`? Rename it." if near else " in the file."
            row.message = f"There is no {what} `{name}`{guess}"


def printed_text(printed: bytes, total: int) -> str:
    text = printed[:MAX_PRINTED].decode("utf-8", errors="replace")
    return text + (f"\n... ({total:,} bytes in all)" if total > MAX_PRINTED else "")


def clean(value: Any) -> Any:
    """JSON has no infinities: they become null."""
    if isinstance(value, dict):
        return {key: clean(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [clean(entry) for entry in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    return value
