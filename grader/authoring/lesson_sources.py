"""A lesson's own files as `grade verify` runs them: its right answers, its hidden suite, its steps."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from grader.lesson.course_modules import load_module
from grader.lesson.lesson import Lesson
from grader.lesson.mistakes import Mistake


def variants(lesson: Lesson) -> list[Path]:
    return sorted((lesson.solution / "variants").glob("*.py"))


def is_formula(lesson: Lesson, mistake: Mistake) -> bool:
    """Whether a mistake is a wrong function in place of a gradient's, so that only that gradient's row fails."""
    return mistake.function is not None and mistake.gradient in steps_of(lesson)


def steps_of(lesson: Lesson) -> tuple[str, ...]:
    """Gradients that are functions of their own."""
    return () if lesson.joint else tuple(item.name for item in lesson.gradients)


def suite_of(lesson: Lesson) -> ModuleType:
    return load_module(lesson.suite, f"backprop_ninja_suite_{lesson.name}")


def right_files(lesson: Lesson) -> dict[str, ModuleType]:
    """{"solution" or a variant's name: the file as a module}."""
    files = {path.stem: load_module(path, f"backprop_ninja_{lesson.name}_{path.stem}") for path in variants(lesson)}
    return {"solution": lesson.answers} | files
