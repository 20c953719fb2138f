"""A lesson found by its number or name."""

import pytest

from grader.errors import LessonError
from grader.lesson.lesson import Course


@pytest.mark.parametrize("reference", ["²", "③", "9" * 5_000, "-3", "3.0", " 3"])
def test_what_looks_like_a_number_is_no_lesson(course: Course, reference: str) -> None:
    """`"²".isdigit()` is true, and `int("²")` raises; so does `int` of 5,000 digits."""
    with pytest.raises(LessonError):
        course.find(reference)
