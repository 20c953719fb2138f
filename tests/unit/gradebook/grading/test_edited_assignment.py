"""An assignment or a lesson's points that were edited: shown by `grade regrade`, and counting only after --apply."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from made_gradebook import CROSS, grade, grades_of, scores, write_gradebook

from grader.gradebook.assignment.config import read_assignment
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.grading import regrade as regrade_module
from grader.gradebook.grading.outcome import Moves, apply_unless_scores_move
from grader.gradebook.grading.settings import ASSIGNMENT_FILE_ENTRY
from grader.lesson.lesson import Course

HOMEWORK = """title = "Homework 2"
rows = [{rows = "04.dlogits", points = 6}]
due = 2026-11-20T23:59:00
timezone = "Europe/Zurich"
counts = "last"
[late]
percent_per_day = 10
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "hw2.toml"
    path.write_text(HOMEWORK, encoding="utf-8")
    return path


@pytest.fixture
def out(tmp_path: Path, own_course: Path, file: Path) -> Path:
    """A gradebook with that assignment: ada's row is wrong, Bo's right."""
    out = tmp_path / "grades"
    write_gradebook(out, {"ada": 0, "Bo": 2}, own_course)
    with closing(Gradebook(out / GRADEBOOK)) as book:
        book.set_assignment(read_assignment(file, list(Course(own_course).lessons.values())))
        book.describe({ASSIGNMENT_FILE_ENTRY: str(file)})
    return out


Again = Callable[..., str]


@pytest.fixture
def again(out: Path, own_course: Path, monkeypatch: pytest.MonkeyPatch) -> Again:
    """What `grade regrade` prints."""

    def no_grading(*_: object) -> None:
        raise AssertionError("something is graded")

    monkeypatch.setattr(regrade_module, "grade_all", no_grading)

    def run(*options: object, status: int = 0) -> str:
        done = grade("regrade", "-o", out, "--require", "none", "--course", own_course, *options)
        assert done.exit_code == status, done.output
        return done.output

    return run


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.full
def test_it_is_shown_before_it_counts_without_any_submission(again, out, file):
    edit(file, "due = 2026-11-20T23:59:00", "due = 2026-11-19T23:59:00")
    lines = ["Bo: 6 → 5.4 of 6 (-0.6)", "  no note → 14 hours late, −0.6"]
    shown = again()
    assert set(lines) <= set(shown.splitlines()), shown
    assert "Homework 2, edited: 1 of 2 scores change:" in shown
    assert "No score has changed yet: `grade regrade --apply` applies this." in shown
    assert scores(out) == {"ada": 0, "Bo": 6}
    assert again("--apply").endswith("Applied.\n") and scores(out) == {"ada": 0, "Bo": 5.4}
    assert {student: float(line["total"]) for student, line in grades_of(out).items()} == scores(out)
    assert "nothing to do" in again()


def test_a_lesson_s_points_may_change(out, own_course, file):
    """The assignment gives two rows 12 points, in proportion to what the lesson gives them: first 2 and 1."""
    edit(file, '{rows = "04.dlogits", points = 6}', '{rows = "04", points = 12}')
    with closing(Gradebook(out / GRADEBOOK)) as book:
        book.set_assignment(read_assignment(file, list(Course(own_course).lessons.values())))
        assert book.current_of("Bo").score == 8
        edit(own_course / "exercises" / CROSS / "lesson.toml", "points = 2", "points = 3")
        as_it_is_now = read_assignment(file, list(Course(own_course).lessons.values()))
        changes = apply_unless_scores_move(as_it_is_now, book)
        assert [(each.student, each.gain) for each in changes] == [("ada", 0), ("Bo", 1)]
        assert book.current_of("Bo").score == 8


def test_a_run_leaves_the_points_until_the_edit_is_applied(out, own_course, file):
    lessons = list(Course(own_course).lessons.values())
    with closing(Gradebook(out / GRADEBOOK)) as book:
        edit(file, "points = 6", "points = 16")
        changes = apply_unless_scores_move(read_assignment(file, lessons), book)
        assert [(each.student, each.gain) for each in changes] == [("ada", 0), ("Bo", 10)]
        assert book.current_of("Bo").score == 6
        edit(file, "points = 16", "points = 6")
        edit(file, "23:59:00", "23:59:59")  # changes nobody's points
        assert apply_unless_scores_move(read_assignment(file, lessons), book) is None
        assert book.assignment().due.second == 59
        file.write_text(HOMEWORK + '[settings]\nshape = "broadcast"\n', encoding="utf-8")
        assert apply_unless_scores_move(read_assignment(file, lessons), book) == [], "these have to be graded again"
        assert book.assignment().settings == {}


def test_a_file_that_has_become_another_assignment_s_is_left_alone(again, file):
    edit(file, "Homework 2", "Homework 3")
    said = again()
    assert f"{file} is 'Homework 3', and this is the gradebook of 'Homework 2'" in said and "nothing to do" in said
    file.unlink()
    assert "nothing to do" in again()


def test_files_of_a_term_that_disagree_can_be_corrected_one_after_the_other(again, out, file, tmp_path, own_course):
    """`free_days` must agree in all of them, and each is applied by a command of its own."""
    edit(file, "percent_per_day = 10", 'percent_per_day = 10\nfree_days = 2\nterm = ["grades", "hw1"]')
    other = tmp_path / "hw1"
    write_gradebook(other, {"Bo": 2}, own_course)
    lessons = list(Course(own_course).lessons.values())
    for folder in (out, other):
        with closing(Gradebook(folder / GRADEBOOK)) as book:
            book.set_assignment(read_assignment(file, lessons))
            book.describe({ASSIGNMENT_FILE_ENTRY: str(file)})
    edit(file, "free_days = 2", "free_days = 1")
    edit(file, "points = 6", "points = 16")
    assert "do not share the same free late days" in again("--apply", status=2)
    done = grade("regrade", "-o", other, "--apply", "--course", own_course)
    assert done.exit_code == 0 and scores(out)["Bo"] == scores(other)["Bo"] == 16, done.output


def test_what_has_moved_since_the_last_run():
    before = {"up": 1, "down": 2, "same": 3, "failed": None, "fails": 4, "gone": 5}
    after = {"up": 2, "down": 1, "same": 3, "failed": 1, "fails": None, "new": 0, "gone": 5}
    moves = Moves.between(before, after, ["up", "down", "same", "failed", "fails", "new"])
    assert str(moves) == "1 up, 1 down, 2 new, 1 missing"
