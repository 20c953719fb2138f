"""Whether a folder OUT belongs to this run's course, and to its policy for seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.gradebook.assignment.config import Assignment
from grader.gradebook.database import Gradebook
from grader.gradebook.files import OutputError
from grader.gradebook.grading.settings import Settings
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course, Lesson

DRAWN = "drawn"


@dataclass(frozen=True)
class RunIdentity:
    """`seed` is DRAWN, or the number that `--seed` gave. `same_course` is the instructor's word for it."""

    course: Course
    seed: str
    same_course: bool = False
    assignment: Assignment | None = None

    @staticmethod
    def of(
        course: Course, settings: Settings, same_course: bool = False, assignment: Assignment | None = None
    ) -> RunIdentity:
        seed = str(settings.seed) if settings.seed_given else DRAWN
        return RunIdentity(course, seed, same_course, assignment)

    def entries(self, lessons: Sequence[Lesson]) -> dict[str, str]:
        """What the gradebook keeps: the course's folder, the seed, and a digest for each lesson of the run."""
        digests = {f"lesson {lesson.name}": lesson.digest for lesson in lessons}
        return {"course": str(self.course.root.resolve()), "seed": self.seed, **digests}

    def check(
        self, out: Path, gradebook: Gradebook, submissions: Sequence[Submission], lessons: Sequence[Lesson], fresh: bool
    ) -> None:
        """Raise OutputError where the results in OUT are another course's, or were drawn from other seeds.

        With `fresh`, a run that grades everything again may change the seed.
        """
        about = gradebook.about()
        here = str(self.course.root.resolve())
        if about.get("course", here) != here and not self.same_course and not self._has_moved(about):
            raise OutputError(
                f"{out} holds the results of another course, {about['course']}, and this run's course is {here}. "
                "Nothing was written. Give another folder with -o; if it is the same course in a new place, add "
                "--same-course."
            )
        stored = gradebook.assignment()
        if stored is not None and self.assignment is not None and stored.title != self.assignment.title:
            raise OutputError(
                f"{out} is the gradebook of {stored.title!r}, and this run's assignment is {self.assignment.title!r}. "
                "Nothing was written. Give another folder with -o: each assignment has its own. A file that was edited "
                "keeps its title."
            )
        seed = about.get("seed", self.seed)
        if seed != self.seed and not (fresh and regrades_everything(gradebook, submissions, lessons)):
            remedy = "Leave out --seed" if seed == DRAWN else f"Add --seed {seed}"
            raise OutputError(
                f"{out} was graded with {seed_policy(seed)}, and this run has {seed_policy(self.seed)}: scores would "
                f"not be comparable. Nothing was written. {remedy}, give another folder with -o, or grade "
                "everything in it again with --fresh."
            )

    def _has_moved(self, about: Mapping[str, str]) -> bool:
        """Whether every lesson that the gradebook knows is in this course, unchanged."""
        known = {name.removeprefix("lesson "): digest for name, digest in about.items() if name.startswith("lesson ")}
        lessons = self.course.lessons
        return bool(known) and all(name in lessons and lessons[name].digest == known[name] for name in known)


def seed_policy(seed: str) -> str:
    return "hidden problems that every run draws" if seed == DRAWN else f"--seed {seed}"


def regrades_everything(gradebook: Gradebook, submissions: Sequence[Submission], lessons: Sequence[Lesson]) -> bool:
    """Whether a run of these grades everything again that the gradebook has a current result for."""
    students, names = {submission.student for submission in submissions}, {lesson.name for lesson in lessons}
    return all(
        result.student in students and names.issuperset(lesson.name for lesson in result.lessons)
        for result in gradebook.current()
    )
