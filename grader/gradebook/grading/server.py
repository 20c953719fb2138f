"""A grader process: torch and pytest loaded once, one submission after another. Spoken to by `batch` over pipes.

in: a pickled Submission, as the coordinator read it
out: a line of JSON, {"within": seconds} when grading begins, and again when a busy machine makes it take longer; then a
line with {"results": {...}} or {"fault": "..."}

The coordinator and its graders are one program and trust each other; what a student wrote is bytes to both.
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from grader.errors import GraderFault, LessonError
from grader.gradebook.files import OutputError, write_files
from grader.gradebook.grading.graded import GradedSubmission, Publisher, sources_of
from grader.gradebook.grading.session import Session
from grader.gradebook.grading.settings import Settings
from grader.gradebook.guarded import guarded_pages, points_only
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course, Lesson
from grader.results import RESULTS_FILE
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.probe import Isolation, at_least, probe
from grader.sandbox.workers.work_clock import WALL_FACTOR

JUDGING_SECONDS = 60.0
"""How much longer than its workers a lesson may occupy a grader, for its verdicts, explanations and report: more than
twenty times what they take."""
FIRST_SECONDS = 60.0
"""The same for the first submission of a lesson, for which the hidden suite and the references are made."""


class Server:
    """Grades one submission after another, each with the pages that a publisher writes about it."""

    def __init__(
        self,
        settings: Settings,
        publisher: Callable[[Sequence[Lesson]], Publisher],
        zygote: socket.socket | None = None,
    ) -> None:
        course = Course(Path(settings.course), changed=settings.course_settings)
        self._lessons = [course.lessons[name] for name in settings.lessons]
        self._settings, self._out = settings, Path(settings.out)
        self._publisher = publisher(self._lessons)
        self._session = self._start(zygote)
        self._started_lessons: set[str] = set()  # lessons whose hidden suite has run in this session

    def _start(self, zygote: socket.socket | None = None) -> Session:
        settings = self._settings
        isolation = probe() if settings.isolation is None else Isolation.from_dict(settings.isolation)
        if not at_least(isolation.level, settings.require):
            raise SystemExit(f"grade: isolation is {isolation.level!r} here, and {settings.require!r} is required.")
        limits = Limits.from_dict(settings.limits)
        return Session(self._lessons, settings.seed, limits, isolation, zygote, settings.left_out)

    def grade(self, submission: Submission) -> tuple[GradedSubmission, str]:
        """Grades one submission and writes its folder in OUT. Raises GraderFault or OutputError.

        Gives the results, and why the report is plain, or "".
        """
        graded, plain = self._session.grade(submission), ""
        if self._settings.has_report(submission.student):
            plain = write_student(self._out / submission.student, graded, submission, self._publisher)
        return graded, plain

    def seconds_for(self, submission: Submission) -> float:
        """How long grading may take, with everything that is done in this process. The coordinator ends it then."""
        limits = Limits.from_dict(self._settings.limits)
        present = [lesson.name for lesson in self._lessons if submission.lessons.get(lesson.name)]
        unseen = set(present) - self._started_lessons
        self._started_lessons.update(present)
        # for the file's workers, and for its changed versions
        waits = WALL_FACTOR * (limits.import_seconds + 2 * limits.total_seconds)
        return max(1, len(present)) * (waits + JUDGING_SECONDS) + FIRST_SECONDS * len(unseen)

    def serve(self, requests: IO[bytes], replies: IO[str]) -> None:
        while True:
            try:
                submission = pickle.load(requests)
            except EOFError:
                break
            try:
                self._session.wait_until_ready()
                replies.write(json.dumps({"within": self.seconds_for(submission)}) + "\n")
                replies.flush()
                graded, plain = self.grade(submission)
                reply: dict[str, Any] = {"results": graded.results.to_json(), "extras": graded.extras, "plain": plain}
                with suppress(Exception):  # a lesson that cannot be drawn: only reports show that
                    reply["drawings"] = self._publisher.new_drawings(every=True)
            except OutputError as error:
                reply = {"unwritable": str(error)}
            except (GraderFault, LessonError, OSError) as error:
                reply = {"fault": f"{type(error).__name__}: {error}"}
                self._session.close()
                self._session, self._started_lessons = self._start(), set()
            replies.write(json.dumps(reply) + "\n")
            replies.flush()
        self._session.close()


def write_student(folder: Path, graded: GradedSubmission, submission: Submission, publisher: Publisher) -> str:
    """Write one student's files; gives why the report is plain, or "". Raises OutputError."""
    pages, plain = guarded_pages(
        points_only(graded.results), lambda: publisher.student_pages(graded, sources_of(submission))
    )
    write_files(folder, {RESULTS_FILE: graded.results.to_text(), **pages})
    return plain


def run_server(settings_as_json: str, publisher: Callable[[Sequence[Lesson]], Publisher], zygote: str = "") -> None:
    """Serves until standard input ends; see settings.PROGRAM for how it is started.

    `zygote` is the descriptor of a socket from a nursery, if there is one.
    """
    settings = Settings(**json.loads(settings_as_json))
    gc.set_threshold(100_000, 50, 100)  # a submission leaves few cycles behind, and looking for them takes its time
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever prints in here does not get between the lines of the protocol
    zygote_socket = socket.socket(fileno=int(zygote)) if zygote else None
    if zygote_socket is not None:
        zygote_socket.set_inheritable(False)
    Server(settings, publisher, zygote_socket).serve(sys.stdin.buffer, replies)
    os._exit(0)  # taking torch apart piece by piece would be half a second that the run waits for
