"""`dojo predict`: a second computation gives the same keys; the questions work typed, piped and in a terminal."""

from __future__ import annotations

import ast
import contextlib
import math
import shutil
import sys
from pathlib import Path

import click.testing
import pexpect
import pytest
import torch
from support import GUARD_SECONDS, ROOT, solution_of

from grader.commands.dojo import main
from grader.defence.question import Chance
from grader.dojo import check as dojo_check
from grader.dojo.check import LocalJudge
from grader.dojo.desk import Desk
from grader.dojo.predicting.forward_pass import (
    NO_ROW,
    loss_change,
    shape_prediction,
    size_prediction,
    spoiled_prediction,
)
from grader.dojo.predicting.own_lines import lost_sums, other_signs
from grader.dojo.predicting.session import predictions_for
from grader.lesson.lesson import Course, Lesson
from grader.reference.problem import Problem

pytest_plugins = ["dojos"]

SOLVED = ("02_small_net", "16_through_time")
SOURCE = b"""
def db(dh):
    if dh.sum() > 0: pass
    x = dh.mean(0) - 1
    # \xc3\xa4
    return torch.sum(x, 0), "\xc3\xa4", dh.T.sum(1, keepdim=True)


def dW(h, dh):
    return (h.T
            @ dh).sum()
"""


@pytest.fixture
def work(tmp_path: Path, judge: LocalJudge, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two lessons that are solved, and two in which nothing is written."""
    for name in (*SOLVED, "05_batch_norm", "08_gradient_check"):
        shutil.copytree(
            ROOT / "exercises" / name, tmp_path / "exercises" / name, ignore=shutil.ignore_patterns("*.svg")
        )
        shutil.copy(tmp_path / "exercises" / name / ".stub", tmp_path / "exercises" / name / "backward.py")
    for name in SOLVED:
        (tmp_path / "exercises" / name / "backward.py").write_text(solution_of(Lesson(ROOT, name)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("grader.dojo.desk.Starter", lambda imports: None)
    monkeypatch.setattr(dojo_check, "LocalJudge", lambda starter: judge)
    return tmp_path


def test_changed_lines() -> None:
    changes = list(lost_sums(SOURCE, {"db", "dW"}))
    assert [(each.before, each.after) for each in changes] == [
        ("x = dh.mean(0) - 1", "x = (dh) - 1"),
        ('return torch.sum(x, 0), "ä", dh.T.sum(1, keepdim=True)', 'return (x), "ä", dh.T.sum(1, keepdim=True)'),
        ('return torch.sum(x, 0), "ä", dh.T.sum(1, keepdim=True)', 'return torch.sum(x, 0), "ä", (dh.T)'),
    ]
    assert [each.after for each in other_signs(SOURCE, {"db"})] == ["x = dh.mean(0) + 1"]
    for each in changes:
        ast.parse(each.source)
        assert len(each.source.splitlines()) == len(SOURCE.splitlines())
    assert list(lost_sums(b"def db(:", {"db"})) == []


@pytest.mark.full
def test_keys_about_own_lines(work: Path) -> None:
    """The red rows are those that a check of the changed file finds: here the file is really changed."""
    at = Desk(work, complain=pytest.fail)
    for name in SOLVED:
        lesson = at.course.lessons[name]
        rows = next(each for each in predictions_for(at, lesson, 1) if each.kind == "multiple")
        path = lesson.exercise / "backward.py"
        before, (old, new) = path.read_text(), (line[2:] for line in rows.code)
        assert rows.judged(list(rows.key)).status == "passed" and rows.judged("zz").status == "error"
        found = set()
        for count in range(before.count(old)):  # a line may occur in several functions: one of them was meant
            path.write_text(
                new.join([old.join(before.split(old)[: count + 1]), old.join(before.split(old)[count + 1 :])])
            )
            result = click.testing.CliRunner(env={"COLUMNS": "200"}).invoke(main, ["check", lesson.number])
            lines = {line.split()[0]: line for line in result.stdout.splitlines() if "|" in line}
            named = [row for row in rows.choices if row != NO_ROW]
            found.add(
                frozenset(row for row in named if "right ✓" not in lines[row] and "passed here" not in lines[row])
            )
        path.write_text(before)
        assert frozenset(row for row in rows.key if row != NO_ROW) in found, name


def spoiled_by_autograd(problem: Problem, name: str) -> dict[str, torch.Tensor]:
    """Every gradient of a pass in which the gradient of `name` is 10 % too large: a hook does that, in one backward."""
    tape = type("Tape", (), {})()
    leaves = {key: value.clone().requires_grad_() if is_real(value) else value for key, value in problem.inputs.items()}

    class Hooked:
        def __setattr__(self, key: str, value: object) -> None:
            vars(tape)[key] = value
            if is_real(value) and value.requires_grad:
                value.retain_grad()
                if key == name:
                    value.register_hook(lambda gradient: gradient * 1.1)

        def __getattr__(self, key: str) -> object:
            return contextlib.nullcontext if key == "fused" else vars(tape)[key]

    hooked = Hooked()
    for key, value in leaves.items():
        setattr(hooked, key, value)
    problem.run_on(hooked)
    sum((vars(tape)[end] * upstream).sum() for end, upstream in problem.ends.items()).backward()
    return {key: value.grad for key, value in vars(tape).items() if is_real(value) and value.grad is not None}


def is_real(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def test_keys_from_the_forward_pass() -> None:
    """A hook in one backward pass of autograd spoils the same rows; sizes and shapes are autograd's."""
    lessons = Course(ROOT, secrets=False).lessons
    for name in ("02_small_net", "03_makemore_steps", "11_layer_norm"):
        lesson = lessons[name]
        problem = lesson.public_chain
        right = spoiled_by_autograd(problem, "")
        for seed in range(3):
            spoiled = spoiled_prediction(lesson, Chance(seed))
            assert spoiled is not None
            target = spoiled.row.split()[-1].removeprefix("d")
            wrong = spoiled_by_autograd(problem, target)
            rows = [row for row in spoiled.choices if row != NO_ROW]
            red = {row for row in rows if not torch.allclose(wrong[row[1:]], right[row[1:]], rtol=1e-6, atol=1e-12)}
            assert {row for row in spoiled.key if row != NO_ROW} == red
            size = size_prediction(lesson, Chance(seed))
            assert size is not None
            largest = float(right[size.row.split()[-1][1:]].abs().max())
            nearest = {key: float(text.split()[-1]) for key, text in size.choices.items() if key != "is_zero"}
            assert size.key == (
                "is_zero" if largest < 1e-12 else min(nearest, key=lambda k: abs(math.log(nearest[k] / largest)))
            )
            shape = shape_prediction(lesson, Chance(seed))
            assert shape is not None and shape.key in {
                str(tuple(value.shape)) for value in problem.values.values() if is_real(value)
            }
    assert abs(loss_change(lessons["03_makemore_steps"], "b1", everywhere=True)) < 1e-12


@pytest.mark.full
def test_typed(work: Path) -> None:
    def typed(text: str, *words: str) -> click.testing.Result:
        return click.testing.CliRunner(env={"COLUMNS": "80"}).invoke(main, ["predict", *words], input=text)

    shown = typed("\n(20)\nzz\na\n", "02", "--seed", "3")
    assert shown.exit_code == 0 and "Try again, or press Enter" in shown.stdout
    assert "You predicted" in shown.stdout and shown.stdout.endswith("`dojo predict 02 --seed 3` asks these again.\n")
    assert typed("", "02", "--seed", "3").stdout.count("Prediction ") == 1  # nobody types: it stops
    assert typed("q\n", "02", "--seed", "3").stdout.splitlines()[:3] == shown.stdout.splitlines()[:3]
    assert "Somebody's" in typed("\n\n\n", "05", "--seed", "1").stdout  # nothing is written: the forward pass is asked
    empty = typed("", "08")
    assert empty.exit_code == 2 and empty.stderr == (
        "dojo: There is nothing to predict in lesson 08 yet: its questions are about your own lines. Write a function "
        "first, until `dojo check 08` accepts it.\n"
    )
    assert "dojo predict 03 --seed 7" in typed("", "--help").stdout


@pytest.mark.full
def test_in_a_terminal(tmp_path: Path) -> None:
    """Once as a student sees it; a started command costs seconds of torch."""
    shutil.copytree(ROOT / "exercises" / "02_small_net", tmp_path / "exercises" / "02_small_net")
    shutil.copy(tmp_path / "exercises/02_small_net/.stub", tmp_path / "exercises/02_small_net/backward.py")
    command = ["-m", "grader.commands.dojo", "predict", "02", "--seed", "1", "--course", str(tmp_path)]
    child = pexpect.spawn(
        sys.executable, command, cwd=str(ROOT), timeout=GUARD_SECONDS, dimensions=(50, 80), encoding="utf-8"
    )
    child.expect("Prediction 1 of 3")
    child.expect("> ")
    child.sendline("(7, 7, 7)")
    child.expect("Not so")
    child.expect("Prediction 2 of 3")
    child.sendline("q")
    child.expect("You predicted 0 of 1")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
