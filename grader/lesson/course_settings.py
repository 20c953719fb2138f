"""What an instructor decides for a whole course: course.toml beside exercises/. Without the file, the defaults."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, cast, get_args

from grader.errors import LessonError
from grader.source.similar_names import close_name

NAME = "course.toml"

Shape = Literal["strict", "broadcast"]
NumericalDifferentiation = Literal["no points", "points"]


@dataclass(frozen=True)
class CourseSettings:
    """The keys of course.toml.

    shape: "strict" asks for a gradient with exactly the shape of its value; "broadcast" also accepts the right numbers
        in a shape that differs in axes of length one only. None, the default: strict for the functions of a stub,
        broadcast for a notebook or a script in the lecture's style.
    numerical_differentiation: whether gradients that were found by evaluating the forward pass many times, with complex
        numbers or with dual numbers earn points. They are recorded either way.
    """

    shape: Shape | None = None
    numerical_differentiation: NumericalDifferentiation = "no points"


CHOICES: dict[str, tuple[Any, ...]] = {
    "shape": get_args(Shape),
    "numerical_differentiation": get_args(NumericalDifferentiation),
}


def course_settings(course: Path) -> CourseSettings:
    """Reads `course`/course.toml. Raises LessonError, in one sentence, where the file is not as described above."""
    path = course / NAME
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return CourseSettings()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise LessonError(f"{path} cannot be read: {error}") from error
    for key, value in found.items():
        if key not in CHOICES:
            meant = close_name(key, CHOICES)
            hint = f"did you mean {meant!r}?" if meant else f"the keys are: {', '.join(CHOICES)}."
            raise LessonError(f"{path}: there is no setting {key!r}; {hint}")
        if value not in CHOICES[key]:
            allowed = " or ".join(f'"{choice}"' for choice in CHOICES[key])
            raise LessonError(f"{path}: {key} is {value!r}; expected {allowed}.")
    return CourseSettings(**cast(Any, found))


def text_of(settings: CourseSettings) -> str:
    """The settings as one line that changes whenever one of them does."""
    return ", ".join(f"{field.name}={getattr(settings, field.name)}" for field in fields(settings))
