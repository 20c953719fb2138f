"""What runs on Gradescope: grades /autograder/submission and writes /autograder/results/results.json.

A submission that cannot be read is a result. For a fault of the grader nothing is written, so that Gradescope reports a
failed autograder and counts no zero. The reason is on standard output, which instructors see.
"""

from __future__ import annotations

import json
import secrets
import socket
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from grader.errors import GraderFault
from grader.gradebook.assignment.attempts import end_of_due_time
from grader.gradebook.assignment.config import ASSIGNMENT_FILE, Assignment, LatePolicy, parse_assignment
from grader.gradebook.assignment.points import assigned
from grader.gradebook.files import write_whole
from grader.gradebook.grading.session import Session
from grader.gradebook.records import Attempt, Decision
from grader.intake.submissions.submission import Submission, read_submission
from grader.lesson.lesson import Course, Lesson
from grader.publish.export.formats import export_of, gradescope_json
from grader.publish.inert import inert
from grader.results import SubmissionResult, points_text
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.probe import Isolation, at_least, probe

SETTINGS = "settings.json"
AUTOGRADER_SCRIPTS = ("setup.sh", "run_autograder")


@dataclass(frozen=True)
class AutograderSettings:
    """The options of `grade export gradescope`, as the archive holds them.

    Attributes:
        lessons: full names.
        assignment: the text of the assignment file; "" without one.
        maximum: the points to which scores are scaled; None for the points as they are.
    """

    lessons: list[str]
    require: str = "fair"
    timeout: float = 10.0
    visibility: str = "visible"
    assignment: str = ""
    maximum: float | None = None

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1) + "\n"


class UploadMetadata:
    """Gradescope's submission_metadata.json: who submitted, and when. A file that cannot be read says nothing."""

    def __init__(self, path: Path) -> None:
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            found = None
        metadata = found if isinstance(found, dict) else {}
        users = metadata.get("users")
        self._users = [user for user in users if isinstance(user, dict)] if isinstance(users, list) else []
        self.submitted = time_in(metadata.get("created_at"))
        self.due = due_date(metadata)
        self.own_due_dates = [due_date(user) for user in self._users]

    @property
    def student(self) -> str:
        """The names of the submitters; a group has several."""
        names = [str(user["name"]) for user in self._users if "name" in user]
        return " ".join(inert(", ".join(names)).split()) or "submission"

    @property
    def known_as(self) -> list[str]:
        return [str(user[key]) for user in self._users for key in ("name", "email", "id", "sid") if key in user]


def due_date(entry: dict[str, Any]) -> datetime | None:
    """The due date of an entry of the metadata: of everybody, or of one student."""
    about = entry.get("assignment")
    return time_in(about.get("due_date")) if isinstance(about, dict) else None


def time_in(text: Any) -> datetime | None:
    """A time as Gradescope writes it, with a time zone; None for anything else."""
    try:
        found = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    return found if found.tzinfo is not None else None


def sufficient_isolation(require: str) -> Isolation:
    """Raises GraderFault where this container isolates less than required."""
    found = probe()
    if not at_least(found.level, require):
        raise GraderFault(
            f"this container isolates student code at level {found.level!r} only, and {require!r} is required. "
            f"{' '.join(found.missing)} To accept it: grade export gradescope --require {found.level}"
        )
    return found


def autograde(root: Path, settings: AutograderSettings, zygote: socket.socket | None) -> None:
    """Grade what is in `root`, which is /autograder, with the course in its source/. Raises GraderFault, OSError."""
    isolation, assignment = sufficient_isolation(settings.require), None
    course = Course(root / "source" / "course")
    if settings.assignment:
        file, lessons = root / "source" / ASSIGNMENT_FILE, list(course.lessons.values())
        assignment = parse_assignment(settings.assignment, file, lessons)
        course = Course(course.root, changed=assignment.settings)
    chosen = [course.lessons[name] for name in settings.lessons]
    metadata = UploadMetadata(root / "submission_metadata.json")
    submission = read_submission(root / "submission", metadata.student, chosen, known_as=metadata.known_as)
    seconds = settings.timeout
    limits = Limits(import_seconds=seconds, step_seconds=seconds, total_seconds=6 * seconds)
    results = grade_once(chosen, submission, limits, isolation, zygote)
    if assignment is not None:
        results = with_assignment_applied(results, assignment, metadata)
    text, _ = export_of(results, lambda each: gradescope_json(each, settings.visibility, settings.maximum))
    (root / "results").mkdir(exist_ok=True)
    write_whole(root / "results" / "results.json", text or "")
    score = f"{points_text(results.score)} of {points_text(results.max_score)}"
    print(f"{results.student}: {score}; isolation {results.isolation}.")


def grade_once(
    lessons: Sequence[Lesson],
    submission: Submission,
    limits: Limits,
    isolation: Isolation,
    zygote: socket.socket | None = None,
) -> SubmissionResult:
    """`zygote` is a socket that a nursery gave; else a zygote is started. Raises GraderFault."""
    with closing(Session(lessons, secrets.randbits(32), limits, isolation, zygote)) as session:
        return session.grade(submission).results


def with_assignment_applied(
    results: SubmissionResult, assignment: Assignment, metadata: UploadMetadata
) -> SubmissionResult:
    """The results under the assignment. A due date that Gradescope has extended is extended here."""
    now, platform, submitted, general = datetime.now(UTC), "", metadata.submitted, metadata.due
    dates = [end_of_due_time(date) for date in (general, *metadata.own_due_dates) if date]
    if submitted is not None and dates:
        platform = "late" if submitted >= max(dates) else "on time"
    attempt = Attempt(1, results.student, submitted, now, results, platform=platform)
    decisions = [
        Decision(number, results.student, "extension", "Gradescope", now, until=date)
        for number, date in enumerate(metadata.own_due_dates, 1)
        if date and general and date > general
    ]
    if assignment.late.free_days:  # they are spent over the whole term, which only its gradebooks know
        assignment = replace(assignment, late=LatePolicy(hard_deadline=assignment.late.hard_deadline))
    assignment = replace(assignment, defence={})  # only the gradebook knows who has defended a lesson
    return assigned(results.student, assignment, [attempt], decisions)


def main(arguments: Sequence[str], zygote: socket.socket | None = None) -> int:
    """`[--check] ROOT`; with --check only tells whether this container isolates enough."""
    root = Path(arguments[-1])
    try:
        settings = AutograderSettings(**json.loads((root / "source" / SETTINGS).read_text(encoding="utf-8")))
        if "--check" in arguments:
            print(f"isolation {sufficient_isolation(settings.require).level}")
        else:
            autograde(root, settings, zygote)
    except (GraderFault, OSError) as error:
        print(f"autograder: {error}")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
