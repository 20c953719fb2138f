"""`dojo check` and `grade run` give one file one verdict; what a forward.py says to be drawn is drawn for both.

Each gradient is judged twice, in this process: on the public problems, which are the same for everybody, and on the
hidden problems of each seed. Besides right files and known mistakes, every file of LEFT_TO_THE_DATA is judged: what it
gives depends on the data. `python -m pytest tests/e2e/test_one_verdict.py -m slow` takes every lesson.

Two kinds of rows are left out. A row that is not a gradient: a public example never claims to decide ("passed here").
And a gradient that is zero on every problem, as that of a bias before a batch norm: a mistake elsewhere leaves it zero
but for rounding, and how much rounding there is depends on the numbers drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import pytest
from support import sampled, solution_of
from wild_members import MEMBERS, submitted

from grader.authoring.lesson_sources import right_files
from grader.comparison.tensors import VANISHING
from grader.errors import LessonError
from grader.lesson.config import PublicSettings
from grader.lesson.course_modules import forward_of
from grader.lesson.lesson import Lesson
from grader.lesson.stub import steps_of
from grader.reference.problem import Draw, Problem
from grader.reference.runner import LocalStudent
from grader.verdict.judge.examples import PUBLIC_SEED
from grader.verdict.judge.gradient import judge_step
from grader.verdict.judge.line import judge_line
from grader.verdict.judge.problems import ProblemBook

LEFT_TO_THE_DATA = [submitted(member) for group, member in MEMBERS if group == "left_to_the_data"]


@dataclass(frozen=True)
class Difference:
    """A gradient whose status depends on who asks."""

    lesson: str
    file: str
    row: str
    public: str
    hidden: str
    seed: int


@dataclass(frozen=True)
class Candidate:
    """A file and its rows that are judged. `functions` are the file's, by name; a known mistake has only one."""

    name: str
    functions: Mapping[str, Any]
    rows: tuple[str, ...]


def is_zero(problems: Sequence[Problem], target: str) -> bool:
    """Whether the gradient with respect to `target` is zero but for rounding on every problem."""
    return all(problem.size(target) < VANISHING * problem.scale(target) for problem in problems)


def candidates(lesson: Lesson) -> Iterator[Candidate]:
    steps = tuple(item.name for item in lesson.gradients)
    for name, module in right_files(lesson).items():
        yield Candidate(name, vars(module), steps)
    for mistake in lesson.mistakes:
        if not mistake.old and mistake.gradient in steps_of(lesson):
            function = getattr(lesson.wrong(mistake), mistake.gradient)
            yield Candidate(mistake.name, {mistake.gradient: function}, (mistake.gradient,))
        elif lesson.joint is not None and mistake.gradient == lesson.joint.name:
            yield Candidate(f"{mistake.gradient}__{mistake.id}", vars(lesson.wrong(mistake)), steps)
    for number, file in enumerate(LEFT_TO_THE_DATA):
        if file.lesson == lesson.number and file.kind == "functions":
            module = ModuleType(f"left_to_the_data_{number}")
            exec(f"{solution_of(lesson)}\n\n{file.text}", vars(module))
            yield Candidate(module.__name__, vars(module), steps)


def statuses(lesson: Lesson, candidate: Candidate, problems: Sequence[Problem]) -> dict[str, str]:
    """{row: its status} on these problems."""
    if lesson.joint is None:
        found: dict[str, str] = {}
        for row in candidate.rows:
            cases = [(problem, LocalStudent(candidate.functions, [row]).answers(problem)[row]) for problem in problems]
            found[row] = judge_line(row[1:], cases).status
        return found
    student = LocalStudent(candidate.functions, [item.name for item in lesson.gradients], lesson.joint)
    return {row: judge_step(student, row, problems).status for row in candidate.rows}


def differences(lesson: Lesson, seeds: Sequence[int]) -> tuple[int, list[Difference]]:
    """(verdicts compared, those that differ)."""
    public = ProblemBook(PUBLIC_SEED).problems(lesson, lesson.public_draws)
    hidden = {seed: ProblemBook(seed).problems(lesson, lesson.draws) for seed in seeds}
    zero = {item.name for item in lesson.gradients if is_zero(public, item.name[1:])}
    compared, found = 0, []
    for candidate in candidates(lesson):
        at_home = statuses(lesson, candidate, public)
        for seed, problems in hidden.items():
            graded = statuses(lesson, candidate, problems)
            compared += len(graded.keys() - zero)
            found += [
                Difference(lesson.number, candidate.name, row, at_home[row], graded[row], seed)
                for row in candidate.rows
                if row not in zero and at_home[row] != graded[row]
            ]
    return compared, found


@sampled("number", ["02", "04"], keep=1)
def test_a_file_has_the_same_verdict_at_home_and_when_it_is_graded(course, number):
    compared, found = differences(course.find(number), [7])
    assert compared >= 12 and found == []


@pytest.mark.slow
def test_the_same_in_every_lesson(course):
    for lesson in course.lessons.values():
        if lesson.gradients:
            assert differences(lesson, [7, 8])[1] == [], lesson.name


def test_files_that_leave_a_width_to_the_data_are_among_them(course):
    names = [candidate.name for candidate in candidates(course.find("03"))]
    assert sum(name.startswith("left_to_the_data") for name in names) >= 2


def test_a_change_of_forward_py_is_drawn_for_the_public_and_by_the_hidden_suite(course):
    for number in ("01", "02", "03", "04", "06", "07"):
        lesson = course.find(number)
        for draws in (lesson.public_draws, lesson.draws):
            changes = [draw.change.__name__ for draw in draws if draw.change is not None]
            assert "without_the_last" in changes, lesson.name
        notes = [[draw.note for draw in draws if draw.note] for draws in (lesson.public_draws, lesson.draws)]
        assert notes[0] == notes[1], lesson.name


def test_the_last_class_never_occurs_where_forward_py_says_so(course):
    lesson = course.find("03")
    draw = next(d for d in lesson.public_draws if d.change is not None and not d.note)
    for seed in range(20):
        values = lesson.problem(draw, seed).values
        classes = values["logits"].shape[1]
        assert int(values["Yb"].max()) < classes - 1 and int(values["Xb"].max()) < classes - 1
        assert int(values["logits"].argmax(1).max()) < classes - 1


def test_a_change_that_forward_py_lacks_is_named(course):
    lesson = type(course.find("04"))(course.root, course.find("04").name)
    draw = {**lesson.config.public.draws[0], "change": "no_such"}
    lesson.config = replace(lesson.config, public=PublicSettings((draw,)))
    with pytest.raises(LessonError, match=r"forward\.py has no `no_such`"):
        _ = lesson.public_draws


def test_forward_of_finds_the_forward_pass_next_to_a_suite(course):
    lesson = course.find("04")
    assert isinstance(lesson.public_draws[0], Draw)
    assert forward_of(str(lesson.suite)).without_the_last.__doc__ == "The last class never occurs."
