"""A question of each kind with its key, in a course of their own."""

from __future__ import annotations

from pathlib import Path

from grader.lesson.lesson import Lesson

PUBLIC = """
[count]
kind = "number"
text = "There are {n} rows of {k}. How many elements?"
draw = {n = "2..9", k = [10, 20]}
[size]
kind = "shape"
text = "x is ({n}, {k}). What is the shape of x.sum(0)?"
draw = {n = "2..9", k = [10, 20]}
[pick]
kind = "choice"
text = "Which one?"
choices = {left = "the left one", right = "the right one", top = "the top one"}
[several]
kind = "multiple"
text = "Which ones?"
points = 2
choices = {first = "one", fourth = "four", second = "two", third = "three"}
[sorted]
kind = "order"
text = "In which order?"
choices = {dinner = "dinner", lunch = "lunch", supper = "supper"}
[slope]
kind = "formula"
text = "The slope of tanh, from h and g?"
variables = {g = "-2..2", h = "-0.9..0.9"}
[line]
kind = "code"
text = "The gradient of a bias?"
given = {g = "n, k"}
[essay]
kind = "text"
text = "Why?"
"""
KEYS = """
[count]
key = "n * k"
otherwise = "Multiply."
model = "m"
[count.why]
"n + k" = "You added {n} and {k}."
[size]
key = "k,"
otherwise = "Which axis goes?"
model = "m"
[size.why]
"n," = "That axis was summed."
[pick]
key = "left"
model = "m"
[pick.why]
right = "Tempting, because it is right-handed."
top = "Tempting, because it is high."
[several]
key = ["first", "third"]
model = "m"
[several.why]
second = "Two is even."
fourth = "Four is even."
[sorted]
key = ["lunch", "dinner", "supper"]
otherwise = "Look at a clock."
model = "m"
[sorted.why]
"supper, dinner, lunch" = "That is backwards."
[slope]
key = "(1 - h**2) * g"
otherwise = "Look it up."
model = "m"
[slope.why]
"1 - h**2" = "The upstream gradient is missing."
[line]
key = "g.sum(0)"
otherwise = "Which axis?"
model = "m"
[line.why]
"g.mean(0)" = "You average."
[essay]
model = "m"
rubric = ["1/1: because"]
"""
PROOFS = "def count(n, k):\n    return len(range(n * k))\n"
LESSON_TOML = 'title = "Questions"\n[checks.only]\npoints = 1\n'


def course_with_questions(root: Path, public: str = PUBLIC, keys: str = KEYS, proofs: str = PROOFS) -> Lesson:
    """A lesson 01_asked with these questions."""
    for folder, files in {
        "exercises": {"lesson.toml": LESSON_TOML, "questions.toml": public},
        "solutions": {"questions.toml": keys, "questions.py": proofs},
    }.items():
        place = root / folder / "01_asked"
        place.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (place / name).write_text(text, encoding="utf-8")
    return Lesson(root, "01_asked")
