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
MAX_AUTOGRADER_TRIES = 2


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

    @classmethod
    def from_json(cls, text: str) -> AutograderSettings:
        return cls(**json.loads(text))


class Autograder:
    """`root` is /autograder; the course is in its source/."""

    def __init__(self, root: Path, zygote: socket.socket | None = None) -> None:
        """`zygote` is a socket that a nursery gave; else a zygote is started."""
        self._root, self._zygote = root, zygote
        self._settings = AutograderSettings.from_json((root / "source" / SETTINGS).read_text(encoding="utf-8"))
        course = Course(root / "source" / "course")
        self._assignment, text = None, self._settings.assignment
        if text:
            self._assignment = parse_assignment(text, root / "source" / ASSIGNMENT_FILE, list(course.lessons.values()))
            course = Course(course.root, changed=self._assignment.settings)
        self._lessons = [course.lessons[name] for name in self._settings.lessons]

    def isolation(self) -> Isolation:
        """Raises GraderFault where it is less than required."""
        found = probe()
        if not at_least(found.level, self._settings.require):
            raise GraderFault(
                f"this container isolates student code at level {found.level!r} only, and {self._settings.require!r} "
                f"is required. {' '.join(found.missing)} To accept it: grade export gradescope --require {found.level}"
            )
        return found

    def grade(self) -> SubmissionResult:
        """This project's results of the submission. Raises GraderFault."""
        isolation = self.isolation()
        known_as = [str(user[key]) for user in self._users() for key in ("name", "email", "id", "sid") if key in user]
        submission = read_submission(self._root / "submission", self._student(), self._lessons, known_as=known_as)
        seconds = self._settings.timeout
        limits = Limits(import_seconds=seconds, step_seconds=seconds, total_seconds=6 * seconds)
        fault = ""
        for _ in range(MAX_AUTOGRADER_TRIES):
            zygote, self._zygote = self._zygote, None
            try:
                results = grade_once(self._lessons, submission, limits, isolation, zygote)
                return results if self._assignment is None else self._assigned(self._assignment, results)
            except (GraderFault, OSError) as error:
                fault = f"{type(error).__name__}: {error}"
        raise GraderFault(fault)

    def run(self) -> None:
        """Raises GraderFault, OSError."""
        results = self.grade()
        place = self._root / "results"
        place.mkdir(exist_ok=True)
        text, _ = export_of(
            results, lambda each: gradescope_json(each, self._settings.visibility, self._settings.maximum)
        )
        write_whole(place / "results.json", text or "")
        score = f"{points_text(results.score)} of {points_text(results.max_score)}"
        print(f"{results.student}: {score}; isolation {results.isolation}.")

    def _assigned(self, assignment: Assignment, results: SubmissionResult) -> SubmissionResult:
        """The results with the assignment applied. A due date that Gradescope has extended is extended here."""
        now, metadata = datetime.now(UTC), self._metadata()
        general, *own = dates = [due_date(each) for each in (metadata, *self._users())]
        submitted, platform = time_in(metadata.get("created_at")), ""
        if submitted is not None and any(dates):
            platform = "late" if submitted >= max(end_of_due_time(date) for date in dates if date) else "on time"
        attempt = Attempt(1, results.student, submitted, now, results, platform=platform)
        extended = [(n, date) for n, date in enumerate(own, 1) if date and general and date > general]
        decisions = [Decision(n, results.student, "extension", "Gradescope", now, until=date) for n, date in extended]
        if assignment.late.free_days:  # they are spent over the whole term, which only its gradebooks know
            assignment = replace(assignment, late=LatePolicy(hard_deadline=assignment.late.hard_deadline))
        assignment = replace(assignment, defence={})  # only the gradebook knows who has defended a lesson
        return assigned(results.student, assignment, [attempt], decisions)

    def _metadata(self) -> dict[str, Any]:
        """Gradescope's submission_metadata.json; nothing where it cannot be read."""
        try:
            found = json.loads((self._root / "submission_metadata.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _users(self) -> list[dict[str, Any]]:
        """The submitters, as Gradescope describes them."""
        users = self._metadata().get("users")
        return [user for user in users if isinstance(user, dict)] if isinstance(users, list) else []

    def _student(self) -> str:
        """The names of the submitters; a group has several."""
        names = [str(user["name"]) for user in self._users() if "name" in user]
        return " ".join(inert(", ".join(names)).split()) or "submission"


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


def grade_once(
    lessons: Sequence[Lesson],
    submission: Submission,
    limits: Limits,
    isolation: Isolation,
    zygote: socket.socket | None = None,
) -> SubmissionResult:
    """Raises GraderFault."""
    with closing(Session(lessons, secrets.randbits(32), limits, isolation, zygote)) as session:
        return session.grade(submission).results


def main(arguments: Sequence[str], zygote: socket.socket | None = None) -> int:
    """`[--check] ROOT`; with --check only tells whether this container isolates enough."""
    root = Path(arguments[-1])
    try:
        autograder = Autograder(root, zygote)
        if "--check" in arguments:
            print(f"isolation {autograder.isolation().level}")
        else:
            autograder.run()
    except (GraderFault, OSError) as error:
        print(f"autograder: {error}")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
