"""The lesson and the row that a student means by a word of a command line."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from pathlib import Path

from grader.errors import UserError
from grader.lesson.lesson import Course, Lesson, LessonError

MAX_LISTED = 8
"""Lessons that a sentence lists."""
MAX_CHARACTERS_OF_TYPED_WORDS = 200
TRAILING_SIGNS = ".,;:"


def named_lesson(course: Course, words: str) -> tuple[Lesson | None, str, str]:
    """(lesson or None, its name as typed, what follows a dot) of `03`, `03.dprobs` or a path in a lesson's folder.

    A lesson is named by its number, its name or a part of that. The end of a sentence that the words were copied from
    is left out. A text that is longer than any name is cut, because a sentence will quote it. Raises UserError where
    several lessons are meant.
    """
    words = words if len(words) <= MAX_CHARACTERS_OF_TYPED_WORDS else f"{words[:MAX_CHARACTERS_OF_TYPED_WORDS]}..."
    if os.sep in words or words in (os.curdir, os.pardir):
        folders = Path(os.path.abspath(words)).parts if os.path.exists(words) else ()
        inside = next((name for name in reversed(folders) if name in course.lessons), None)
        if inside is not None:
            return course.lessons[inside], inside, ""
        words = Path(words).name or words
    name, _, after = (words.rstrip(TRAILING_SIGNS) or words).partition(".")
    try:
        return course.find(name), name, after
    except LessonError:
        holding = [lesson for each, lesson in course.lessons.items() if len(name) > 2 and name.lower() in each]
    if len(holding) > 1 and not any(name == item.name for lesson in holding for item in lesson.items):
        names = " and ".join(lesson.name for lesson in holding)
        raise UserError(f"{name!r} is part of the names of {len(holding)} lessons: say {names}.")
    return holding[0] if len(holding) == 1 else None, name, after


def lesson_and_rest(course: Course, words: str) -> tuple[Lesson, str]:
    """(the lesson, what follows a dot in `words`): a row or a question. Raises UserError."""
    lesson, name, after = named_lesson(course, words)
    if lesson is None:
        raise no_such_lesson(course, f"{name}.{after}" if after else name)
    return lesson, after


def only_lesson(course: Course, words: str) -> Lesson:
    """A lesson without a row. Raises UserError."""
    lesson, after = lesson_and_rest(course, words)
    if after:
        raise no_such_lesson(course, words)
    return lesson


def lesson_and_row(course: Course, words: str, preferred: Iterable[Lesson | None] = ()) -> tuple[Lesson, str | None]:
    """A lesson ("03"), a row of it ("03.dprobs"), or a row alone ("dprobs"). Raises UserError.

    A row alone is one of the first of the `preferred` lessons that has it; else only one lesson may have it.
    """
    lesson, name, after = named_lesson(course, words)
    if lesson is not None:
        names = [item.name for item in lesson.items]
        if after and after not in names:
            near = difflib.get_close_matches(after, names, n=1)
            instead = f"; did you mean {near[0]}?" if near else f"; there are: {', '.join(dict.fromkeys(names))}."
            raise UserError(f"Lesson {lesson.number} has no row {after!r}{instead}")
        return lesson, after or None
    holding = [each for each in course.lessons.values() if name in [item.name for item in each.items]]
    if after or name.isdigit() or not holding:
        names = [item.name for each in course.lessons.values() for item in each.items]
        near = [] if after or name.isdigit() else difflib.get_close_matches(name, names, n=1)
        if near:
            raise UserError(f"There is no lesson and no row {name!r}; did you mean {near[0]}?")
        raise no_such_lesson(course, name or words)
    first = next((each for each in preferred if each in holding), None)
    if first is None and len(holding) > 1:
        numbers = [each.number for each in holding]
        raise UserError(f"Lessons {', '.join(numbers)} all have a row {name}: say which, as in {numbers[0]}.{name}.")
    return first or holding[0], name


def no_such_lesson(course: Course, words: str) -> UserError:
    """The error for words that name no lesson, with the nearest name or the list of lessons."""
    known = {name.partition("_")[2]: lesson.number for name, lesson in course.lessons.items()}
    near = difflib.get_close_matches(words, list(known), n=1)
    guess = f"; did you mean {near[0]}?" if near else "."
    listed = f"The lessons are {', '.join(f'{number} {name}' for name, number in known.items())}."
    if len(known) > MAX_LISTED:
        number = known[near[0]] if near else next(iter(known.values()))
        listed = f"Type its number, as in `dojo check {number}`; `dojo` lists the lessons."
    return UserError(f"There is no lesson {words!r}{guess} {listed}")
