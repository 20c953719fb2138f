"""Defences generated from files of the course and from hostile ones; their keys computed again by another path."""

from __future__ import annotations

import ast
import contextlib
import copy
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy
import pytest
import torch
from shared_nursery import forked_zygote
from support import sampled, solution_of

from bench.defence import CourseFile, Tally, files_of, right_rows
from grader.defence import material, worker
from grader.defence.file_lines import read_plain_file
from grader.defence.generate import FAMILIES, Defence, generate
from grader.defence.line_questions import chosen_alike, what_happens
from grader.defence.versions import Variant, equal_versions, wrong_versions
from grader.defence.worker import Raised, are_equal, value_of, worker_file
from grader.dojo.check import LocalJudge
from grader.lesson.lesson import Course, Lesson
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.lockdown import Plan
from grader.sandbox.isolation.probe import probe
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.student import Student


@pytest.fixture(scope="module")
def zygote() -> Iterator[ZygoteProcess]:
    process = forked_zygote(Plan(probe().layers, Limits(step_seconds=2.0)))
    yield process
    process.close()


def made(zygote: ZygoteProcess, lesson: Lesson, text: str, right: list[str] | None = None, seed: str = "1") -> Defence:
    rows = [item.name for item in lesson.gradients] if right is None else right
    return generate(lesson, {"backward.py": text.encode()}, rows, zygote, seed)


@pytest.fixture(scope="module")
def judge() -> Iterator[LocalJudge]:
    made = LocalJudge()
    yield made
    made.close()


@pytest.mark.full
def test_every_key_holds_on_other_values_and_a_second_time(course: Course, judge: LocalJudge):
    """Defences of lessons of gradients and of checks, and of a file with a mistake: all families."""
    files = [
        CourseFile(each, "solution", solution_of(each)) for each in map(course.find, ("02", "03", "06", "09", "10"))
    ]
    lesson = course.find("03")
    mistake = lesson.mistakes[0]
    files.append(CourseFile(lesson, "mistake", mistake.applied_to(solution_of(lesson)), mistake.gradient))
    tally = Tally()
    for number, file in enumerate(files):
        tally.add(judge, file, f"3/{number}")
    assert tally.faults == [] and tally.counts[0] == 0
    assert set(tally.families) == set(FAMILIES)


@pytest.mark.full
def test_all_versions_of_a_file_share_one_limit(course: Course, zygote, monkeypatch):
    """Each of them once had a minute of its own: a file that took 50 s of it kept the class waiting for 190 s."""
    accounts, start = [], Student.__init__

    def counted(self: Student, *arguments: Any, **named: Any) -> None:
        start(self, *arguments, **named)
        accounts.append(self.time)

    monkeypatch.setattr(Student, "__init__", counted)
    lesson = course.find("10")
    made(zygote, lesson, solution_of(lesson), [item.name for item in lesson.checks])
    assert len(accounts) > 2 and len(set(map(id, accounts))) == 1


def test_versions_that_were_not_run_for_want_of_time_say_nothing(course: Course, zygote, monkeypatch):
    """An example that is not run does not hold: without its time, every version would turn every row red."""
    red_rows = material.Material.red_rows

    def late(self: material.Material, *arguments: Any) -> list[str] | None:
        self._student.time.seconds = 0.0
        return red_rows(self, *arguments)

    monkeypatch.setattr(material.Material, "red_rows", late)
    lesson = course.find("10")
    found = made(zygote, lesson, solution_of(lesson), [item.name for item in lesson.checks])
    assert "red_rows" not in [question.family for question in found.questions]


@pytest.mark.full
def test_the_same_seed_gives_the_same_questions_and_another_one_others(lesson: Lesson, zygote):
    one, again, other = (made(zygote, lesson, solution_of(lesson), seed=seed) for seed in ("1", "1", "2"))
    assert [q.text for q in one.questions] == [q.text for q in again.questions]
    assert [q.key for q in one.questions] == [q.key for q in again.questions]
    assert {q.text for q in one.questions}.isdisjoint(q.text for q in other.questions)
    assert len({q.family for q in one.questions}) == 5 and len(one.questions) == 6


@pytest.mark.full
def test_a_wrong_row_is_never_asked_about(lesson: Lesson, zygote):
    """Only db2 and dW2 are right: no question names another gradient than these and what they are given."""
    for seed in ("1", "2"):
        defence = made(zygote, lesson, solution_of(lesson), ["db2", "dW2"], seed)
        assert {q.row for q in defence.questions} <= {"db2", "dW2"} and len(defence.questions) >= 4
        text = " ".join([q.text + " ".join(q.choices.values()) for q in defence.questions])
        assert set(re.findall(r"`(d\w+)", text)) - {"dt"} <= {"db2", "dW2", "dlogits"}


def normal(node: ast.expr) -> str:
    """The text of an expression, with the two sides of + and * and of a comparison in order."""
    copied = copy.deepcopy(node)
    for each in ast.walk(copied):
        if isinstance(each, ast.BinOp) and isinstance(each.op, (ast.Add, ast.Mult)):
            each.left, each.right = sorted((each.left, each.right), key=ast.unparse)
    return ast.unparse(copied)


def expressions_in(text: str) -> set[str]:
    """Every expression in the code of a text: between backticks, or in a line that is indented."""
    found = set()
    for code in [*re.findall(r"`([^`]+)`", text), *re.findall(r"^ {4}(.+)$", text, re.MULTILINE)]:
        with contextlib.suppress(SyntaxError, ValueError):
            found |= {normal(each) for each in ast.walk(ast.parse(code.strip())) if isinstance(each, ast.expr)}
    return found


def revealed(file: CourseFile, judge: LocalJudge) -> tuple[int, list[str]]:
    """(questions, those that contain the right expression of a row that the file has wrong)."""
    lesson, right = file.lesson, right_rows(judge, file)
    wrong = {item.name for item in lesson.gradients} - set(right)
    if not right or not wrong:
        return 0, []
    read = read_plain_file(solution_of(lesson), [*wrong, *([lesson.joint.name] if lesson.joint else [])])
    of_wrong = [
        each for function in read.functions for each in function.lines if (each.function in wrong or each.name in wrong)
    ]
    own = {normal(n) for n in ast.walk(ast.parse(file.text)) if isinstance(n, ast.expr)}
    answers = {normal(ast.parse(line.code, mode="eval").body) for line in of_wrong} - own
    questions = made(judge.zygote, lesson, file.text, right).questions
    found = []
    for question in questions:
        words = "\n".join([question.text, *question.choices.values(), *question.why.values(), question.model])
        if answers & expressions_in(f"{words}\n`{question.key_text}`"):
            found.append(f"{file.lesson.name} {file.name}: {question.text}")
    return len(questions), found


def some_mutants(course: Course, count: int) -> list[CourseFile]:
    every = [each for each in files_of(list(course.lessons.values())) if each.lesson.gradients]
    random.Random(3).shuffle(every)
    return [each for each in every if not each.name.startswith(("solution", "variants"))][:count]


@sampled("count", [8, pytest.param(300, marks=pytest.mark.slow)], keep=0)
def test_no_text_of_a_defence_has_the_answer_to_a_wrong_row(course: Course, judge: LocalJudge, count: int):
    """Of files with one known mistake: neither texts nor choices, keys and explanations."""
    found = [revealed(file, judge) for file in some_mutants(course, count)]
    assert sum(count for count, _ in found) > 1.5 * count
    assert [each for _, several in found for each in several] == []


@pytest.mark.full
def test_four_lines_cannot_be_told_apart_by_length():
    """Right lines of many lengths, and wrong ones that are shorter on the average: no place by length stands out."""
    rights = [Variant("", "a * b" + " + 0 * a" * n) for n in range(1, 9)]
    wrongs = [Variant("", "a - b" + " + 0 * a" * n) for n in (0, 0, 1, 1, 2, 2, 3, 5, 7, 9)]
    places = Counter[int]()
    for seed in range(40):
        three, wrong = chosen_alike(rights, wrongs, random.Random(seed))
        places[sum(len(each.code) < len(wrong.code) for each in three)] += 1
    assert max(places.values()) <= 20 and len(places) > 2, places


@pytest.mark.full
def test_a_number_by_hand_is_not_asked_at_a_tie(course: Course, zygote):
    """Of two equal largest numbers autograd chooses one: no key about either."""
    lesson = course.find("01")
    sheets = [made(zygote, lesson, solution_of(lesson), ["drating"], str(seed)) for seed in range(12)]
    claims = [each.claim for sheet in sheets for each in sheet.questions if each.family == "by_hand"]
    assert claims
    for claim in claims:
        row, place = claim["index"]
        values = claim["fixed"]["rating"][row]
        assert (values == values.max()).sum() == 1 or values[place] < values.max()


@pytest.mark.full
def test_a_students_code_runs_in_the_worker_only(course: Course, zygote):
    """The file marks the process that it runs in, and one line exits: neither reaches this process."""
    lesson = course.find("02")
    text = solution_of(lesson) + "\nimport sys\nsys.modules['marked_by_student'] = sys\n"
    assert made(zygote, lesson, text).questions
    assert "marked_by_student" not in sys.modules
    text = "def zip(*a): return 3\ndef globals(): return {}\n" + solution_of(lesson)
    honest = made(zygote, lesson, solution_of(lesson), ["dh_bn"]).questions
    assert [each.key for each in made(zygote, lesson, text, ["dh_bn"]).questions] == [each.key for each in honest] != []
    text = solution_of(lesson).replace("return dlogits @ W2.T", "return exit(3) @ W2.T")
    assert len(made(zygote, lesson, text, ["dh_bn"]).questions) < 6


def test_where_a_defence_is_impossible_it_says_why(course: Course, zygote):
    for number, text, right, reason in [
        ("08", "x = 1\n", [], "Nothing of lesson 08 is right yet"),
        ("08", "x = 1\n", ["relative_error"], "Ask about the file in person."),
        ("03", "def db2(dlogits): return dlogits.sum(0)\n", [], "Nothing of lesson 03 is right yet"),
        ("03", "def db2(:\n", ["db2"], "Oral defence: on paper"),
        ("03", "def db2(dlogits):\n    return sum(row for row in dlogits)\n", ["db2"], "Oral defence: on paper"),
    ]:
        defence = made(zygote, course.find(number), text, right)
        assert defence.questions == () and reason in defence.reason
    lesson = course.find("18")  # a class can reach whatever computes a key
    defence = made(zygote, lesson, solution_of(lesson), [item.name for item in lesson.checks])
    assert defence.questions == () and defence.is_oral and defence.reason.startswith("Oral defence: ")


def test_a_byte_order_mark_hides_nothing(course: Course, zygote):
    """Windows' editors write it."""
    lesson = course.find("04")
    plain, marked = (made(zygote, lesson, mark + solution_of(lesson)) for mark in ("", "\ufeff"))
    assert plain.questions and marked.questions == plain.questions


def test_lines_are_read_as_a_question_shows_them():
    """Also those inside loops and branches, and the parts of a tuple that is returned."""
    text = "def f(x, w):\n    h = x\n    for each in w:\n        h = h @ each\n    if h is x:\n        y = 2 * x\n"
    file = read_plain_file(text + "    return h * 2, x.T @ y\n", ["f", "g"])
    (function,) = file.functions
    assert [(line.name, line.code, line.names, line.is_repeated) for line in function.lines] == [
        ("h", "h @ each", ["h", "each"], True),
        ("y", "2 * x", ["x"], False),
        ("f(...)[0]", "h * 2", ["h"], False),
        ("f(...)[1]", "x.T @ y", ["x", "y"], False),
    ]
    assert "return ((h + 2), x.T @ y)" in file.changed(function.lines[2], "h + 2")
    seen: dict[str, Any] = {}
    exec(worker_file(file.with_notes, ["f"]), seen)
    with pytest.raises(UnboundLocalError):  # as the function itself raises: `y` has no value
        seen["f"](torch.eye(2), [2 * torch.eye(2)])
    assert seen["_defence_noted"]()["0"] == [[{"h": ["tensor", 2, 2], "each": ["tensor", 2, 2]}], ["each", "h"]]
    assert seen["_defence_calls"]() == ["f"] and seen["_defence_calls"]() == []
    assert read_plain_file("def f(", ["f"]).functions == read_plain_file("f = 1", ["f"]).functions == []
    without = "import torch\ndef f(Q):\n    O = torch.empty_like(Q)\n    z = torch.zeros_like(Q)\n    return 2 * Q\n"
    assert [line.name for line in read_plain_file(without, ["f"]).functions[0].lines] == ["f(...)"]


def test_changes_of_a_line():
    assert {"h ** 3", "1"}.isdisjoint({each.code for each in equal_versions("(1 - h ** 2) * dh")})
    assert "(1 - h) * (1 + h) * dh" in {each.code for each in equal_versions("(1 - h ** 2) * dh")}
    wrong = wrong_versions("dlogits.sum(0)", ["dlogits"])
    kinds, codes = {each.kind: each.code for each in wrong}, [each.code for each in wrong]
    assert kinds["keepdim"] == "dlogits.sum(0, keepdim=True)" and "dlogits.sum(1)" in codes
    assert kinds["reduction_too_many"] == "dlogits" and kinds["mean_or_sum"] == "dlogits.mean(0)"


def test_what_has_no_numbers_is_not_asked():
    reference, booleans = torch.ones(2, 3), value_of(torch.ones(2, 3, dtype=torch.bool))
    assert are_equal(booleans, reference) is None and what_happens(reference, booleans) is None
    assert what_happens(reference, Raised()) == "raises"


HOSTILE: list[Any] = [None, True, 10**400, float("nan"), "x", [], {}, [[]], {"0": [{}]}, {1: 2}, [True, 1, 2]]
HOSTILE += [torch.zeros(2, dtype=torch.complex64), torch.zeros(2, 3, dtype=torch.bool), torch.zeros(0)]
HOSTILE += [torch.ones(1, 1, 1, 1, 1, 1, 1, 1), torch.full((2, 3), float("inf")), numpy.ones(2, dtype=complex)]


def changed_at_random(value: Any, chance: random.Random, share: float) -> Any:
    """A worker's reply with some of its parts, or all of it, replaced by values that no honest worker sends."""
    if chance.random() < share:
        return chance.choice(HOSTILE)
    if isinstance(value, list):
        return [changed_at_random(each, chance, share) for each in value]
    if isinstance(value, dict):
        return {key: changed_at_random(each, chance, share) for key, each in value.items()}
    return value


@sampled(("number", "share"), [("01", 0.3), ("06", 0.02), ("09", 0.02), ("09", 0.2), ("10", 0.1)], keep=1)
def test_no_reply_of_a_worker_ends_the_command(course: Course, zygote, monkeypatch, number: str, share: float):
    """The student's file runs in the worker that replies, so any reply may come: fewer questions, and no error."""
    chance, honest, lesson = random.Random(f"{number} {share}"), worker.call_in_worker, course.find(number)

    def hostile(*arguments: Any) -> Any:
        return changed_at_random(honest(*arguments), chance, share)

    for module in (material, worker):
        monkeypatch.setattr(module, "call_in_worker", hostile)
    rows = [item.name for item in (lesson.gradients or lesson.checks)]
    defence = made(zygote, lesson, solution_of(lesson), rows)
    assert defence.questions or defence.reason
