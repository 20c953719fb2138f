"""A gradebook of the second format is changed in place: nothing in it is lost, whatever happens meanwhile."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest
from made_gradebook import CROSS, grade
from made_results import lesson as lesson_of
from made_results import results as results_by_hand
from made_results import row

from grader.gradebook import schema
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.files import OutputError
from grader.gradebook.records import Decision

SECOND = """
CREATE TABLE attempts (
    id INTEGER PRIMARY KEY,
    student TEXT NOT NULL,
    key TEXT NOT NULL,
    submission_sha256 TEXT NOT NULL,
    status TEXT NOT NULL,
    score REAL NOT NULL,
    max_score REAL NOT NULL,
    finished TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    results TEXT NOT NULL
);
CREATE INDEX attempts_of_a_student ON attempts (student, id);
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
PRAGMA user_version=2;
"""
"""The schema of version 2, as `grade run` wrote it until November 2026."""


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """OUT with a gradebook of the second format: ada graded twice, Bo, and a name that a roster has replaced."""
    book = sqlite3.connect(tmp_path / GRADEBOOK)
    book.execute("PRAGMA journal_mode=WAL")
    book.executescript(SECOND)
    for student, right in (("ada", False), ("Bo", True), ("ada", True), ("x1", True)):
        made = lesson_of(CROSS, row("dlogits", "passed" if right else "failed"))
        results = results_by_hand(student, made, submission_sha256=f"{student}")
        book.execute(
            "INSERT INTO attempts (student, key, submission_sha256, status, score, max_score, results) "
            "VALUES (?, 'key', ?, 'graded', ?, 1, ?)",
            (student, student, int(right), json.dumps(results.to_json())),
        )
    about = {"course": "/nowhere", "seed": "drawn", "renamed x1": "4"}
    book.executemany("INSERT INTO about VALUES (?, ?)", about.items())
    book.commit()
    book.close()
    return tmp_path


def rows_of(out: Path) -> list[tuple[object, ...]]:
    with sqlite3.connect(out / GRADEBOOK) as book:
        columns = "id, student, key, submission_sha256, status, score, max_score, finished, results"
        return book.execute(f"SELECT {columns} FROM attempts ORDER BY id").fetchall()


def version_of(out: Path) -> int:
    with sqlite3.connect(out / GRADEBOOK) as book:
        (version,) = book.execute("PRAGMA user_version").fetchone()
        return int(version)


def test_every_attempt_is_there_and_current(out):
    before = rows_of(out)
    book = Gradebook(out / GRADEBOOK)
    assert {each.student: each.score for each in book.current()} == {"ada": 1, "Bo": 1}
    assert book.about()["seed"] == "drawn"
    assert [each.submission for each in book.stored_attempts()] == [None] * 4
    book.close()
    assert rows_of(out) == before and version_of(out) == schema.VERSION
    Gradebook(out / GRADEBOOK).close()
    assert rows_of(out) == before


def test_commands_work_on_it(out):
    done = grade("adjust", "ada", "04.dlogits", "--points", "0", "--because", "x", "-o", out)
    assert done.exit_code == 0 and "total 1 → 0 of 1" in done.stdout
    history = grade("history", "ada", "-o", out)
    assert history.exit_code == 0 and history.stdout.count("attempt") == 2


@pytest.mark.parametrize("place", range(len(schema.FROM_2_TO_3)))
def test_a_change_that_ends_half_way_leaves_the_second_format(out, monkeypatch, place):
    before = rows_of(out)
    with monkeypatch.context() as patch:
        statements = [*schema.FROM_2_TO_3[: place + 1], "SELECT no_such_function()"]
        patch.setattr(schema, "FROM_2_TO_3", statements)
        with pytest.raises(OutputError):
            Gradebook(out / GRADEBOOK)
    assert version_of(out) == 2 and rows_of(out) == before
    book = Gradebook(out / GRADEBOOK)
    assert len(list(book.current())) == 2
    book.close()


def test_a_newer_format_is_left_alone(out):
    with sqlite3.connect(out / GRADEBOOK) as book:
        book.execute(f"PRAGMA user_version={schema.VERSION + 1}")
    with pytest.raises(OutputError, match=rf"its format is {schema.VERSION + 1}, this one's {schema.VERSION}"):
        Gradebook(out / GRADEBOOK)
    assert version_of(out) == schema.VERSION + 1


def test_a_gradebook_of_the_third_format_gets_a_table_for_times(out):
    Gradebook(out / GRADEBOOK).close()
    with sqlite3.connect(out / GRADEBOOK) as book:
        book.executescript("DROP TABLE times; PRAGMA user_version=3")
    before = rows_of(out)
    book = Gradebook(out / GRADEBOOK)
    book.set_time(1, datetime(2026, 11, 20, tzinfo=UTC), "times.csv, line 2")
    assert [each.time_source for each in book.stored_attempts("ada")] == ["times.csv, line 2", None]
    book.close()
    assert rows_of(out) == before and version_of(out) == schema.VERSION


def test_decisions_of_the_fourth_format_stay_and_a_defence_can_be_added(out):
    """The table is made again with one more kind: ids, undoings and the triggers against changes are there."""
    Gradebook(out / GRADEBOOK).close()
    old = "', '".join(schema.KINDS_OF_DECISIONS[:-1])
    with sqlite3.connect(out / GRADEBOOK) as book:
        ((text,),) = book.execute("SELECT sql FROM sqlite_master WHERE name = 'decisions'").fetchall()
        former = text.replace(", 'defence'", "").replace('"decisions"', "decisions")
        assert old in former and "'defence'" not in former
        book.executescript(f"DROP TABLE decisions; {former}; PRAGMA user_version=4")
        columns = "id, kind, made, points, undoes, student, author"
        add = f"INSERT INTO decisions ({columns}) VALUES (?, ?, ?, ?, ?, 'ada', 'TA')"
        made = "2026-11-20T00:00:00+00:00"
        book.executemany(add, [(7, "points", made, 1, None), (9, "undo", made, None, 7)])
    book = Gradebook(out / GRADEBOOK)
    assert [(each.id, each.kind, each.undoes) for each in book.decisions.all()] == [(7, "points", None), (9, "undo", 7)]
    held = Decision(0, "ada", "defence", "TA", datetime(2026, 11, 21, tzinfo=UTC), "04_cross_entropy.q:defence", 0.5)
    assert [each.id for each in book.decisions.add([held])] == [10]
    book.close()
    with sqlite3.connect(out / GRADEBOOK) as changed, pytest.raises(sqlite3.IntegrityError, match="never deleted"):
        changed.execute("DELETE FROM decisions")
