"""Opening a student's file while the student puts something else in its place."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

from grader.intake.submissions import archives, file_kinds
from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.file_kinds import open_regular
from grader.intake.submissions.submission import read_submission
from grader.lesson.lesson import Course

RIGHT, SECRET = b"def dlogits():\n    return 1\n", b"def dlogits():\n    return 'the answer key'\n"


def test_only_a_regular_file_is_opened_and_through_no_link(tmp_path):
    (tmp_path / "b" / "c").mkdir(parents=True)
    (tmp_path / "b" / "c" / "a.py").write_bytes(RIGHT)
    (tmp_path / "d").symlink_to("b")
    (tmp_path / "b" / "e").symlink_to("c")
    (tmp_path / "link.py").symlink_to("b/c/a.py")
    os.mkfifo(tmp_path / "pipe.py")
    with open(tmp_path / "b/c/a.py", "rb", opener=open_regular) as file:
        assert file.read() == RIGHT
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").is_dir() else 0
    for place in ("d/c/a.py", "b/e/a.py", "b/e/../c/a.py", "link.py", "pipe.py", "b/c", "none.py"):
        with pytest.raises(OSError):
            open_regular(tmp_path / place)
    assert not before or len(os.listdir("/proc/self/fd")) == before


def changing(module: object, monkeypatch: pytest.MonkeyPatch, change: Callable[[], None], at: int = 0) -> None:
    """Let a student `change` something just before the grader opens a file for the time number `at`."""
    opened, number = open_regular, iter(range(1000))

    def late(path: str | Path, flags: int = 0) -> int:
        if next(number) == at:
            change()
        return opened(path, flags)

    monkeypatch.setattr(module, "open_regular", late)


def test_a_folder_that_becomes_a_link_leads_nowhere(tmp_path, course: Course, monkeypatch):
    """The first file is read, and then the lesson's folder is a link to the answer key's. Both are files of it."""
    lesson = course.find("04")
    for place, content in (("ada", b"import a_helper, z_helper\n" + RIGHT), ("secret", SECRET)):
        (tmp_path / place / lesson.name).mkdir(parents=True)
        for name in ("a_helper.py", "backward.py", "z_helper.py"):
            (tmp_path / place / lesson.name / name).write_bytes(content)
    own, kept = tmp_path / "ada" / lesson.name, tmp_path / "ada" / ".kept"

    def swap() -> None:
        own.rename(kept)
        own.symlink_to(tmp_path / "secret" / lesson.name)

    changing(file_kinds, monkeypatch, swap, at=1)
    read = read_submission(Arrival("ada", tmp_path / "ada"), [lesson])
    assert own.is_symlink() and SECRET not in read.lessons[lesson.name].files.values()


def test_an_archive_that_becomes_a_pipe_stops_nobody(tmp_path, monkeypatch):
    path = tmp_path / "ada.zip"
    with ZipFile(path, "w") as packed:
        packed.writestr("04_cross_entropy/backward.py", RIGHT)

    def put_a_pipe() -> None:
        path.unlink()
        os.mkfifo(path)

    changing(archives, monkeypatch, put_a_pipe)
    (tmp_path / "unpacked").mkdir()
    found = archives.unpack_archives({"": path}, tmp_path / "unpacked", False)
    reason = "it is not an ordinary file"
    assert found.refused[""] == f"ada.zip cannot be unpacked ({reason}): pack it again and submit again."
    assert not any((tmp_path / "unpacked").iterdir())
