"""Defences generated from files of the course and from hostile ones; their keys computed again by another path."""

from __future__ import annotations

import ast
import contextlib
import copy
import dataclasses
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest
import torch
from shared_nursery import forked_zygote
from support import sampled, solution_of

from bench.defence import CourseFile, Tally, files_of, right_rows
from grader.defence import material, recorded
from grader.defence.changed_lines import Variant, equal_versions, wrong_versions
from grader.defence.families.sum_changes import with_an_effect
from grader.defence.families.swapped import what_happens
from grader.defence.families.values import are_equal
from grader.defence.families.which_line import chosen_alike
from grader.defence.file_lines import functions_in, with_line
from grader.defence.generate import FAMILIES, Defence, generate
from grader.defence.material import value_of
from grader.defence.measuring import measuring_file
from grader.dojo.check import LocalJudge
from grader.lesson.lesson import Course, Lesson
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.probe import plan_for, probe
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.student import Student


@pytest.fixture(scope="module")
def zygote() -> Iterator[ZygoteProcess]:
    process = forked_zygote(plan_for(probe(), Limits(step_seconds=2.0)))
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
    monkeypatch.setattr(recorded.RecordedMaterial, "holding", holding_late(recorded.RecordedMaterial.holding))
    lesson = course.find("10")
    found = made(zygote, lesson, solution_of(lesson), [item.name for item in lesson.checks])
    assert "red_rows" not in [question.family for question in found.questions]


def holding_late(holding: Callable[..., dict[str, bool]]) -> Callable[..., dict[str, bool]]:
    def late(self: recorded.RecordedMaterial, *arguments: Any) -> dict[str, bool]:
        self._student.time.seconds = 0.0
        return holding(self, *arguments)

    return late


@pytest.mark.full
def test_a_function_with_a_wrong_row_is_not_asked_about(course: Course, zygote):
    """`diagnose` has eight rows: with one of them wrong, no question is about it, or about a line in it."""
    lesson = course.find("10")
    right = [item.name for item in lesson.checks if item.name != "saturated"]
    questions = made(zygote, lesson, solution_of(lesson), right).questions
    assert questions
    for question in questions:
        assert lesson.item_for(question.row).function != "diagnose"
        assert "`saturated`" not in question.choices.values()
        assert "`diagnose`" not in question.text


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
    read = functions_in(solution_of(lesson), [*wrong, *([lesson.joint.name] if lesson.joint else [])])
    of_wrong = [each for function in read for each in function.lines if (each.function in wrong or each.name in wrong)]
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


@pytest.mark.full
def test_no_text_of_a_defence_has_the_answer_to_a_wrong_row(course: Course, judge: LocalJudge):
    """Of files with one known mistake: neither texts nor choices, keys and explanations."""
    found = [revealed(file, judge) for file in some_mutants(course, 8)]
    assert sum(count for count, _ in found) > 12
    assert [each for _, several in found for each in several] == []


@pytest.mark.slow
def test_no_text_of_many_defences_has_the_answer_to_a_wrong_row(course: Course, judge: LocalJudge):
    found = [revealed(file, judge) for file in some_mutants(course, 300)]
    assert sum(count for count, _ in found) > 900
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
    for seed in range(12):
        for question in made(zygote, lesson, solution_of(lesson), ["drating"], str(seed)).questions:
            if question.family == "by_hand":
                values = question.claim["fixed"]["rating"][question.claim["index"][0]]
                assert (values == values.max()).sum() == 1 or values[question.claim["index"][1]] < values.max()


@pytest.mark.parametrize(
    ("line", "without_effect"),
    [
        ("dlogits.sum(0).T", "dlogits.sum(0)"),
        ("dlogits.sum(0, keepdim=True).squeeze()", "dlogits.sum(0).squeeze()"),
    ],
)
def test_a_change_without_an_effect_is_no_mistake(course: Course, zygote, line: str, without_effect: str):
    """`.T` of a vector: leaving it out changes nothing, for any input."""
    text = f"def db2(dlogits):\n    return {line}\n".encode()
    made_of = material.material_of(course.find("03"), {"backward.py": text}, ["db2"], zygote, random.Random(1))
    assert made_of is not None
    (own,) = made_of.lines
    wrong = tuple(each for each in own.wrong if each.code == without_effect or each.kind in ("sign", "twice"))
    lines = [dataclasses.replace(own, wrong=wrong)]
    kept = {each.code for each in with_an_effect(made_of, lines[0])}
    made_of.close()
    assert len(wrong) == 3 and kept == {each.code for each in wrong} - {without_effect}


def test_a_line_without_a_fixed_value_is_not_asked_about():
    text = "def f(Q):\n    O = torch.empty_like(Q)\n    n = torch.randn_like(Q)\n    m = Q.normal_()\n"
    text += "    z = torch.zeros_like(Q)\n    return 2 * Q\n"
    assert [line.name for line in functions_in(text, ["f"])[0].lines] == ["f(...)"]


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


@pytest.mark.parametrize(
    ("number", "text", "right", "reason"),
    [
        ("08", "x = 1\n", [], "Nothing of lesson 08 is right yet"),
        ("08", "x = 1\n", ["relative_error"], "Ask about the file in person."),
        ("08", "raise ValueError('no')\n", [], "The file of lesson 08 does not run"),
        ("03", "def db2(dlogits): return dlogits.sum(0)\n", [], "Nothing of lesson 03 is right yet"),
        ("03", "def db2(:\n", [], "The file of lesson 03 does not run: line 1: SyntaxError: "),
        ("09", "x = 1\nraise ValueError('no')\n", [], "The file of lesson 09 does not run: line 2: ValueError: no"),
        ("03", "def db2(:\n", ["db2"], "Oral defence: on paper"),
        ("03", "def db2(dlogits):\n    return sum(row for row in dlogits)\n", ["db2"], "Oral defence: on paper"),
    ],
)
def test_where_a_defence_is_impossible_it_says_why(course: Course, zygote, number, text, right, reason):
    defence = made(zygote, course.find(number), text, right)
    assert defence.questions == () and reason in defence.reason


def test_a_byte_order_mark_hides_nothing(course: Course, zygote):
    """Windows' editors write it."""
    lesson = course.find("04")
    plain, marked = (made(zygote, lesson, mark + solution_of(lesson)) for mark in ("", "\ufeff"))
    assert plain.questions and marked.questions == plain.questions


def test_lines_are_read_as_a_question_shows_them():
    text = "def dW(x, dz):\n    scaled = 2 * dz\n    if x is None:\n        return 1\n    return x.T @ scaled\n"
    (function,) = functions_in(text, ["dW", "db"])
    first, last = function.lines
    assert (first.name, first.code, first.names, first.is_whole) == ("scaled", "2 * dz", ("dz",), True)
    assert (last.name, last.code, last.is_returned, last.is_whole) == ("dW(...)", "x.T @ scaled", True, False)
    assert "_defence_note('1', {'x': x, 'scaled': scaled})" in function.noting
    assert functions_in("def f(", ["f"]) == functions_in("f = 1", ["f"]) == []


def test_lines_of_a_checked_function_are_found_in_loops_and_returned_tuples():
    text = "def f(x, w):\n    h = x\n    for each in w:\n        h = h @ each\n    if h is x:\n        y = 2 * x\n"
    text += "    return h * 2, x.T @ y\n"
    (function,) = functions_in(text, ["f"])
    assert [(line.name, line.code) for line in function.lines] == [
        ("h", "h @ each"),
        ("y", "2 * x"),
        ("f(...)[0]", "h * 2"),
        ("f(...)[1]", "x.T @ y"),
    ]
    assert function.repeated == ("h",)
    seen: dict[str, Any] = {}
    exec(measuring_file(["import torch", function.noting], {}, ["f"]), seen)
    with pytest.raises(UnboundLocalError):  # as the function itself raises: `y` has no value
        seen["f"](torch.eye(2), [2 * torch.eye(2)])
    assert torch.equal(seen["_defence_values"]()["0"][0]["h"], torch.eye(2))
    assert "call of f" in seen["_defence_noted"]() and seen["_defence_noted"]() == []
    assert "return (h + 2, x.T @ y)" in with_line(text, "f", "f(...)[0]", "h * 2", "h + 2")


def test_changes_of_a_line():
    assert {"h ** 3", "1"}.isdisjoint({each.code for each in equal_versions("(1 - h ** 2) * dh")})
    assert "(1 - h) * (1 + h) * dh" in {each.code for each in equal_versions("(1 - h ** 2) * dh")}
    wrong = wrong_versions("dlogits.sum(0)", ["dlogits"])
    kinds, codes = {each.kind: each.code for each in wrong}, [each.code for each in wrong]
    assert kinds["keepdim"] == "dlogits.sum(0, keepdim=True)" and "dlogits.sum(1)" in codes
    assert kinds["reduction_too_many"] == "dlogits" and kinds["mean_or_sum"] == "dlogits.mean(0)"


@pytest.mark.full
def test_a_class_that_is_checked_is_asked_about(course: Course, zygote):
    """In person: a class can reach whatever computes a key, so none of an autograd engine runs for a question."""
    lesson = course.find("18")
    defence = made(zygote, lesson, solution_of(lesson), [item.name for item in lesson.checks])
    assert defence.questions == () and defence.is_oral and defence.reason.startswith("Oral defence: ")


def test_what_has_no_numbers_is_not_asked():
    reference, booleans = torch.ones(2, 3), value_of((True, torch.ones(2, 3, dtype=torch.bool)))
    assert are_equal(booleans, reference) is None and what_happens(reference, booleans) is None
    assert what_happens(reference, value_of((False, "RuntimeError"))) == "raises"


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
    chance, honest, lesson = random.Random(f"{number} {share}"), material.call_in_worker, course.find(number)

    def hostile(*arguments: Any) -> Any:
        return changed_at_random(honest(*arguments), chance, share)

    for module in (material, recorded):
        monkeypatch.setattr(module, "call_in_worker", hostile)
    rows = [item.name for item in (lesson.gradients or lesson.checks)]
    defence = made(zygote, lesson, solution_of(lesson), rows)
    assert defence.questions or defence.reason
