"""Which entries of a followed folder are complete, by a clock that the test sets."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.intake.submissions.finding import FoundSubmissions
from grader.intake.submissions.inbox import EMPTY_SECONDS, Inbox, folder_state


class Watched(Inbox):
    """The folder, with a clock of its own."""

    def __init__(self, folder: Path) -> None:
        self.now, self.warnings = 0.0, list[str]()
        found = FoundSubmissions([])
        super().__init__(folder, lambda: found, lambda _: None, self.warnings.append, lambda: self.now)

    def complete_after(self, seconds: float = 0.0) -> set[str]:
        """The complete entries after so many seconds, in which the folder is looked at twice a second."""
        end = self.now + seconds
        while self.now < end:
            self.now += 0.5
            self.look()
        self.look()
        return set(self.complete)


@pytest.fixture
def inbox(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


def test_an_entry_is_complete_once_nothing_below_it_has_changed_for_a_while(inbox):
    file, place = inbox.folder / "ada.py", inbox.folder / "bo" / "03_makemore_steps"
    file.write_text("def dx(): pass\n")
    place.mkdir(parents=True)
    assert inbox.complete_after(0.5) == set()
    file.write_text("def dx(): pass\n" * 2)  # it is still being written
    os.utime(file, (1_000.0, 1_000.0))  # clocks of file servers differ
    assert inbox.complete_after(1.0) == set()
    assert inbox.complete_after(0.5) == {"ada.py"}  # an empty folder is about to be filled
    (place / "backward.py").write_text("a = 1\n")
    assert inbox.complete_after(1.0) == {"ada.py"}
    assert inbox.complete_after(0.5) == {"ada.py", "bo"}


def test_a_file_that_is_replaced_by_renaming_is_another_state(inbox):
    file = inbox.folder / "ada.py"
    file.write_text("a = 1\n")
    inbox.complete_after(1.5)
    before, stat = inbox.complete["ada.py"], file.stat()
    new = inbox.folder / ".ada.py.tmp"
    new.write_text("a = 2\n")
    os.utime(new, ns=(stat.st_mtime_ns, stat.st_mtime_ns))
    new.rename(file)
    assert folder_state(file) != before
    assert inbox.complete_after(0.5) == set()
    assert inbox.complete_after(1.0) == {"ada.py"}
    assert inbox.complete["ada.py"] != before


def test_names_under_which_programs_write_are_left_alone(inbox):
    for name in [".ada.zip.x7Tq", "ada.zip.part", "ada.zip.crdownload", "~$ada.ipynb", "ada.py.tmp"]:
        (inbox.folder / name).write_text("a = 1\n")
        assert inbox.complete_after(100.0) == set()


def test_what_is_empty_waits_longer(inbox):
    (inbox.folder / "empty.py").touch()
    (inbox.folder / "ada.zip").write_bytes(b"PK")  # what is cut off is graded as it is, and again when it changes
    assert inbox.complete_after(EMPTY_SECONDS - 0.5) == {"ada.zip"}
    assert inbox.complete_after(1.0) == {"ada.zip", "empty.py"}


def test_a_folder_that_cannot_be_read_keeps_what_is_known(inbox):
    (inbox.folder / "ada.py").write_text("a = 1\n")
    inbox.complete_after(1.5)
    moved = inbox.folder.rename(inbox.folder.with_name("moved"))
    inbox.look()
    assert set(inbox.complete) == {"ada.py"} and "waiting for it" in inbox.warnings[-1]
    moved.rename(inbox.folder)
    assert inbox.complete_after() == {"ada.py"}
    (inbox.folder / "ada.py").unlink()
    assert inbox.complete_after() == set()
