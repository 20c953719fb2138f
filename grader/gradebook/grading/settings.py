"""What a run tells its grader processes, here or on other machines, and whether a folder OUT belongs to it.

OUT has one course, and one policy for seeds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.gradebook.assignment.config import Assignment
from grader.gradebook.database import Gradebook
from grader.gradebook.files import OutputError
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course, Lesson

START_GRADER_CODE = """
import importlib, sys
importlib.import_module(sys.argv[1]).main(*sys.argv[2:])
"""
"""Its arguments: `Settings.program`, the settings, and the descriptor of a socket of a zygote, if there is one."""


@dataclass(frozen=True)
class Settings:
    """What a grader process needs to know, as it travels on its command line."""

    course: str
    lessons: list[str]
    seed: int
    out: str
    program: str = field(kw_only=True)  # the module whose `main` a grader process runs; a nursery loads it for all
    seed_given: bool = False  # else it was drawn, and any other would have done as well
    limits: dict[str, Any] = field(default_factory=dict)
    require: str = "none"  # isolation: with less than this nothing is graded
    course_settings: dict[str, str] = field(default_factory=dict)  # in place of those in course.toml
    left_out: list[str] = field(default_factory=list)  # lessons of the course that no submission contains
    isolation: dict[str, Any] | None = None  # what the coordinator found on the same machine, else a grader probes

    @property
    def given_seed(self) -> int | None:
        return self.seed if self.seed_given else None

    def to_json(self) -> str:
        return json.dumps(self.__dict__)


DRAWN = "drawn"
ASSIGNMENT_FILE_ENTRY = "assignment file"
"""Name of the gradebook's entry with the path of the file that a run was given last."""


@dataclass(frozen=True)
class RunIdentity:
    """`seed` is DRAWN, or the number that `--seed` gave.

    `assignment` was read from `assignment_file`, or from the gradebook where that is None.
    """

    course: Course
    seed: str
    assignment: Assignment | None = None
    assignment_file: Path | None = None

    @classmethod
    def of(cls, course: Course, settings: Settings, *assignment: Any) -> RunIdentity:
        """That of a run with these settings, and with an assignment and its file if there is one."""
        return cls(course, DRAWN if settings.given_seed is None else str(settings.seed), *assignment)

    def entries(self, lessons: Sequence[Lesson]) -> dict[str, str]:
        """What the gradebook keeps: the folder of the course, the assignment's file, the seed, a digest per lesson."""
        found = {f"lesson {lesson.name}": lesson.digest for lesson in lessons}
        if self.assignment_file is not None:
            found[ASSIGNMENT_FILE_ENTRY] = str(self.assignment_file.resolve())
        return {"course": str(self.course.root.resolve()), "seed": self.seed, **found}

    def check(
        self, out: Path, gradebook: Gradebook, submissions: Sequence[Submission], lessons: Sequence[Lesson], fresh: bool
    ) -> None:
        """Raise OutputError where the results in OUT are another course's, or were drawn from other seeds.

        With `fresh`, a run that grades everything again may change the seed.
        """
        about = gradebook.about()
        here = str(self.course.root.resolve())
        if about.get("course", here) != here and not self._has_moved(about):
            raise OutputError(
                f"{out} holds the results of another course, {about['course']}, and this run's course is {here}. "
                "Nothing was written. Give another folder with -o."
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
