"""Commands that only read a gradebook work on a backup: a copy that nobody may write."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from made_gradebook import grade, write_gradebook

NOBODY = 65_534
ROSTER = "name,id\nAda,1\n"


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
        (folder / "roster.csv").write_text(ROSTER, encoding="utf-8")
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
