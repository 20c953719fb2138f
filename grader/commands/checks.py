"""The course and the assignment that a command uses, and how it grades. All raise UserError."""

from __future__ import annotations

import os
import secrets
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grader.commands.console import print_remarks
from grader.errors import UserError
from grader.gradebook.assignment.config import Assignment, parse_assignment, read_assignment
from grader.gradebook.database import GRADEBOOK
from grader.gradebook.grading.settings import Settings, weakness_of
from grader.lesson.lesson import Course, Lesson
from grader.lesson.paths import course_around, installed_course
from grader.sandbox.isolation.probe import Isolation, probe


def find_course(given: Path | None) -> Path:
    """The folder `given`, which is not read here, or the course that this package is a part of.

    Never the current folder unasked: it may be a student's, and a course's code runs next to the secrets.
    """
    if given is not None:
        return given
    installed, around = installed_course(), course_around()
    if around is not None and around.resolve() != installed:
        raise UserError(
            f"{around} has lessons of its own, and `grade` takes none from the folder that it is typed in. If it is "
            f"your course, add --course {shlex.quote(os.path.relpath(around))}; if a student wrote in it, name your "
            "course with --course."
        )
    if installed is None:
        raise UserError("no course found: name the folder that has exercises/ and solutions/ with --course.")
    return installed


def open_course(given: Path | None, names: Sequence[str] = ()) -> tuple[Course, list[Lesson]]:
    """(the course at `given` or that of this package, the lessons that `names` name, or all)."""
    course = Course(find_course(given))
    return course, named_lessons(course, names)


def named_lessons(course: Course, names: Sequence[str]) -> list[Lesson]:
    """The lessons that `names` name, or all."""
    return list(dict.fromkeys(map(course.find, names))) or list(course.lessons.values())


def require_solutions(lessons: Sequence[Lesson]) -> None:
    for lesson in lessons:
        if not lesson.solution.is_dir():
            raise UserError(
                f"{lesson.solution} is missing: grading needs the course's solutions/ with the hidden suites."
            )


def checked_isolation(require: str) -> Isolation:
    """This machine's isolation. Refuses to grade with less than required. Workers of a cluster check their own."""
    isolation = probe()
    if weakness := weakness_of(isolation, require):
        raise UserError(f"this machine {weakness}")
    if isolation.level in ("weak", "none"):
        print_remarks([f"warning: isolation is {isolation.level!r}. {' '.join(isolation.missing)}"])
    return isolation


def settings_for(
    course: Course, lessons: Sequence[str], seed: int | None, out: Path, require: str, **more: Any
) -> Settings:
    """What grader processes need to know; without a `seed`, a new one is drawn. `more` are fields of Settings."""
    return Settings(
        course=str(course.root.resolve()),
        lessons=list(lessons),
        seed=secrets.randbits(32) if seed is None else seed,
        out=str(out),
        seed_given=seed is not None,
        require=require,
        course_settings=course.changed,
        **more,
    )


def open_assignment(
    given: Path | None, names: Sequence[str], file: Path | None, counting: Assignment | None = None
) -> tuple[Course, list[Lesson], Assignment | None]:
    """(the course; the lessons that `names` name, or else the assignment's, or else all; the assignment in `file`, or
    else the `counting` one of a gradebook with the lessons as they are now). Raises UserError.

    The gradebook's assignment counts until `grade regrade --apply`: the course has its settings, and its lessons are
    graded as well.
    """
    course, named = open_course(given, names)
    every = list(course.lessons.values())
    if file is not None:
        assignment = read_assignment(file, every)
    elif counting is not None:
        assignment = parse_assignment(counting.text, Path(GRADEBOOK), every)
    else:
        return course, named, None
    counting = counting or assignment
    course = Course(course.root, changed=counting.settings)
    contained = [each for each in course.lessons.values() if each.name in {*assignment.rows, *counting.rows}]
    named = named_lessons(course, names) if names else contained
    if outside := [lesson.name for lesson in named if lesson not in contained]:
        held = ", ".join(lesson.name for lesson in contained)
        raise UserError(f"the assignment {assignment.title!r} does not contain {outside[0]}; it contains {held}.")
    return course, named, assignment
