"""`grade adjust`, `comment`, `excuse`, `extend`, `undo` and `history`, on a gradebook made by hand."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from made_gradebook import CROSS, current, grade, grades_of, write_gradebook
from support import ROOT

from grader.commands import decisions
from grader.gradebook.assignment.config import Assignment
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.files import lock_output
from grader.results import read_results


@pytest.fixture
def out(tmp_path: Path) -> Path:
    place = tmp_path / "grades"
    write_gradebook(place, {"Ada Okafor": 0, "Bo Li": 1, "cy": 2})
    return place


def totals(out: Path) -> dict[str, str]:
    return {student: f"{line['total']} of {line['max']}" for student, line in grades_of(out).items()}


# Each command, and that every page shows it -------------------------------------------------------------------------


def test_an_adjusted_row_is_in_every_page(out):
    done = grade("adjust", "Ada Okafor", "04.dlogits", "--points", "1", "--because", "A bug in the suite", "-o", out)
    assert done.exit_code == 0, done.output
    assert done.stdout == f"1: Ada Okafor: adjusted; {CROSS}.dlogits 0 → 1 of 1, total 0 → 1 of 2.\n"
    assert totals(out) == {"Ada Okafor": "1 of 2", "Bo Li": "1 of 2", "cy": "2 of 2"}
    results = read_results(out / "Ada Okafor")
    assert results is not None and results == current(out)["Ada Okafor"]
    adjusted = results.lessons[0].rows[0]
    assert (adjusted.points, adjusted.status) == (1, "failed")
    assert adjusted.adjustment is not None
    assert (adjusted.adjustment.before, adjusted.adjustment.author) == (0, "TA")
    assert (adjusted.adjustment.reason, results.score) == ("A bug in the suite", 1)
    for page in ("report.md", "report.html"):
        assert (out / "Ada Okafor" / page).is_file()
    assert not (out / "Bo Li").exists(), "a folder that nothing has changed is left alone"


def test_an_undo_is_another_entry_and_can_be_undone(out, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    grade("adjust", "Bo Li", "dhpreact", "--points", "1", "--because", "x", "-o", out)
    done = grade("undo", "1", "--because", "It was another Bo", "-o", out)
    assert "decision 1 is undone" in done.stdout and totals(out)["Bo Li"] == "1 of 2"
    text = grade("history", "Bo Li", "-o", out).stdout
    assert "(undone)" in text and "It was another Bo" in text and "Bo Li now has 1 of 2." in text
    again = grade("undo", "1", "--because", "x", "-o", out)
    assert (again.exit_code, again.stderr) == (2, "grade: decision 1 was undone already, by entry 2.\n")
    assert grade("undo", "2", "--because", "It was this one", "-o", out).exit_code == 0
    assert totals(out)["Bo Li"] == "2 of 2"
    with sqlite3.connect(out / GRADEBOOK) as book:
        assert book.execute("SELECT id, kind, undoes FROM decisions").fetchall() == [
            (1, "points", None), (2, "undo", 1), (3, "undo", 2),
        ]  # fmt: skip


def test_a_lesson_the_total_an_excuse_comments_and_an_extension(out):
    assert grade("adjust", "cy", "04", "--points", "1.5", "--because", "x", "-o", out).exit_code == 0
    assert totals(out)["cy"] == "1.5 of 2"
    assert grade("adjust", "cy", "total", "--points", "0", "--because", "Plagiarism", "-o", out).exit_code == 0
    assert totals(out)["cy"] == "0 of 2"
    assert grade("comment", "cy", "Nice work.", "-o", out).exit_code == 0
    assert grade("comment", "cy", "04.dlogits", "See me.", "-o", out).exit_code == 0
    results = current(out)["cy"]
    assert [each.text for each in results.comments or ()] == ["Nice work."]
    assert [each.text for each in results.lessons[0].rows[0].comments or ()] == ["See me."]
    assert grade("excuse", "cy", "--because", "Ill", "-o", out).exit_code == 0
    assert totals(out)["cy"] == " of 0"  # no score, which is not a zero
    written = read_results(out / "cy")
    assert written is not None and written.excused is not None and written.excused.reason == "Ill"
    done = grade("extend", "cy", "--until", "2026-12-01 23:59", "--because", "Ill", "-o", out)
    assert done.exit_code == 0 and "no due date yet" in done.stderr and "until 2026-12-01 23:59" in done.stdout


def test_a_student_without_a_submission(out):
    refused = grade("excuse", "Di Wu", "--because", "Ill", "-o", out)
    assert refused.exit_code == 2 and "`grade run` must have a roster with them" in refused.stderr
    assert "Di Wu" not in current(out)


# What is refused ------------------------------------------------------------------------------------------------------


REFUSED = [
    (("Ada Okafr", "04.dlogits", "--points", "1"), "no student is called 'Ada Okafr': did you mean 'Ada Okafor'?"),
    (("cy", "04.dlogit", "--points", "1"), "cy has no row or lesson '04.dlogit': did you mean '04.dlogits'"),
    (
        ("cy", "05", "--points", "1"),
        f"cy has no row or lesson '05'; expected LESSON.ROW, a lesson of {CROSS}",
    ),
    (("cy", "04.dlogits", "--points", "2"), f"2 points are too many: {CROSS}.dlogits has at most 1."),
    (("cy", "04.dlogits", "--points", "-1"), "Invalid value for '--points': -1.0 is not in the range x>=0."),
    (("cy", "04.dlogits", "--points", "nan"), "nan points are too many"),
    (("cy", "04.dlogits"), "Missing option '--points'."),
]


def test_what_cannot_be_meant_is_refused_with_a_sentence(out):
    for arguments, sentence in REFUSED:
        done = grade("adjust", *arguments, "--because", "x", "-o", out)
        assert done.exit_code == 2 and sentence in done.stderr and done.stderr.count("\n") == 1
    with sqlite3.connect(out / GRADEBOOK) as book:
        assert book.execute("SELECT count(*) FROM decisions").fetchone() == (0,)


def test_without_a_gradebook_or_during_a_run(out, tmp_path):
    done = grade("adjust", "cy", "04", "--points", "1", "--because", "x", "-o", tmp_path / "no")
    assert done.exit_code == 2 and "holds no gradebook" in done.stderr and not (tmp_path / "no").exists()
    with lock_output(out):
        done = grade("adjust", "cy", "04", "--points", "1", "--because", "x", "-o", out)
        assert done.exit_code == 2 and "wait until it has ended" in done.stderr
        assert grade("history", "cy", "-o", out).exit_code == 0


def test_a_decision_is_on_disk_when_the_command_prints_it(out, monkeypatch):
    gradebook = Gradebook(out / GRADEBOOK)
    seen: list[str] = []
    gradebook._connection._connection.set_trace_callback(seen.append)
    gradebook.decide([])
    gradebook.close()
    assert seen == ["PRAGMA synchronous=FULL", "BEGIN IMMEDIATE", "COMMIT", "PRAGMA synchronous=NORMAL"]


# What else ------------------------------------------------------------------------------------------------------------


def test_the_course_is_gone(tmp_path):
    out = tmp_path / "grades"
    write_gradebook(out, {"ada": 1})
    gradebook = Gradebook(out / GRADEBOOK)
    gradebook.describe({"course": str(tmp_path / "gone")})
    gradebook.close()
    done = grade("adjust", "ada", "04", "--points", "2", "--because", "x", "-o", out)
    assert done.exit_code == 0 and "1 report is out of date" in done.stderr and totals(out) == {"ada": "2 of 2"}
    assert not (out / "ada").exists()
    grade("comment", "ada", "Well.", "-o", out, "--course", ROOT)
    results = read_results(out / "ada")
    assert results is not None and results.score == 2


def test_a_file_exported_before_is_reported(out):
    (out / "canvas.csv").write_text("x")
    done = grade("comment", "cy", "Well.", "-o", out)
    assert done.stderr == "grade: canvas.csv was exported before: export it again.\n"


@pytest.fixture
def summer_in_sydney(monkeypatch):
    """The machine's time zone: eleven hours before UTC in November."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TZ", "Australia/Sydney")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_times_are_in_the_assignment_s_zone_and_name_it(out, summer_in_sydney):
    assert "submitted 2026-11-20 23:00 AEDT" in " ".join(grade("history", "cy", "-o", out).stdout.split())
    gradebook = Gradebook(out / GRADEBOOK)
    due = datetime(2026, 11, 20, 23, 59, tzinfo=ZoneInfo("Europe/Zurich"))
    gradebook.set_assignment(Assignment("Homework", {CROSS: {"dlogits": 1.0}}, due=due))
    gradebook.close()
    done = grade("extend", "cy", "--until", "2026-11-22T18:00+00:00", "--because", "Ill", "-o", out)
    assert "extended until 2026-11-22 19:00 CET" in done.stdout
    words = " ".join(grade("history", "cy", "-o", out).stdout.split())
    assert "submitted 2026-11-20 13:00 CET" in words and "extended until 2026-11-22 19:00 CET" in words
    assert "AEDT" not in words


def test_who_decides(monkeypatch):
    monkeypatch.delenv("GRADE_AUTHOR", raising=False)
    monkeypatch.setattr("getpass.getuser", lambda: "grace")
    assert decisions.author_name() == "grace"
    monkeypatch.setenv("GRADE_AUTHOR", "TA")
    assert decisions.author_name() == "TA"


@pytest.mark.full
def test_the_commands_do_without_torch(out):
    code = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from grader.commands.grade import main\n"
        f"done = CliRunner().invoke(main, ['history', 'cy', '-o', {str(out)!r}])\n"
        f"done = CliRunner().invoke(main, ['excuse', 'cy', '--because', 'x', '-o', {str(out)!r}])\n"
        "sys.exit(done.output if done.exit_code or 'torch' in sys.modules else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


# A backup, which nobody may write -------------------------------------------------------------------------------------


NOBODY = 65_534  # a user id


@contextmanager
def as_nobody() -> Iterator[None]:
    """Root may write everything, so act as a user who is not."""
    is_root = os.geteuid() == 0
    try:
        if is_root:
            os.seteuid(NOBODY)
        yield
    finally:
        if is_root:
            os.seteuid(0)


@pytest.fixture
def backup() -> Iterator[Path]:
    """A folder with a gradebook that cannot be written, and a roster."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_gradebook(folder / "grades", {"Ada": 1})
        (folder / "roster.csv").write_text("name,id\nAda,1\n")
        folder.chmod(0o777)
        for place in (folder / "grades", *(folder / "grades").iterdir()):
            place.chmod(0o555)
        yield folder
        (folder / "grades").chmod(0o755)


def test_history_and_exports_of_a_backup(backup):
    grades, roster = backup / "grades", backup / "roster.csv"
    before = sorted(grades.iterdir())
    history = ("history", "Ada", "-o", grades)
    exports = [("export", name, grades, "--roster", roster) for name in ("canvas", "moodle", "mailmerge")]
    commands = [history, *((*each, "-o", backup / f"{each[1]}.csv") for each in exports)]
    ran = [grade(*each) for each in commands]  # as root: what is imported only now may be out of nobody's reach
    for path in backup.glob("*.csv"):
        path.chmod(0o666)
    with as_nobody():
        again = [grade(*each) for each in commands]
    assert [each.output for each in again] == [each.output for each in ran]
    assert [each.exit_code for each in again] == [0, 0, 0, 0]
    assert "Ada now has 1 of 2." in again[0].output and sorted(grades.iterdir()) == before


def test_a_command_that_decides_says_what_to_do(backup):
    with as_nobody():
        refused = grade("comment", "Ada", "Well done.", "-o", backup / "grades")
    assert refused.exit_code == 2 and "give another folder with -o" in refused.output
