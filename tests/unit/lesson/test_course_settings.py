"""course.toml: what an instructor decides, what is refused, and who follows it."""

from __future__ import annotations

import io
import shutil
import zipfile
from pathlib import Path

import pytest
from support import ROOT

from grader.authoring.release.kit import autograder_files, kit_of
from grader.errors import LessonError
from grader.gradebook.grading.cluster import pack_course
from grader.gradebook.grading.settings import Conditions, Settings
from grader.lesson.config import CourseSettings, course_settings
from grader.lesson.lesson import Course
from grader.publish.export.autograder import AutograderSettings

STRICT = 'shape = "strict"\n'


@pytest.fixture
def small_course(tmp_path: Path) -> Path:
    """A course of one lesson, with course.toml."""
    for part in ("exercises", "solutions"):
        shutil.copytree(ROOT / part / "04_cross_entropy", tmp_path / part / "04_cross_entropy")
    (tmp_path / "course.toml").write_text(STRICT, encoding="utf-8")
    return tmp_path


def test_a_file_is_read_and_a_slip_in_it_is_one_sentence(tmp_path):
    path = tmp_path / "course.toml"
    assert course_settings(tmp_path) == CourseSettings(shape=None, numerical_differentiation="no points")
    path.write_text('shape = "broadcast"\nnumerical_differentiation = "points"\n', encoding="utf-8")
    assert course_settings(tmp_path) == CourseSettings("broadcast", "points")
    for text, sentence in [
        ("xyz = 1", "there is no setting 'xyz'; the keys are: shape, numerical_differentiation, question_seed."),
        ('shape = "loose"', 'shape is \'loose\'; expected "strict" or "broadcast".'),
        ("shape = [[]]", 'shape is [[]]; expected "strict" or "broadcast".'),
    ]:
        path.write_text(text, encoding="utf-8")
        with pytest.raises(LessonError) as raised:
            course_settings(tmp_path)
        assert str(raised.value) == f"{path}: {sentence}"


def test_results_under_other_settings_are_graded_again(small_course):
    settings = Settings(str(small_course), ["04_cross_entropy"], 1, "out")
    before = Conditions.of(list(Course(small_course).lessons.values()), settings)
    (small_course / "course.toml").write_text('shape = "broadcast"\n', encoding="utf-8")
    assert Conditions.of(list(Course(small_course).lessons.values()), settings) != before
    (small_course / "course.toml").write_text("# the same\n" + STRICT, encoding="utf-8")
    assert Conditions.of(list(Course(small_course).lessons.values()), settings) == before


def test_who_grades_elsewhere_has_the_file(small_course):
    course = Course(small_course)
    assert kit_of(list(course.lessons.values()))["course.toml"] == STRICT.encode()
    wanted = AutograderSettings(["04_cross_entropy"])
    assert autograder_files(course, wanted)["course/course.toml"] == STRICT.encode()
    assert zipfile.ZipFile(io.BytesIO(pack_course(small_course))).read("course.toml") == STRICT.encode()
