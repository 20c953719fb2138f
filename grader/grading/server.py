"""A grader process: torch and pytest loaded once, one submission after another. Spoken to in JSON lines by `batch`.

in:  {"student": "ada", "path": "submissions/ada"}       out: {"results": {...}} or {"fault": "..."}
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.grading.session import Graded, Session
from grader.grading.suite import GraderFault
from grader.lesson import Course
from grader.report.pages import Reporter
from grader.sandbox.endings import ZygoteDied
from grader.sandbox.limits import Limits
from grader.sandbox.probe import at_least, probe
from grader.submissions.submission import Submission, read_submission


@dataclass(frozen=True)
class Settings:
    """What a grader process needs to know, as it travels on its command line."""

    course: str
    lessons: list[str]
    seed: int
    out: str
    limits: dict[str, Any] = field(default_factory=dict)
    require: str = "none"  # isolation: with less than this nothing is graded
    hide: list[str] = field(default_factory=list)  # folders that student code must not even see

    def to_json(self) -> str:
        return json.dumps(self.__dict__)


class Server:
    def __init__(self, settings: Settings) -> None:
        course = Course(Path(settings.course))
        self._lessons = [course.lessons[name] for name in settings.lessons]
        self._settings, self._out = settings, Path(settings.out)
        self._reporter = Reporter(self._lessons)
        self._session = self._start()

    def _start(self) -> Session:
        settings = self._settings
        isolation = probe()
        if not at_least(isolation.level, settings.require):  # each process probes for itself, and fails closed
            raise SystemExit(f"grade: isolation is {isolation.level!r} here, and {settings.require!r} is required.")
        hide = [Path(folder) for folder in settings.hide]
        return Session(self._lessons, settings.seed, Limits.from_dict(settings.limits), isolation, hide)

    def grade(self, student: str, path: Path) -> dict[str, Any]:
        """Grades one submission and writes its folder in OUT. Raises GraderFault or ZygoteDied."""
        submission = read_submission(path, student, self._lessons)
        graded = self._session.grade(submission)
        write_student(self._out / student, graded, submission, self._reporter)
        return graded.results

    def serve(self, requests: Any, replies: Any) -> None:
        for line in requests:
            job = json.loads(line)
            try:
                reply: dict[str, Any] = {"results": self.grade(job["student"], Path(job["path"]))}
            except (GraderFault, ZygoteDied, OSError) as error:
                reply = {"fault": f"{type(error).__name__}: {error}"}
                self._session.close()
                self._session = self._start()
            replies.write(json.dumps(reply) + "\n")
            replies.flush()
        self._session.close()


def write_student(folder: Path, graded: Graded, submission: Submission, reporter: Reporter) -> None:
    """results.json, report.html and report.md of one student; each file appears whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    sources = {
        name: handed.files["backward.py"].decode("utf-8", errors="replace")
        for name, handed in submission.handed.items()
        if handed.present
    }
    write_whole(folder / "results.json", json.dumps(graded.results, indent=1, ensure_ascii=False) + "\n")
    write_whole(folder / "report.html", reporter.student_page(graded, sources))
    write_whole(folder / "report.md", reporter.student_markdown(graded))


def write_whole(path: Path, text: str) -> None:
    """Writes beside and renames, so that a reader (or a killed run) never sees half a file."""
    beside = path.with_name(path.name + ".part")
    beside.write_text(text, encoding="utf-8", errors="replace")
    beside.replace(path)


def main(settings_as_json: str) -> None:
    """Serves until standard input ends; see batch.BOOTSTRAP for how it is started."""
    settings = Settings(**json.loads(settings_as_json))
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever prints in here does not get between the lines of the protocol
    Server(settings).serve(sys.stdin, replies)
