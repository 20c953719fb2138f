"""What an instructor decides for a whole course: course.toml next to exercises/. Without the file, the defaults."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

from grader.lesson.toml_tables import read_toml

COURSE_SETTINGS_FILE = "course.toml"

ShapeRule = Literal["strict", "broadcast"]
NumericalDifferentiation = Literal["no points", "points"]


@dataclass(frozen=True)
class CourseSettings:
    """The keys of course.toml.

    shape: "strict" asks for a gradient with exactly the shape of its value; "broadcast" also accepts the right numbers
        in a shape that differs in axes of length one only. None, the default: strict for the functions of a stub,
        broadcast for a notebook or a script in the lecture's style.
    numerical_differentiation: whether gradients that were found with difference quotients or complex numbers earn
        points. They are recorded either way.
    question_seed: of the values that are drawn for each student's questions. Change it from term to term.
    """

    shape: ShapeRule | None = None
    numerical_differentiation: NumericalDifferentiation = "no points"
    question_seed: int = 0


def course_settings(course: Path) -> CourseSettings:
    """Read `course`/course.toml. Raises LessonError, in one sentence, where the file is not as described above."""
    path = course / COURSE_SETTINGS_FILE
    if not path.exists():
        return CourseSettings()
    return read_toml(path, None).record(CourseSettings)


def settings_text(settings: CourseSettings) -> str:
    """The settings as one line that changes whenever one of them does."""
    return ", ".join(f"{field.name}={getattr(settings, field.name)}" for field in fields(settings))
