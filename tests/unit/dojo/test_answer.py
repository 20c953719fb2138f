"""`dojo answer`: its screens at 80 columns, what it stores, and what it says with and without the answer keys."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import click.testing
import pytest
from made_questions import course_with_questions

from grader.commands.dojo import main
from grader.dojo import check as dojo_check
from grader.dojo.check import LocalJudge

pytest_plugins = ["dojos"]

Answer = Callable[..., click.testing.Result]


@pytest.fixture
def answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Answer:
    """answer("40", "", "01", "count"): what `dojo answer 01 count` prints where these lines are typed."""
    course_with_questions(tmp_path)
    monkeypatch.chdir(tmp_path)
    runner = click.testing.CliRunner(env={"COLUMNS": "80"})
    return lambda *words, typed="": runner.invoke(main, ["answer", *words, "--course", "."], input=typed)


STORED = """\
# Your answers to the questions of lesson 01. `dojo answer 01` writes this file; you may edit it.
lesson = "01_asked"
student = "Ada"

[answers]
count = "25"
pick = "left"
"""


def test_with_the_keys_an_answer_is_judged_and_one_can_stop_and_go_on(answer: Answer) -> None:
    first = answer("01", typed="Ada\nmany\n25\n\nb\nq\n")
    assert first.exit_code == 0
    for part in (
        "Your name or ID, as your course knows you (the numbers in the questions depend on it):\n"
        "Question 1 of 8  count\n"
        "    There are 5 rows of 20. How many elements?\n"
        "    Answer with a number such as 0.25 or 1/32, with a point and without units.\n"
        "`many` is not a number; expected a number such as 0.25 or 1/32, with a point and\n"
        "without units. Try again, or press Enter to skip.\n"
        "Not right. You added 5 and 20.\n\n",
        "    a)  the right one\n    b)  the left one\n    c)  the top one\n    Answer with one letter.\nRight.\n\n",
        "\n2 of 8 answered, stored in exercises/01_asked/answers.toml. Submit it with your\nfiles.\n",
        "\ndojo answer 01 goes on.\n",
    ):
        assert part in first.stdout, part
    assert Path("exercises/01_asked/answers.toml").read_text() == STORED
    again = answer("01", typed="100\n\nq\n").stdout
    assert again.startswith("Question 1 of 8  count\n") and "Right.\n" in again  # a wrong answer is asked for again
    assert "Question 3 of 8" not in again


def test_one_question_again_by_any_of_its_names(answer: Answer) -> None:
    for words in (["01", "essay"], ["01", "q:essay"], ["01.essay"]):
        shown = answer(*words, typed="Ada\nBecause.\n").stdout
        assert "Question 8 of 8  essay" in shown
        assert "Recorded. A person reads this answer and gives the points." in shown


def test_without_the_keys_an_answer_is_recorded(answer: Answer, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "solutions")
    shown = answer("01", "count", "line", typed="Ada\n25\ng.sum(\ng.sum(1)\n").stdout
    assert "\nOnly your course has the answer key: " in shown and shown.count("Recorded.\n") == 2
    assert "`g.sum(` is not a Python expression" in shown
    assert "8 of 8 answered" in answer("01", typed="1\na\na\na,b,c\ng*h\nBecause.\n").stdout
    assert answer("01").stdout == "All questions are answered. `dojo answer 01 QUESTION` asks one again.\n"


@pytest.mark.full
def test_a_line_of_code_runs_in_the_sandbox(
    answer: Answer, judge: LocalJudge, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("grader.dojo.desk.EagerZygote", lambda imports: None)
    monkeypatch.setattr(dojo_check, "LocalJudge", lambda zygote: judge)
    for line, expected in {
        "torch.ones(len(g), dtype=g.dtype) @ g": "Right.",
        "g.mean(0)": "Not right. You average.",
        "g.sum(9)": "Not right. Your line has no value: IndexError: Dimension out of range",
        "torch.load('x')": "Not right. Your line has no value: ",
    }.items():
        assert expected in answer("01", "line", typed=f"Ada\n{line}\n").stdout.replace("\n", " "), line


def test_errors_are_sentences(answer: Answer) -> None:
    no_lesson = "There is no lesson '02'. `dojo` lists the lessons: type a number or a name, as in `dojo check 01`."
    for words, message in (
        (["02"], no_lesson),
        (["01", "cuont"], "Lesson 01 has no question 'cuont'; did you mean 'count'?"),
        (["01"], "no name was given: type it, then Enter."),
    ):
        result = answer(*words)
        assert (result.exit_code, result.stderr) == (2, f"dojo: {message}\n")
    assert answer("01", typed="Ada\n").exit_code == 0


def test_files_that_cannot_be_used(answer: Answer, tmp_path: Path) -> None:
    file = tmp_path / "exercises/01_asked/answers.toml"
    file.write_text("count = [")
    assert answer("01").stderr.startswith("dojo: exercises/01_asked/answers.toml cannot be read: ")
    (tmp_path / "exercises/01_asked/questions.toml").unlink()
    shutil.rmtree(tmp_path / "solutions")
    assert answer("01").stderr == "dojo: Lesson 01 has no questions.\n"
