"""Answers that ignore what they are asked earn nothing: made up in this process, and as files through a worker.

Each member of tests/corpus/lazy names its lesson and the rows that it answers, which must be compared and fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from support import CORPUS, ROOT, SEED, rows_of, sampled

from bench.members import Member, members_of
from bench.no_points import checks
from grader.calling.shuffled import Shuffled
from grader.gradebook.grading.session import Session
from grader.intake.lesson_files import LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course, Lesson
from grader.reference.problem import derive

ANSWERS = list(members_of(CORPUS / "lazy" / "answers.py"))
LESSONS = Course(ROOT).lessons
SEEDS = [derive(SEED, number) for number in range(1)]


def with_checks() -> list[Any]:
    """The lessons that have checks. Lesson 15 trains for a minute with what lesson 07 exercises as well."""
    names = [name for name, lesson in LESSONS.items() if lesson.checks]
    return [pytest.param(name, marks=pytest.mark.slow) if name == "15_gpt" else name for name in names]


@sampled("name", with_checks(), keep=1)
@pytest.mark.parametrize("learned", [(1, 2), pytest.param((4, 16), marks=pytest.mark.slow)], ids=["few", "many"])
def test_no_check_row_can_be_earned_without_looking(
    name: str, learned: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each lazy answer has seen the answers to `learned` sets of questions; the second number is for functions."""
    monkeypatch.setattr(checks, "LEARNED", learned[0])
    monkeypatch.setattr(checks, "LEARNED_OF_FUNCTIONS", learned[1])
    scores = list(checks.check_rows(LESSONS[name], SEEDS))
    assert {score.row for score in scores} == {item.name for item in LESSONS[name].checks}
    assert [score for score in scores if score.score] == []


@pytest.mark.full
def test_a_row_in_a_fixed_order_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bench itself: without the shuffling, another run's answers in their order earn rows of lesson 08."""
    monkeypatch.setattr(Shuffled, "some", lambda self, least, most: least)
    monkeypatch.setattr(Shuffled, "answers", lambda self: {name: ask() for name, ask in self._questions.items()})
    monkeypatch.setattr(Shuffled.__init__, "__defaults__", (0.0,))  # nothing is asked twice
    rows = ("factors", "kinks", "numerical_gradient")
    scores = {score.row: score for score in checks.check_rows(LESSONS["08_gradient_check"], SEEDS[:1], only=rows)}
    assert scores["factors"].score == scores["kinks"].score == 1.0
    assert "in order" in scores["factors"].best or "number of the call" in scores["factors"].best
    assert scores["numerical_gradient"].score == 0.0


@pytest.fixture(scope="module")
def session_without_mistakes(warm_zygotes: None) -> Iterator[Callable[[str], Session]]:
    """session_without_mistakes(lesson): warm. No lazy answer has to be named: no known mistakes, no explanations."""

    def fail() -> None:
        raise RuntimeError("not explained")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("grader.verdict.explain.attempts.check_interrupt", fail)  # `attempt` gives None then
        yield cache(lambda name: Session([Lesson(ROOT, name, secrets=False)], SEED))


@sampled("lazy", ANSWERS, keep=1, ids=lambda lazy: lazy.name)
def test_a_lazy_answer_earns_nothing(lazy: Member, session_without_mistakes: Callable[[str], Session]) -> None:
    keys = dict(lazy.keys)
    lesson = next(lesson for lesson in LESSONS.values() if lesson.number == keys["lesson"])
    submitted = {lesson.name: LessonFiles(lesson.name, {"backward.py": lazy.text.encode()})}
    graded = session_without_mistakes(lesson.name).grade(Submission(lazy.name, Path(lazy.name), submitted))
    rows = rows_of(graded.results)
    assert graded.results.to_json()["score"] == 0
    answered = {name for name, row in rows.items() if row["status"] not in ("todo", "missing")}
    assert answered == set(keys["fails"].split(", "))
    assert {rows[name]["status"] for name in answered} <= {"failed", "shape"}


# The helper


def questions_in(seed: int) -> tuple[list[str], dict[str, str]]:
    questions, order = Shuffled(torch.Generator().manual_seed(seed)), list[str]()
    for name in "abcdefgh" * 2:

        def ask(name: str = name) -> str:
            order.append(name)
            return name

        questions.add(name, ask, lambda name=name: order.append(name.upper()) or name)
    return order, questions.answers()


def test_questions_come_in_an_order_that_the_generator_decides() -> None:
    (order, answers), (same, _), (other, _) = questions_in(1), questions_in(1), questions_in(2)
    assert order == same != other
    assert order != sorted(order)
    assert next(iter(answers)) == "a" and "a (2)" in answers  # the order of the answers is that of the suite
    assert all(answer == name[0] for name, answer in answers.items())


def test_some_questions_are_asked_again_in_other_words() -> None:
    orders = [questions_in(seed)[0] for seed in range(20)]
    again = [sum(name.isupper() for name in order) for order in orders]
    assert 2 < sum(again) / len(again) < 6  # a quarter of sixteen
    assert len({len(order) for order in orders}) > 2


def test_how_many_there_are_is_drawn() -> None:
    questions = Shuffled(torch.Generator().manual_seed(1))
    assert {questions.some(2, 4) for _ in range(50)} == {2, 3, 4}
