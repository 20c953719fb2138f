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
from dataclasses import asdict, dataclass, field
from pathlib import Path

from grader.errors import GraderFault
from grader.gradebook.files import write_whole
from grader.gradebook.grading.session import Session
from grader.intake.submissions.submission import Submission, read_submission
from grader.lesson.lesson import Course, Lesson
from grader.publish.export.gradescope import Visibility, gradescope_json
from grader.publish.inert import inert
from grader.results import SubmissionResult
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.probe import Isolation, at_least, probe

SETTINGS = "settings.json"
TRIES = 2


@dataclass(frozen=True)
class AutograderSettings:
    """The options of `grade export gradescope`, as the archive holds them; `lessons` are full names."""

    lessons: list[str]
    require: str = "fair"
    timeout: float = 10.0
    shown: Visibility = field(default_factory=Visibility)

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> AutograderSettings:
        found = json.loads(text)
        return cls(**{**found, "shown": Visibility(**found["shown"])})


class Autograder:
    """`root` is /autograder; the course is in its source/."""

    def __init__(self, root: Path, zygote: socket.socket | None = None) -> None:
        """`zygote` is a socket that a nursery gave; else a zygote is started."""
        self._root, self._zygote = root, zygote
        self._settings = AutograderSettings.from_json((root / "source" / SETTINGS).read_text(encoding="utf-8"))
        course = Course(root / "source" / "course")
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
        submission = read_submission(self._root / "submission", self._student(), self._lessons)
        seconds = self._settings.timeout
        limits = Limits(import_seconds=seconds, step_seconds=seconds, total_seconds=6 * seconds)
        fault = ""
        for _ in range(TRIES):
            zygote, self._zygote = self._zygote, None
            try:
                return grade_once(self._lessons, submission, limits, isolation, self._root, zygote)
            except (GraderFault, OSError) as error:
                fault = f"{type(error).__name__}: {error}"
        raise GraderFault(fault)

    def run(self) -> None:
        """Raises GraderFault, OSError."""
        results = self.grade()
        place = self._root / "results"
        place.mkdir(exist_ok=True)
        write_whole(place / "results.json", gradescope_json(results, self._settings.shown))
        print(f"{results.student}: {results.score:g} of {results.max_score:g}; isolation {results.isolation}.")

    def _student(self) -> str:
        """The names of the submitters, from Gradescope's submission_metadata.json; a group has several."""
        try:
            found = json.loads((self._root / "submission_metadata.json").read_text(encoding="utf-8"))
            names = [str(user["name"]) for user in found["users"]]
        except (OSError, ValueError, KeyError, TypeError):
            names = []
        return " ".join(inert(", ".join(names)).split()) or "submission"


def grade_once(
    lessons: Sequence[Lesson],
    submission: Submission,
    limits: Limits,
    isolation: Isolation,
    root: Path,
    zygote: socket.socket | None = None,
) -> SubmissionResult:
    """Raises GraderFault."""
    hide = [root / "source", root / "submission", root / "results"]
    with closing(Session(lessons, secrets.randbits(32), limits, isolation, hide, zygote)) as session:
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
