"""What a run tells its grader processes, what a result depends on, and whether a folder OUT belongs to the run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import grader
from grader.gradebook.assignment.config import Assignment
from grader.gradebook.database import Gradebook
from grader.gradebook.files import OutputError
from grader.intake.submissions.submission import Submission
from grader.lesson.config import settings_text
from grader.lesson.lesson import Course, Lesson
from grader.lesson.paths import TEMPLATES
from grader.results.typed_json import to_json

START_GRADER_CODE = """
import importlib, sys
importlib.import_module(sys.argv[1]).main(*sys.argv[2:])
"""
"""Its arguments: `Settings.program`, the settings, and the descriptor of a socket of a zygote, if there is one."""
DRAWN = "drawn"
ASSIGNMENT_FILE_ENTRY = "assignment file"
"""Name of the gradebook's entry with the path of the file that a run was given last."""


def package_digest() -> str:
    """Changes with any source file, schema or template of this package; the same installed and in a checkout."""
    total = hashlib.sha256()
    for root in (Path(grader.__file__).parent, TEMPLATES):
        for path in sorted(path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
            place = path.relative_to(root).as_posix()
            if not place.startswith("templates/"):  # an installed package has them inside: they are counted once
                total.update(place.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:12]


LIBRARIES = ("torch", "numpy")
"""Libraries whose version a result depends on; this package's is included too."""
LOADED = package_digest()
"""What this process runs, however long ago it was started."""


def digest_of(*parts: Any) -> str:
    """A digest of values that JSON can hold."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def fingerprint(lesson: Lesson) -> str:
    """Changes with every file of the lesson, and with the settings under which it is judged."""
    return digest_of(lesson.digest, settings_text(lesson.settings))


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

    def to_json(self) -> str:
        return json.dumps(self.__dict__)


@dataclass(frozen=True)
class Conditions:
    """Everything but the submission on which a result depends, as the gradebook stores it with an attempt.

    Attributes:
        lessons: {lesson: its fingerprint}.
        limits: of student code, as in Settings.
        seed: the one that `--seed` gave. None where it was drawn: any hidden problems are as good as others.
        left_out: lessons of the course that no submission of the run contained.
        grader: a digest of this package.
        libraries: those of a result, with their versions.
    """

    lessons: Mapping[str, str]
    limits: Mapping[str, float]
    seed: int | None
    left_out: tuple[str, ...]
    grader: str = LOADED
    libraries: tuple[str, ...] = ()

    @staticmethod
    def of(lessons: Sequence[Lesson], settings: Settings) -> Conditions:
        seed, libraries = settings.seed if settings.seed_given else None, (f"{n} {version(n)}" for n in LIBRARIES)
        fingerprints = {lesson.name: fingerprint(lesson) for lesson in lessons}
        return Conditions(fingerprints, settings.limits, seed, tuple(settings.left_out), libraries=tuple(libraries))

    @cached_property
    def digest(self) -> str:
        return digest_of(to_json(self))

    def key(self, submission: Submission) -> str:
        """The same key, the same result: a digest of these conditions, the submission's files and its messages."""
        messages = [
            [name, submitted.shown, submitted.message, submitted.rejected]
            for name, submitted in sorted(submission.lessons.items())
        ]
        return digest_of(self.digest, submission.sha256, submission.full_message, messages)


@dataclass(frozen=True)
class RunIdentity:
    """What OUT has one of: a course, an assignment, and a policy for seeds, DRAWN or the number that `--seed` gave.

    `assignment` was read from `assignment_file`, or from the gradebook where that is None.
    """

    course: Course
    seed: str
    assignment: Assignment | None = None
    assignment_file: Path | None = None

    @classmethod
    def of(cls, course: Course, settings: Settings, *assignment: Any) -> RunIdentity:
        """That of a run with these settings, and with an assignment and its file if there is one."""
        return cls(course, str(settings.seed) if settings.seed_given else DRAWN, *assignment)

    def entries(self, lessons: Sequence[Lesson]) -> dict[str, str]:
        """What the gradebook keeps: the folder of the course, the assignment's file, the seed, a digest per lesson."""
        found = {f"lesson {lesson.name}": lesson.digest for lesson in lessons}
        if self.assignment_file is not None:
            found[ASSIGNMENT_FILE_ENTRY] = str(self.assignment_file.resolve())
        return {"course": str(self.course.root.resolve()), "seed": self.seed, **found}

    def check(self, out: Path, gradebook: Gradebook) -> None:
        """Raise OutputError where OUT has the results of another course or assignment, or of other seeds."""
        about, here, stored = gradebook.about(), str(self.course.root.resolve()), gradebook.assignment()
        known = {name.removeprefix("lesson "): digest for name, digest in about.items() if name.startswith("lesson ")}
        own = {name: lesson.digest for name, lesson in self.course.lessons.items()}
        has_moved = bool(known) and known.items() <= own.items()  # every lesson is in this course, unchanged
        reason = ""
        if about.get("course", here) != here and not has_moved:
            reason = f"holds the results of another course, {about['course']}, and this run's course is {here}"
        elif stored is not None and self.assignment is not None and stored.title != self.assignment.title:
            reason = (
                f"is the gradebook of {stored.title!r}, and this run's assignment is {self.assignment.title!r}; each "
                "assignment has its own, and a file that was edited keeps its title"
            )
        elif (seed := about.get("seed", self.seed)) != self.seed:
            remedy = "leave out --seed" if seed == DRAWN else f"add --seed {seed}"
            reason = f"was graded with other hidden problems, so scores would not be comparable: {remedy}"
        if reason:
            raise OutputError(f"{out} {reason}. Nothing was written. Give another folder with -o.")
