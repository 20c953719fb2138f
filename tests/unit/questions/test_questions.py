"""Questions: as they are posed, read, judged and explained."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_questions import KEYS, PUBLIC, course_with_questions
from support import ROOT

from grader.errors import LessonError, UserError
from grader.lesson.lesson import Course, Lesson
from grader.questions.answers_file import Answers, read_answers
from grader.questions.code_lines import trusted_results
from grader.questions.kinds import (
    NOT_ALL_RIGHT,
    WAITS,
    AnswerError,
    Judged,
    answer_text,
    course_answer,
    judge,
    read_answer,
)
from grader.questions.question import (
    QUESTION_KINDS,
    AnswerKey,
    Posed,
    Question,
    answer_keys_of,
    pose_question,
    questions_of,
    seed_of,
)


@pytest.fixture(scope="module")
def lesson(tmp_path_factory: pytest.TempPathFactory) -> Lesson:
    return course_with_questions(tmp_path_factory.mktemp("asked"))


def posed(lesson: Lesson, name: str, student: str = "ada") -> Posed:
    return pose_question(questions_of(lesson)[name], seed_of(lesson, student))


def verdict(lesson: Lesson, name: str, raw: Any) -> Judged:
    return judge(posed(lesson, name), answer_keys_of(lesson)[name], raw, trusted_results)


# Posing ----------------------------------------------------------------------------------------------------------


def test_values_are_the_same_everywhere_and_forever(lesson: Lesson) -> None:
    """These values were drawn on 22 November 2026. If they change, every answer that was submitted is wrong."""
    assert {name: posed(lesson, "count", name).values for name in ("ada", "grace", "linus")} == {
        "ada": {"n": 5, "k": 20},
        "grace": {"n": 5, "k": 10},
        "linus": {"n": 3, "k": 20},
    }
    assert list(posed(lesson, "several").choices) == ["fourth", "third", "first", "second"]
    assert posed(lesson, "count", "ADA ").values == posed(lesson, "count", "ada").values
    assert seed_of(lesson, "...") != seed_of(lesson, "---") != seed_of(lesson, "")
    assert posed(lesson, "count").text == "There are 5 rows of 20. How many elements?"


def is_drawn(question: Question, secret: AnswerKey) -> bool:
    """Whether the right answer is another one for other students: False where a drawn question's key is always 0."""
    if question.kind not in ("number", "shape") or not question.draw:
        return False
    drawn = (pose_question(question, f"student {number}") for number in range(20))
    return len({course_answer(each, secret.key) for each in drawn}) > 1


def test_the_documents_say_how_many_questions_have_the_same_answer_for_the_whole_class(course: Course) -> None:
    lessons = [(questions_of(lesson), answer_keys_of(lesson)) for lesson in course.lessons.values()]
    drawn = [name for questions, keys in lessons for name in questions if is_drawn(questions[name], keys[name])]
    count = sum(len(questions) for questions, _ in lessons)
    assert "row_sums" not in drawn and "zeros" in drawn  # a drawn question whose answer is always 0
    for path in ("README.md", "docs/authoring.md", "docs/student.md"):
        assert f"{len(drawn)} of {count} questions" in (ROOT / path).read_text(encoding="utf-8"), path


def test_the_course_s_seed_draws_anew(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text("question_seed = 7\n")
    other = course_with_questions(tmp_path)
    assert [posed(other, "count", each).text for each in "abcdef"] != [
        posed(Lesson(ROOT, "01_chain_rule"), "zeros", each).text for each in "abcdef"
    ]
    assert seed_of(other, "Ada") == "7/01_asked/ada"


# Reading ---------------------------------------------------------------------------------------------------------


def test_an_answer_is_read(lesson: Lesson) -> None:
    for name, raw, value in [
        ("count", "4 * 10", 40),
        ("count", 40, 40),
        ("count", "−0.5", -0.5),
        ("size", "(10,)", (10,)),
        ("size", "torch.Size([10])", (10,)),
        ("size", [4, 10], (4, 10)),
        ("size", "4 x 10", (4, 10)),
        ("size", "()", ()),
        ("pick", "left", "left"),
        ("pick", " (B) ", "left"),
        ("several", "a, c", {"first", "fourth"}),
        ("several", "ac", {"first", "fourth"}),
        ("several", ["first", "c"], {"first"}),
        ("sorted", "c b a", ("supper", "dinner", "lunch")),
        ("line", "g.sum(0)  # over the batch", "g.sum(0)"),
        ("essay", " because ", "because"),
    ]:
        found = read_answer(posed(lesson, name), raw)
        assert found == (frozenset(value) if isinstance(value, set) else value)


A_NUMBER = "a number such as 0.25 or 1/32, with a point and without units"


def test_an_answer_of_another_form_is_refused(lesson: Lesson) -> None:
    for name, raw, message in [
        ("count", "1,000", f"`1,000` is not a number; expected {A_NUMBER}."),
        ("count", True, f"`True` is not an answer; expected {A_NUMBER}."),
        ("count", " ", f"There is no answer; expected {A_NUMBER}."),
        ("size", "(4, 0.5)", "`(4, 0.5)` is not a shape; expected a shape such as (32, 1)."),
        ("pick", "lefft", "There is no choice `lefft`; did you mean 'left'?"),
        ("pick", "d", "There is no choice `d`; expected one of a, b, c."),
        ("pick", ["a"], "A list is not an answer here; expected one letter."),
        ("sorted", "a, b", "An order needs each of the 3 letters once; you gave 2 of them."),
        ("sorted", "a, b, b", "An order needs each of the 3 letters once; you gave one of them twice."),
        ("slope", "1 - z**2", "`1 - z**2` uses the name `z`; expected only g, h and numbers."),
        ("line", "db = g.sum(0)", "`db = g.sum(0)` is not a Python expression; leave out `name =` and `return`."),
        ("line", "g.sum(0)\nimport os", "The answer is not a single line."),
        ("line", "h.sum(0)", "`h.sum(0)` uses `h`; expected only g, torch, F and plain Python."),
    ]:
        assert verdict(lesson, name, raw) == Judged("error", 0, message)


ANYTHING = (
    st.text(max_size=40) | st.integers() | st.floats() | st.booleans() | st.lists(st.text(max_size=5), max_size=5)
)


@given(st.sampled_from(["count", "size", "pick", "several", "sorted", "slope", "line", "essay"]), ANYTHING)
def test_any_answer_is_read_or_refused(lesson: Lesson, name: str, raw: Any) -> None:
    each = posed(lesson, name)
    try:
        read_answer(each, raw)
    except AnswerError as error:
        assert "\n" not in str(error)
    assert isinstance(answer_text(each, raw), str)


# Judging ---------------------------------------------------------------------------------------------------------


def test_an_answer_is_judged(lesson: Lesson) -> None:
    for name, raw, expected in [
        ("count", "100", Judged("passed", 1)),
        ("count", "100.0000002", Judged("failed", 0, "Multiply.")),
        ("count", 25, Judged("failed", 0, "You added 5 and 20.")),
        ("size", "10", Judged("passed", 1)),
        ("size", "1, 10", Judged("failed", 0, "Which axis goes?")),
        ("size", "(2,)", Judged("failed", 0, "That axis was summed.")),
        ("pick", "left", Judged("passed", 1)),
        ("pick", "top", Judged("failed", 0, "Tempting, because it is high.")),
        ("several", ["first", "third"], Judged("passed", 1)),
        ("several", ["first"], Judged("failed", 0, NOT_ALL_RIGHT)),
        ("several", ["first", "second", "fourth"], Judged("failed", 0, NOT_ALL_RIGHT)),
        ("sorted", "lunch, dinner, supper", Judged("passed", 1)),
        ("sorted", "supper, dinner, lunch", Judged("failed", 0, "That is backwards.")),
        ("sorted", "supper, lunch, dinner", Judged("failed", 0, "Look at a clock.")),
        ("slope", "g - g*h*h", Judged("passed", 1)),
        ("slope", "(1+h)(1-h)g", Judged("error", 0, "`(1+h)(1-h)g` is not a formula: write every product with *.")),
        ("slope", "1 - h^2", Judged("failed", 0, "The upstream gradient is missing.")),
        ("slope", "g / (1 - 1)", Judged("failed", 0, "Look it up.")),
        ("slope", "(1 - h**2) * g + 1e-7", Judged("failed", 0, "Look it up.")),
        ("line", "torch.einsum('nk->k', g)", Judged("passed", 1)),
        ("line", "g.sum(0, keepdim=True)", Judged("failed", 0, "Which axis?")),
        ("line", "g.mean(0)", Judged("failed", 0, "You average.")),
        ("line", "g.sum(7)", None),
        ("line", "'text'", Judged("failed", 0, "Which axis?")),
        ("essay", "Because.", Judged("todo", 0, WAITS)),
    ]:
        found = verdict(lesson, name, raw)
        if expected is None:
            assert found.status == "error" and "IndexError" in (found.message or "")
        else:
            assert found == expected


def test_numbers_have_the_author_s_tolerance(tmp_path: Path) -> None:
    lesson = course_with_questions(tmp_path, keys=KEYS.replace('key = "n * k"', 'key = "n * k"\ntolerance = 0.5'))
    found = [verdict(lesson, "count", each).status for each in ("100.5", "99.5", "100.51")]
    assert found == ["passed", "passed", "failed"]


# The files -------------------------------------------------------------------------------------------------------

CHOICES = 'choices = {left = "the left one", right'


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[count]", "[count]\npoint = 2", "there is no setting 'point' in [count]; did you mean 'points'?"),
        ("[count]", "[count]\nkey = 'n'", "there is no setting 'key' in [count]; the keys are: kind, text, points,"),
        ("[count]", "[count]\npoints = 0", "[count] points is 0; expected a number above 0."),
        ("[count]", '[count]\nvariables = {x = "0..1"}', "[count]: variables is not for number."),
        ("[pick]", "[pikc]", "did you mean 'pikc'?"),
        (CHOICES, 'choices = {right = "the right one", left', "in alphabetical order."),
        ('kind = "choice"', 'kind = "chioce"', 'expected "number" or "shape"'),
        ('kind = "choice"', 'kind = "text"', "choices is not for text."),
        ('kind = "choice"\n', "", '[pick] kind is missing; expected "number" or'),
        ("{n} rows", "{m} rows", "its text has {m}, which is not drawn."),
        ('n = "2..9"', 'n = "2.."', "is not a formula"),
        ('n = "2..9"', "n = []", "[count] draw is {'n': [], 'k': [10, 20]}; expected ranges"),
        ("[10, 20]}\n[size]", '[10, 20]}\nwhere = "n > 9"\n[size]', "no draw in 1000 meets `n > 9`."),
    ],
)
def test_questions_that_cannot_be_asked(tmp_path: Path, old: str, new: str, message: str) -> None:
    lesson = course_with_questions(tmp_path, PUBLIC.replace(old, new, 1))
    with pytest.raises(LessonError) as error:
        answer_keys_of(lesson)
        posed(lesson, "count")
    assert message in str(error.value)


def test_a_slip_in_the_keys_is_a_sentence(tmp_path: Path) -> None:
    for slip, message in [
        ("kee = 1", "there is no setting 'kee' in [count]; did you mean 'key'?"),
        ("tolerance = -1", "[count] tolerance is -1; expected a number from 0 up."),
    ]:
        (tmp_path / slip).mkdir()
        lesson = course_with_questions(tmp_path / slip, keys=KEYS.replace("[count]", f"[count]\n{slip}"))
        with pytest.raises(LessonError) as error:
            answer_keys_of(lesson)
        assert message in str(error.value)


# answers.toml ----------------------------------------------------------------------------------------------------

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(TEXT, st.dictionaries(st.from_regex(r"[a-z][a-z0-9_]{0,9}", fullmatch=True), TEXT, max_size=4))
def test_what_is_written_is_read(student: str, given_: dict[str, str]) -> None:
    given_ = {name: answer for name, answer in given_.items() if name not in ("lesson", "student", "answers")}
    answers = Answers("01_asked", student, given_)
    assert read_answers(answers.to_text("01").encode()) == answers


@given(st.binary(max_size=60))
def test_any_file_is_read_or_refused(data: bytes) -> None:
    try:
        read_answers(data)
    except UserError as error:
        assert "\n" not in str(error)


def test_answers_outside_their_table_are_read_and_a_damaged_file_is_a_sentence() -> None:
    found = read_answers(b'lesson = 1\ncount = 40\n[answers]\n"q:pick" = "a"\n')
    assert found == Answers("1", "", {"count": 40, "pick": "a"})
    for data, message in [
        (b"count = forty", "cannot be read: Invalid value (at line 1, column 9). Put every answer in quotes."),
        (b"answers = 3", ": answers is int; expected a table."),
        (b"#" * 200_001, " has 200,001 bytes; expected at most 200,000."),
    ]:
        with pytest.raises(UserError) as error:
            read_answers(data)
        assert str(error.value).startswith("answers.toml") and str(error.value).endswith(message)


# This course -----------------------------------------------------------------------------------------------------


def test_every_lesson_asks_at_least_eight_questions_of_mixed_kinds() -> None:
    """`grade verify`, which tests/e2e/test_lessons.py runs, proves each of them."""
    by_lesson = {
        name: questions for name, lesson in Course(ROOT).lessons.items() if (questions := questions_of(lesson))
    }
    assert len(by_lesson) >= 11
    assert min(map(len, by_lesson.values())) >= 8
    assert min(len({each.kind for each in questions.values()}) for questions in by_lesson.values()) >= 4
    assert {each.kind for questions in by_lesson.values() for each in questions.values()} == set(QUESTION_KINDS)


def test_the_longest_choice_is_not_the_right_one_more_often_than_by_chance():
    """Of all questions with one right choice. Right answers tend to be explained at more length, and that shows."""
    longest = []
    for lesson in Course(ROOT).lessons.values():
        keys = answer_keys_of(lesson)
        for name, question in questions_of(lesson).items():
            if question.kind == "choice":
                lengths = {each: len(text) for each, text in question.choices.items()}
                longest.append(lengths[str(keys[name].key)] == max(lengths.values()))
    assert len(longest) > 50 and sum(longest) / len(longest) < 0.35
