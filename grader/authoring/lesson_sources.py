"""A lesson's own files as `grade verify` runs them: its right answers, its hidden suite, its steps."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from grader.lesson.course_modules import load_module
from grader.lesson.lesson import Lesson
from grader.lesson.mistakes import Mistake


def solution_text(lesson: Lesson) -> str:
    """The answer key: the text of solutions/NN_name/backward.py. Raises OSError."""
    return (lesson.solution / "backward.py").read_text(encoding="utf-8")


def variant_files(lesson: Lesson) -> list[Path]:
    """The files in solutions/NN_name/variants: right answers in other styles."""
    return sorted((lesson.solution / "variants").glob("*.py"))


def is_formula(lesson: Lesson, mistake: Mistake) -> bool:
    """Whether the mistake is a wrong function for one gradient, so that only that gradient's row fails."""
    return mistake.function is not None and mistake.gradient in steps_of(lesson)


def steps_of(lesson: Lesson) -> tuple[str, ...]:
    """The gradients that are written as one function each."""
    return () if lesson.joint else tuple(item.name for item in lesson.gradients)


def suite_of(lesson: Lesson) -> ModuleType:
    """The hidden test suite as a module. Raises LessonError when it does not run."""
    return load_module(lesson.suite, f"backprop_ninja_suite_{lesson.name}")


def right_files(lesson: Lesson) -> dict[str, ModuleType]:
    """{"solution" or a variant's name: the file as a module}. Raises LessonError when one does not run."""
    files = {
        path.stem: load_module(path, f"backprop_ninja_{lesson.name}_{path.stem}") for path in variant_files(lesson)
    }
    return {"solution": lesson.answers} | files
