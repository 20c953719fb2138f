"""Lessons of a course by their numbers and names."""

from __future__ import annotations

import pytest

from grader.errors import LessonError
from grader.lesson.lesson import Course


def test_a_lesson_by_its_number_or_name(course: Course) -> None:
    for reference in ["3", "03", "0003", "makemore_steps", "03_makemore_steps"]:
        assert course.find(reference).name == "03_makemore_steps"


def test_what_looks_like_a_number_is_no_lesson(course: Course) -> None:
    """`"²".isdigit()` is true, and `int("²")` raises; so does `int` of 5,000 digits."""
    for reference in ["²", "③", "9" * 5_000, "-3", "3.0", " 3"]:
        with pytest.raises(LessonError):
            course.find(reference)
