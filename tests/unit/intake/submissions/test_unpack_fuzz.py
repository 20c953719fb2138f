"""Whatever bytes an archive is made of: it is read, or refused with a sentence; nothing is raised, left, or let out."""

from __future__ import annotations

import gc
import gzip
import io
import tarfile
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from grader.intake.submissions.arrival import Arrival, SubmissionError
from grader.intake.submissions.file_kinds import ARCHIVE_SUFFIXES, Unreadable
from grader.intake.submissions.finding import find
from grader.intake.submissions.gathered import gathered
from grader.intake.submissions.submission import read_submission
from grader.lesson.lesson import Course, Lesson

SOURCE = b"def dlogits(logits):\n    return logits\n"
NAMES = [
    *("04_cross_entropy/backward.py", "backward.py", "ada/04_cross_entropy/backward.py", "a/b/c/d/e/f/g/h/i/j/k/l.py"),
    *("../backward.py", "/etc/passwd", "C:\\x.py", "..\\..\\x.py", "a/../b.py", "./backward.py", "//x.py", "a//b.py"),
    *("CON.py", "__MACOSX/._x.py", ".DS_Store", "BACKWARD.py", "x.ipynb", "inner.zip", "a/", "backward.py/", "~/x.py"),
    *("später 🥋.py", "x" * 300 + ".py", "\x1b[31m.py", "a\nb.py", " .py", ".py", "", ".", "..", "caf\udce9.py"),
    *("okaforada_12345_67890_backward.py", "Ada Okafor_12_assignsubmission_file_/x.py", "submission_metadata.yml"),
]
names = some.sampled_from(NAMES) | some.text(max_size=12) | some.text("ab/\\.. ", max_size=12).map(lambda t: t + ".py")
contents = some.binary(max_size=40) | some.just(SOURCE) | some.just(bytes(3000))
entries = some.lists(some.tuples(names, contents, some.integers(0, 9)), max_size=6)
MODES = {".zip": "", ".tar": "w", ".tar.gz": "w:gz", ".tgz": "w:gz", ".tar.bz2": "w:bz2", ".tar.xz": "w:xz"}


def made(suffix: str, parts: list[tuple[str, bytes, int]]) -> bytes:
    """An archive of these entries; `kind` makes some of them links, devices and odd ones."""
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that stand there twice
        if suffix == ".zip":
            with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
                for name, data, kind in parts:
                    entry = zipfile.ZipInfo(name.encode("utf-8", "replace").decode() or "x")
                    entry.external_attr = {1: 0o120777, 2: 0o60644, 3: 0o40755}.get(kind, 0o100644) << 16
                    entry.compress_type = {4: 12, 5: 14, 6: 0}.get(kind, 8)
                    archive.writestr(entry, data)
            return out.getvalue()
        with tarfile.open(fileobj=out, mode=MODES[suffix], errors="surrogateescape") as tar:  # type: ignore[call-overload]
            for name, data, kind in parts:
                member = tarfile.TarInfo(name)
                member.type = [b"0", b"1", b"2", b"3", b"4", b"5", b"6", b"7", b"0", b"S"][kind]
                member.size, member.linkname = len(data), "../../x"
                try:
                    tar.addfile(member, io.BytesIO(data))
                except UnicodeEncodeError:
                    tar.addfile(tarfile.TarInfo("backward.py"))
    return out.getvalue()


@some.composite
def archives(draw: some.DrawFn) -> tuple[str, bytes]:
    """(suffix, bytes): an archive as it is, torn, with bytes changed, or no archive at all."""
    suffix = draw(some.sampled_from(ARCHIVE_SUFFIXES))
    if draw(some.integers(0, 9)) == 0:
        return suffix, draw(some.sampled_from([b"", b"PK\x03\x04", b"\x1f\x8b\x08", b"BZh9"])) + draw(some.binary())
    parts = draw(entries)
    data = made(suffix, parts)
    packed = draw(some.booleans()) and suffix in (".tar.gz", ".tgz")
    inner = gzip.decompress(data) if packed else data  # torn below the compression, where the checksum does not tell
    for _ in range(draw(some.integers(0, 3))):
        at = draw(some.integers(0, max(0, len(inner) - 1)))
        inner = inner[:at] + draw(some.binary(max_size=6)) + inner[at + draw(some.integers(0, 8)) :]
    return suffix, gzip.compress(inner, 1) if packed else inner


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder for the archive, and beside it the one in which everything temporary is made."""
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "in").mkdir()
    (folder / "tmp").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(folder / "tmp"))
        yield folder


def is_read(place: Path, course: Course, lesson: Lesson, suffix: str, data: bytes) -> None:
    path = place / "in" / f"fuzz{suffix}"
    path.write_bytes(data)
    try:
        with gathered(path):
            (folder,) = (place / "tmp").iterdir()
            inside = [entry for entry in folder.rglob("*") if not entry.is_dir() or entry.is_symlink()]
            assert all(entry.is_file() and not entry.is_symlink() for entry in inside)
            assert all(entry.suffix in (".py", ".ipynb") for entry in inside)
    except Unreadable as refused:
        assert str(refused).endswith((".", "?")) and str(place) not in str(refused)
    submission = read_submission(Arrival("fuzz", path), [lesson])
    assert submission.message or set(submission.lessons) == {lesson.name}
    try:
        found = find([path], [lesson], list(course.lessons.values()))
        for each in found:
            assert each.message or each.lessons[lesson.name].present or each.lessons[lesson.name].message
            assert "/" not in each.student and each.student not in ("", ".", "..")
        del found
    except SubmissionError as error:  # taken for a class's archive, which is the instructor's
        assert str(error).endswith((".", "?")) and str(place / "tmp") not in str(error)
    if any((place / "tmp").iterdir()):
        gc.collect()  # an exception that was caught keeps its frames, and they what they made
    path.unlink()
    assert not any((place / "in").iterdir()) and not any((place / "tmp").iterdir())
    assert {entry.name for entry in place.iterdir()} == {"in", "tmp"}


@pytest.mark.full
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(archives())
def test_whatever_it_is(place, course, archive):
    is_read(place, course, course.find("04"), *archive)


@pytest.mark.slow
@settings(max_examples=20_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(archives())
def test_20_000_of_them(place, course, archive):
    is_read(place, course, course.find("04"), *archive)
