"""Keys of results in the gradebook: a digest of everything on which a result depends. The same key, the same result."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path

import grader
from grader.gradebook.grading.settings import Settings
from grader.intake.submissions.submission import Submission
from grader.lesson.config import settings_text
from grader.lesson.lesson import Lesson
from grader.lesson.paths import TEMPLATES
from grader.results.typed_json import to_json


def package_digest() -> str:
    """Changes with any source file, schema or template of this package; the same installed and in a checkout."""
    total = hashlib.sha256()
    for root in (Path(grader.__file__).parent, TEMPLATES):
        for path in sorted(path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
            place = path.relative_to(root).as_posix()
            if not place.startswith("templates/"):  # an installed package has them inside: they are counted once
                total.update(place.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:12]


LOADED = package_digest()
"""What this process runs, however long ago it was started."""
LIBRARIES_OF_A_RESULT = ("torch", "numpy")
"""Libraries whose version a result depends on; this package's is included too."""


def sha256_of(*parts: str | bytes) -> str:
    total = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "big") + data)
    return total.hexdigest()


def fingerprint(lesson: Lesson) -> str:
    """Changes with every file of the lesson, and with the settings under which it is judged."""
    return sha256_of(lesson.digest, settings_text(lesson.settings))


@dataclass(frozen=True)
class Conditions:
    """Under which an attempt was graded, as the gradebook stores it.

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
        fingerprints = {lesson.name: fingerprint(lesson) for lesson in lessons}
        libraries = tuple(f"{name} {version(name)}" for name in LIBRARIES_OF_A_RESULT)
        return Conditions(
            fingerprints, settings.limits, settings.given_seed, tuple(settings.left_out), libraries=libraries
        )

    @cached_property
    def digest(self) -> str:
        return sha256_of(json.dumps(to_json(self), sort_keys=True))

    def key(self, submission: Submission) -> str:
        """The key of one submission's result: a digest of these conditions, its files and its messages."""
        messages = [
            [name, submitted.shown, submitted.message, submitted.rejected]
            for name, submitted in sorted(submission.lessons.items())
        ]
        return sha256_of(self.digest, submission.sha256, json.dumps([submission.full_message, messages]))
