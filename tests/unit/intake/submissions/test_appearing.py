"""Which entries of a followed folder are complete, by a clock that the test sets."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.intake.submissions.appearing import EMPTY_SECONDS, Appearing


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def inbox(tmp_path: Path, clock: Clock) -> Appearing:
    return Appearing(tmp_path, 1.0, clock)


def complete(inbox: Appearing, clock: Clock, seconds: float = 0.0) -> set[str]:
    """The complete entries after so many seconds, in which the folder is looked at twice a second."""
    end = clock.now + seconds
    while clock.now < end:
        clock.now += 0.5
        inbox.look()
    inbox.look()
    return set(inbox.complete())


def test_an_entry_is_complete_once_nothing_below_it_has_changed_for_a_while(inbox, clock):
    file, place = inbox.folder / "ada.py", inbox.folder / "bo" / "03_makemore_steps"
    file.write_text("def dx(): pass\n")
    place.mkdir(parents=True)
    assert complete(inbox, clock, 0.5) == set()
    file.write_text("def dx(): pass\n" * 2)  # it is still being written
    os.utime(file, (1_000.0, 1_000.0))  # clocks of file servers differ
    assert complete(inbox, clock, 1.0) == set()
    assert complete(inbox, clock, 0.5) == {"ada.py"}  # an empty folder is about to be filled
    (place / "backward.py").write_text("a = 1\n")
    assert complete(inbox, clock, 1.0) == {"ada.py"}
    assert complete(inbox, clock, 0.5) == {"ada.py", "bo"}


def test_a_file_that_is_replaced_by_renaming_is_another_state(inbox, clock):
    file = inbox.folder / "ada.py"
    file.write_text("a = 1\n")
    complete(inbox, clock, 1.5)
    before, stat = inbox.complete()["ada.py"], file.stat()
    new = inbox.folder / ".ada.py.tmp"
    new.write_text("a = 2\n")
    os.utime(new, ns=(stat.st_mtime_ns, stat.st_mtime_ns))
    new.rename(file)
    assert not inbox.is_unchanged("ada.py", before)
    assert complete(inbox, clock, 0.5) == set()
    assert complete(inbox, clock, 1.0) == {"ada.py"}
    assert inbox.complete()["ada.py"] != before


def test_names_under_which_programs_write_are_left_alone(inbox, clock):
    for name in [".ada.zip.x7Tq", "ada.zip.part", "ada.zip.crdownload", "~$ada.ipynb", "ada.py.tmp"]:
        (inbox.folder / name).write_text("a = 1\n")
        assert complete(inbox, clock, 100.0) == set()


def test_what_is_empty_waits_longer(inbox, clock):
    (inbox.folder / "empty.py").touch()
    (inbox.folder / "ada.zip").write_bytes(b"PK")  # what is cut off is graded as it is, and again when it changes
    assert complete(inbox, clock, EMPTY_SECONDS - 0.5) == {"ada.zip"}
    assert complete(inbox, clock, 1.0) == {"ada.zip", "empty.py"}


def test_a_folder_that_cannot_be_read_keeps_what_is_known(inbox, clock):
    (inbox.folder / "ada.py").write_text("a = 1\n")
    complete(inbox, clock, 1.5)
    moved = inbox.folder.rename(inbox.folder.with_name("moved"))
    with pytest.raises(OSError):
        inbox.look()
    assert set(inbox.complete()) == {"ada.py"}
    moved.rename(inbox.folder)
    assert complete(inbox, clock) == {"ada.py"}
    (inbox.folder / "ada.py").unlink()
    assert complete(inbox, clock) == set()
