"""What a run tells its grader processes, what a result depends on, and whether a folder OUT belongs to the run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import grader
from grader.gradebook.assignment.config import Assignment
from grader.gradebook.database import Gradebook
from grader.intake.submissions.submission import Submission
from grader.lesson.config import settings_text
from grader.lesson.lesson import Course, Lesson
from grader.lesson.paths import TEMPLATES
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.probe import Isolation, at_least
from grader.typed_json import from_json, to_json

GRADER_PROGRAM = "grader.gradebook.grading.server"
"""The module whose `main` a grader process runs; a nursery loads it for all. It contains no secret."""
START_GRADER_CODE = f"import sys; from {GRADER_PROGRAM} import main; main(*sys.argv[1:])"
"""Its arguments: the settings, and the descriptor of a socket of a zygote, if there is one."""
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
    seed_given: bool = False  # else it was drawn, and any other would have done as well
    limits: Limits = field(default_factory=Limits)
    require: str = "none"  # isolation: with less than this nothing is graded
    course_settings: dict[str, str] = field(default_factory=dict)  # in place of those in course.toml
    left_out: list[str] = field(default_factory=list)  # lessons of the course that no submission contains
    isolation: Isolation | None = None  # what the coordinator found on the same machine, else a grader probes

    def to_text(self) -> str:
        return json.dumps(to_json(self))

    @staticmethod
    def from_text(text: str) -> Settings:
        found: Settings = from_json(Settings, json.loads(text))
        return found


def weakness_of(isolation: Isolation, required: str) -> str:
    """What follows "this machine" where it isolates student code less than required, and what to do; else ""."""
    if at_least(isolation.level, required):
        return ""
    return (
        f"isolates student code at level {isolation.level!r} only, and {required!r} is required. "
        f"{' '.join(isolation.missing)} Grade on a machine that offers more (see docs/security.md), or accept less "
        f"with --require {isolation.level} if you trust the submissions."
    )


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
    limits: Limits
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


def seed_policy(settings: Settings) -> str:
    """DRAWN, or the number that `--seed` gave: what the gradebook keeps."""
    return str(settings.seed) if settings.seed_given else DRAWN


def run_entries(course: Course, lessons: Iterable[Lesson], seed: str, file: Path | None = None) -> dict[str, str]:
    """What the gradebook keeps of a run: the course's folder, the seed, a digest per lesson, the assignment's `file`.

    Without a file, that of an earlier run stays.
    """
    found = {"course": str(course.root.resolve()), "seed": seed}
    found |= {f"lesson {lesson.name}": lesson.digest for lesson in lessons}
    return found | ({} if file is None else {ASSIGNMENT_FILE_ENTRY: str(file.resolve())})


def other_results(gradebook: Gradebook, course: Course, seed: str, assignment: Assignment | None) -> str:
    """What a gradebook has of another course or assignment, or of other seeds than a run, and what to do; else ""."""
    about, stored, own = gradebook.about(), gradebook.assignment(), run_entries(course, course.lessons.values(), seed)
    known = {name: digest for name, digest in about.items() if name.startswith("lesson ")}
    has_moved = bool(known) and known.items() <= own.items()  # every lesson is in this course, unchanged
    if about.get("course", own["course"]) != own["course"] and not has_moved:
        return f"holds the results of another course, {about['course']}, and this run's course is {own['course']}"
    if stored is not None and assignment is not None and stored.title != assignment.title:
        return (
            f"is the gradebook of {stored.title!r}, and this run's assignment is {assignment.title!r}; each "
            "assignment has its own, and a file that was edited keeps its title"
        )
    if (kept := about.get("seed", seed)) != seed:
        remedy = "leave out --seed" if kept == DRAWN else f"add --seed {kept}"
        return f"was graded with other hidden problems, so scores would not be comparable: {remedy}"
    return ""
