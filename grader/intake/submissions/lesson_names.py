"""Which lessons the names of folders and files mention: 03_makemore_steps, "Lesson 03", hw3_final_v2.py."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.lesson.lesson import Lesson

WORDS_BEFORE_A_NUMBER = "lesson|les|exercise|exercises|ex|homework|hw|assignment|assign|task|part|unit"
NUMBER_IN_A_NAME = re.compile(
    rf"(?:^|_)(?:(?:{WORDS_BEFORE_A_NUMBER})_?0*|backward_?0+|0)([1-9]\d?)(?=_|$)|^0*([1-9]\d?)(?=_|$)"
)
NUMBERED = re.compile(r"\d{1,2}(?:[_-]|$)")
OTHER_WORDS = ("backward", "solution", "copy", "final")


def words_of_text(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def is_named(folder: str, lesson: Lesson) -> int:
    """3 if a folder has the lesson's full name, in any case, 2 its name without the number, 1 its number, else 0."""
    number, _, rest = lesson.name.lower().partition("_")
    return {number: 1, rest: 2, lesson.name.lower(): 3}.get(folder.lower(), 0)


def names_lesson(stem: str, lesson: Lesson) -> bool:
    """Whether a file is named after the lesson: 03_makemore_steps, 03-makemore-steps, 03_makemore_steps_backward."""
    return words_of_text(stem).removesuffix("_backward").removeprefix("backward_") == lesson.name.lower()


def hinted_by(part: str, lessons: Sequence[Lesson]) -> set[str]:
    """The lessons that a folder's or file's name mentions: by name, else by number ("Lesson 03", "hw3_final_v2")."""
    plain = re.sub(r"(?<=[a-z])(?=\d)", "_", words_of_text(part))
    named = {lesson.name for lesson in lessons if f"_{lesson.name.partition('_')[2].lower()}_" in f"_{plain}_"}
    numbers = {int(one or other) for one, other in NUMBER_IN_A_NAME.findall(plain)}
    numbered = {lesson.name for lesson in lessons if lesson.number.isdigit() and int(lesson.number) in numbers}
    return (named & numbered) or named or numbered


def says_lesson(folder: str, lessons: Sequence[Lesson]) -> bool:
    """Whether a folder's name mentions one of the lessons, or has a number as a lesson of another course has."""
    return NUMBERED.match(folder) is not None or bool(hinted_by(folder, lessons))


def is_only_lesson(name: str, lessons: Sequence[Lesson]) -> bool:
    """Whether a name contains only the name of a lesson: "Lesson 03", "03_makemore_steps-20261120", not "hw3_ann"."""
    words, hinted = set(re.findall("[a-z]+", name.lower())), hinted_by(name, lessons)
    known = {*WORDS_BEFORE_A_NUMBER.split("|"), *OTHER_WORDS}
    return any(words <= known.union(words_of_text(each.name).split("_")) for each in lessons if each.name in hinted)
