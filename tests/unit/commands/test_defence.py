"""`grade defence` and `dojo defend`: papers, keys, results that survive, a terminal with a time limit."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from made_gradebook import CROSS, add_attempt, current, grade, write_gradebook
from made_results import lesson as lesson_of
from made_results import row
from support import ROOT, solution_of

from grader.commands.grade import main
from grader.defence.question import DefenceQuestion
from grader.dojo.answering import practise
from grader.errors import UserError
from grader.gradebook.assignment.config import parse_assignment
from grader.gradebook.assignment.in_force import DecisionsInForce
from grader.gradebook.assignment.weighted import decided_lesson, with_weights
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.defence_sheets import Sheet, SheetBook, decision_about
from grader.gradebook.records import Decision
from grader.lesson.lesson import Course
from grader.publish.instructor_pages import defence_page

NUMBER = DefenceQuestion(
    "by_hand", "db2", "number", "What is `db2[0]`?\n\n    dlogits = [[1], [2]]", "3", model="The sum."
)
CHOICE = DefenceQuestion(
    "revealing", "dh", "choice", "Which?", "b1", {"b1": "this", "a1": "<b>that</b>"}, {"a1": "No."}
)
SHEET = Sheet("K7QFB", "Ada", "03_makemore_steps", "03 The makemore network", (NUMBER, CHOICE))


@pytest.mark.full
def test_from_paper_to_a_row_that_stays(course: Course, tmp_path: Path):
    """Two students, one of whom has nothing right: a sheet, its key, the answers entered, and later commands."""
    lesson, out = course.find("02"), tmp_path / "grades"
    add_attempt(out, "Ada", lesson.name, solution_of(lesson))
    add_attempt(out, "Bo", lesson.name, "x = 1\n")
    done = grade("defence", "--lesson", "02", "--paper", "-o", out)
    assert done.exit_code == 0, done.output
    assert "Bo: no questions. Nothing of lesson 02 is right yet" in done.output
    papers, keys = ((out / "defence" / lesson.name / name).read_text() for name in ("papers.html", "keys.html"))
    assert papers.count('<section class="sheet">') == 1 and papers.count('<div class="question">') == 6
    (code,) = re.findall(r'<div class="code">(\w{5})</div>', papers)
    right = re.findall(r"<td><code>([^<]*)</code></td>", keys)[1:]
    assert len(right) == 6
    lines = f"{code} {' '.join(each.replace(' ', '') for each in [*right[:4], '-', right[5]])}\n"
    for expected in (1, 0):
        entered = CliRunner(env={"GRADE_AUTHOR": "TA"}).invoke(
            main, ["defence", "--enter", "-o", str(out)], input=lines
        )
        assert entered.exit_code == 0, entered.output
        assert entered.output.count("Ada: 5 of 6 right on paper") == expected
    assert grade("comment", "Ada", "Well done.", "-o", out).exit_code == 0
    table = sqlite3.connect(out / GRADEBOOK).execute("SELECT student, kind, row, points FROM decisions").fetchall()
    assert table[0] == ("Ada", "defence", "02_small_net.q:defence", pytest.approx(5 / 6)) and len(table) == 2
    again = grade("defence", "--lesson", "02", "--paper", "-o", out)
    assert again.exit_code == 0 and (out / "defence" / lesson.name / "papers.html").read_text() == papers
    assert current(out)["Ada"].comments


@pytest.mark.full
def test_whose_code_is_asked_about(course: Course, tmp_path: Path):
    """Ada's right lesson 04 is in the attempt before the last; Bo has none of it; Cy is excused; the suite found Di's
    wrong, in which the public check finds nothing wrong.
    """
    out, right = tmp_path / "grades", solution_of(course.find("04"))
    for student, status in {"Ada": "passed", "Cy": "passed", "Di": "failed"}.items():
        add_attempt(out, student, CROSS, right, status)
    for student in ("Ada", "Bo"):
        add_attempt(out, student, "03_makemore_steps", "x = 1\n")
    assert grade("excuse", "Cy", "--because", "Ill", "-o", out).exit_code == 0
    made = grade("defence", "--lesson", "04", "--paper", "-o", out)
    assert made.exit_code == 0, made.output
    assert f"1 student: {out / 'defence' / CROSS / 'papers.html'}" in made.output
    assert "Bo: there is no file of lesson 04." in made.output and "Cy: excused" in made.output
    assert "Di: no questions." in made.output and "dojo" not in made.output
    again = grade("defence", "ada", "--lesson", "04", "--paper", "-o", out)
    assert again.exit_code == 0 and "1 student: " in again.output and "Bo" not in again.output
    unknown = grade("defence", "Zoe", "--lesson", "04", "--paper", "-o", out)
    assert unknown.exit_code == 2 and "no student is called 'Zoe'" in unknown.output


def test_a_defence_has_the_points_of_the_assignment():
    course = Course(ROOT)
    text = 'title = "1"\nrows = ["04", {rows = "04.q:defence", points = 10}]'
    rows = parse_assignment(text, Path("hw.toml"), list(course.lessons.values())).rows["04_cross_entropy"]
    assert rows["q:defence"] == 10
    graded = lesson_of("04_cross_entropy", row("dlogits", "passed"))
    held = Decision(
        1, "Ada", "defence", "TA", datetime.now(UTC), "04_cross_entropy.q:defence", 0.5, None, "3 of 6 right"
    )

    def defended(*decisions: Decision) -> float:
        found = decided_lesson(with_weights(graded, rows), DecisionsInForce(decisions), rows)
        (own,) = (each for each in found.rows if each.name == "q:defence")
        assert own.max_points == 10
        return own.points

    assert defended() == 0
    assert defended(held) == 5
    adjusted = Decision(2, "Ada", "points", "TA", held.made, held.row, 8, None, "Oral exam")
    assert defended(held, adjusted) == 8
    undone = Decision(3, "Ada", "undo", "TA", held.made, held.row, None, None, "Wrong sheet", undoes=1)
    assert defended(held, undone) == 0
    without = decided_lesson(graded, DecisionsInForce([held]), {})
    assert [(each.name, each.max_points) for each in without.rows][-1] == ("q:defence", 0)


def test_answers_of_a_sheet(tmp_path: Path):
    gradebook = Gradebook(tmp_path / GRADEBOOK)
    SheetBook(gradebook).keep(SHEET)
    assert SheetBook(gradebook).find(" k7qfb ") == SHEET
    with pytest.raises(UserError, match="no sheet of this gradebook has the code 'ABCDE'"):
        SheetBook(gradebook).find("ABCDE")
    gradebook.close()
    assert decision_about(SHEET, ["3.0", "a"]).points == 1
    assert decision_about(SHEET, ["-", "b"]).text == "0 of 2 right on paper (1 –, 2 ✗; sheet K7QFB)"
    with pytest.raises(UserError, match="has 2 questions, and 1 answer was given"):
        decision_about(SHEET, ["3"])
    with pytest.raises(UserError, match=r"question 2: There is no choice `c`; expected one of a, b\."):
        decision_about(SHEET, ["3", "c"])


def test_no_student_s_file_has_the_code_of_somebody_else_s_sheet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """With a known seed, a comment that gives a file any code is found in seconds."""
    monkeypatch.setattr("grader.gradebook.defence_sheets.ALPHABET", "AB")  # 32 codes
    gradebook, codes = Gradebook(tmp_path / GRADEBOOK), dict[str, str]()
    for number in range(20):
        student = f"student {number}"
        book = SheetBook(gradebook)
        codes[student], kept = book.own_code(student, SHEET.lesson, "digest")
        assert kept is None
        book.keep(replace(SHEET, code=codes[student], student=student))
    assert len(set(codes.values())) == 20
    for student, code in codes.items():
        again, kept = SheetBook(gradebook).own_code(student, SHEET.lesson, "digest")
        assert again == code and kept is not None and kept.student == student
    gradebook.close()


def test_pages_escape_what_students_wrote():
    papers = defence_page("papers", [SHEET])
    assert "&lt;b&gt;that" in papers and "<b>that" not in papers
    assert "<pre>dlogits = [[1], [2]]</pre>" in papers and "<code>db2[0]</code>" in papers
    assert "The sum." not in papers and "The sum." in defence_page("keys", [SHEET])


def test_practice_explains_each_answer():
    lines = iter(["x", "4", "b", None])
    said = " ".join(str(getattr(part, "plain", part)) for part in practise(SHEET.questions, lambda: next(lines)))
    assert "`x` is not a number" in said and "The answer is 3. The sum." in said and "No." in said
    assert said.endswith("0 of 2 right.")


REFUSED = [
    ("--paper -o {out}", "name the lesson, such as"),
    ("--paper --enter -o {out}", "give one of --paper and --enter"),
    ("--enter -o nowhere", "nowhere holds no gradebook"),
]


def test_errors_are_sentences(tmp_path):
    write_gradebook(tmp_path / "grades", {"Ada": 1})
    for typed, sentence in REFUSED:
        done = grade("defence", *typed.format(out=tmp_path / "grades").split())
        assert done.exit_code == 2 and sentence in done.output
