"""The lesson that a student means by the words of a command line."""

from __future__ import annotations

import contextlib
import difflib
import os
from pathlib import Path

from grader.errors import UserError
from grader.lesson.lesson import Course, Lesson, LessonError

MAX_LISTED = 8
"""Lessons that a sentence lists."""
IN_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
MAX_WORDS_QUOTED = 200
TRAILING_SIGNS = ".,;:"


def lesson_meant(course: Course, words: str) -> Lesson | None:
    """The only lesson with this number, name or part of a name; None where there is none. Raises UserError."""
    with contextlib.suppress(LessonError):
        return course.find(words)
    holding = [lesson for name, lesson in course.lessons.items() if len(words) > 2 and words.lower() in name]
    if len(holding) > 1 and not any(words == item.name for lesson in holding for item in lesson.items):
        names = " and ".join(lesson.name for lesson in holding)
        raise UserError(f"{words!r} is part of the names of {len(holding)} lessons: say {names}.")
    return holding[0] if len(holding) == 1 else None


def no_such_lesson(course: Course, words: str) -> UserError:
    """The error for words that name no lesson, with the nearest name or the list of lessons."""
    lessons = list(course.lessons.values())
    known = {lesson.name.partition("_")[2]: lesson.number for lesson in lessons}
    in_words = [each for each in known.values() if words.lower() in IN_WORDS[int(each) - 1 : int(each)]]
    near = in_words or difflib.get_close_matches(words, list(known), n=1)
    if len(lessons) > MAX_LISTED:
        meant = known.get(near[0], near[0]) if near else ""
        name_it = f"If you mean lesson {meant}, type its number" if meant else "Type its number"
        example = meant or lessons[0].number
        return UserError(
            f"There is no lesson {words!r}. {name_it}, as in `dojo check {example}`; `dojo` lists the lessons."
        )
    guess = f"; did you mean {near[0]}?" if near else "."
    names = ", ".join(f"{number} {name}" for name, number in known.items())
    return UserError(f"There is no lesson {words!r}{guess} The lessons are {names}.")


def named_lesson(course: Course, words: str) -> tuple[Lesson | None, str, str]:
    """(lesson or None, its name as typed, what follows a dot) of `03`, `03.dprobs` or a path in a lesson's folder.

    The end of a sentence that the words were copied from is left out. A text that is longer than any name is cut,
    because a sentence will quote it. Raises UserError where several lessons are meant.
    """
    words = words if len(words) <= MAX_WORDS_QUOTED else f"{words[:MAX_WORDS_QUOTED]}..."
    if os.sep in words or words in (os.curdir, os.pardir):
        folders = Path(os.path.abspath(words)).parts if os.path.exists(words) else ()
        inside = next((name for name in reversed(folders) if name in course.lessons), None)
        if inside is not None:
            return course.lessons[inside], inside, ""
        words = Path(words).name or words
    name, _, after = (words.rstrip(TRAILING_SIGNS) or words).partition(".")
    return lesson_meant(course, name), name, after


def suggestion(word: str, known: list[str]) -> str:
    near = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean {near[0]}?" if near else f"; there are: {', '.join(dict.fromkeys(known))}."
