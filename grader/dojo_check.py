"""A student's own check: the engine's judging on public problems, without anything hidden.

The file runs in a worker, locked in as far as the machine offers it, so that what works here works when it is graded.
Hints of a graver kind stay away: known mistakes are the course's secret, here only what can be read off the graph of
the forward pass is named.
"""

from __future__ import annotations

import contextlib
from typing import Any

import torch

from grader.check import Row
from grader.checks import GradientCheck, ProblemBook
from grader.dojo_file import HIDDEN, Outline
from grader.lesson import Lesson
from grader.one_file import Judged, Suite, judge_file, printed_text
from grader.sandbox.client import ZygoteProcess
from grader.sandbox.limits import Limits
from grader.sandbox.lockdown import Plan, plan_for
from grader.sandbox.probe import Isolation, probe
from grader.sandbox.worker_process import WorkerProcess, ZygoteDied
from grader.student import Student
from grader.submission import MAIN, Handed

PUBLIC_SEED = 13
"""Everybody's public problems are the same; those of a hidden suite come from another seed in every run."""


class EagerZygote(ZygoteProcess):
    """A zygote with a worker forked and locked in before it is asked for, which saves its time after a save."""

    _spare: WorkerProcess | None = None

    def prepare(self) -> None:
        if self._spare is None:
            self._spare = super().worker()
            self._spare.wait_until_locked_in()

    def worker(self) -> WorkerProcess:
        spare, self._spare = self._spare, None
        return spare or super().worker()

    def close(self) -> None:
        if self._spare is not None:
            with contextlib.suppress(ZygoteDied):
                self._spare.close()
        super().close()


class LocalJudge:
    """A zygote and the public problems, kept warm for one check after another. Lessons come without their secrets."""

    def __init__(self, limits: Limits | None = None) -> None:
        torch.set_num_threads(1)  # the tensors are small: a second thread only waits
        self._limits = Limits() if limits is None else limits
        self.isolation: Isolation = probe()
        self._zygote = EagerZygote(plan_for(self.isolation, self._limits))
        self._book = ProblemBook(PUBLIC_SEED)

    def close(self) -> None:
        self._zygote.close()

    def prepare(self, lesson: Lesson) -> None:
        """Does beforehand what does not depend on a student's file. Raises ZygoteDied."""
        if lesson.gradients:
            self._book.problems(lesson, lesson.public_draws)
        self._zygote.prepare()

    def judge(self, lesson: Lesson, handed: Handed, interrupt: int | None = None) -> Judged:
        """Raises Interrupted once the descriptor `interrupt` is readable, ZygoteDied for a reason of ours."""
        heard: list[str] = []
        suite = self._suite(lesson, Outline(handed.files[MAIN]), heard)
        try:
            judged = judge_file(lesson, handed, self._zygote, suite, interrupt)
        except ZygoteDied:
            if not self.isolation.layers:
                raise
            self._trust()
            judged = judge_file(lesson, handed, self._zygote, suite, interrupt)
        if heard:
            judged.printed = heard[-1]
        return judged

    def _trust(self) -> None:
        """Goes on without isolation: it is the student's own machine and their own code."""
        with contextlib.suppress(ZygoteDied):
            self.close()
        self.isolation = Isolation("none", (), ("Workers could not be locked in.",))
        self._zygote = EagerZygote(Plan((), (), limits=self._limits))

    def _suite(self, lesson: Lesson, outline: Outline, heard: list[str]) -> Suite:
        def suite(student: Student) -> tuple[list[Row], dict[str, Any]]:
            if lesson.gradients:
                student.answers(lesson.public)
            # each step runs on several problems; what it prints on the published one is enough to read
            heard.append(printed_text(student.heard, len(student.heard)))
            rows, pictures = [], {}
            for item in lesson.items:
                if item.target is None:
                    status = HIDDEN if item.function in student.functions else "missing"
                    status = "todo" if outline.to_do(item) else status
                    rows.append(Row(item.name, status, 0, item.points, line=outline.line(item)))
                    continue
                gradient = GradientCheck(lesson, item, student, self._book)
                rows.append(gradient.row(lesson.public_draws))
                if gradient.picture is not None:
                    pictures[item.name] = gradient.picture
            return rows, pictures

        return suite


def statuses(judged: Judged) -> dict[str, str]:
    return {row.name: row.status for row in judged.rows}
