"""Archives made to take time, memory or disk: each costs one child and a sentence, and the others are graded."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from support import ROOT, guarded, sampled, solution_of

from grader.commands.grade import main
from grader.intake.submissions.submission import read_submission

MIB = 1 << 20
SOURCE = b"def dlogits(logits):\n    return logits\n"


def tar_of(parts: list[tuple[tarfile.TarInfo, bytes]]) -> bytes:
    made = io.BytesIO()
    for entry, data in parts:
        entry.size = len(data)
        made.write(entry.tobuf(tarfile.GNU_FORMAT) + data + bytes(-len(data) % 512))
    return made.getvalue() + bytes(1024)


def named(name: str, kind: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type = kind
    return entry


def zeros(mebibytes: int) -> bytes:
    entry = named("data.bin")
    entry.size = mebibytes * MIB
    return entry.tobuf() + bytes(mebibytes * MIB)


def bzip2_bomb() -> bytes:
    """9 KB that unpack to 200 MiB: 25 seconds before there was a bound."""
    head, piece = bz2.compress(zeros(0)), bz2.compress(bytes(20 * MIB))
    return bz2.compress(zeros(20)[: 20 * MIB]) + head[:0] + piece * 9


def empty_streams(compress: Callable[[bytes], bytes]) -> bytes:
    """Streams that hold nothing, which Python's own readers skip within one call."""
    piece = compress(b"")
    return piece * (MIB // len(piece))


def pax(records: bytes, kind: bytes = tarfile.XHDTYPE) -> list[tuple[tarfile.TarInfo, bytes]]:
    return [(named("././@PaxHeader", kind), records), (named("backward.py"), SOURCE)]


def record(key: str, value: str) -> bytes:
    length = len(key) + len(value) + 3
    while len(str(length)) + len(key) + len(value) + 3 != length:
        length = len(str(length)) + len(key) + len(value) + 3
    return f"{length} {key}={value}\n".encode()


def many_members(size: int = 0) -> bytes:
    return tar_of([(named(f"{n}.txt"), bytes(size)) for n in range(12_000)])


def sparse() -> bytes:
    """A sparse file that claims two gibibytes, in four thousand pieces."""
    numbers = ",".join(f"{n * 1024},1" for n in range(4_000))
    records = (
        record("GNU.sparse.map", numbers) + record("GNU.sparse.size", str(2 << 30)) + record("GNU.sparse.major", "0")
    )
    return tar_of(pax(records + record("GNU.sparse.minor", "1")))


def large_sparse_number() -> bytes:
    return tar_of(pax(record("GNU.sparse.map", "9" * 500_000) + record("GNU.sparse.size", "1")))


def hard_links() -> bytes:
    entry = named("backward.py", tarfile.LNKTYPE)
    entry.linkname = "backward.py"
    return tar_of([(entry, b"")] * 5_000)


def zip_of(entries: dict[str, bytes], **fields: int) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
        for entry in archive.filelist:
            for field, value in fields.items():
                setattr(entry, field, value)
    return made.getvalue()


def zip_claiming(count: int) -> bytes:
    """An end record that claims a list of four gibibytes, by way of zip64."""
    data = zip_of({"backward.py": SOURCE})
    at = data.index(b"PK\x05\x06")
    start = data.index(b"PK\x01\x02")
    end64 = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, 4 << 30, start)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, at, 1)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return data[:at] + end64 + locator + end


def large_header() -> bytes:
    """A pax header of 400 MiB, which tarfile reads in one go."""
    entry = named("././@PaxHeader", tarfile.XHDTYPE)
    entry.size = 400 * MIB
    return gzip.compress(entry.tobuf()) + gzip.compress(bytes(20 * MIB)) * 20


def chained_headers() -> bytes:
    """A pax header before a pax header before ...: tarfile calls itself for each."""
    return gzip.compress(named("././@PaxHeader", tarfile.XHDTYPE).tobuf() * 5_000 + bytes(1024))


ARCHIVES: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "a bzip2 bomb of 9 KB": (".tar.bz2", bzip2_bomb, ""),
    "a gzip bomb": (".tar.gz", lambda: gzip.compress(zeros(60)), ""),
    "a bomb by another suffix": (".tar.gz", lambda: lzma.compress(zeros(60)), ""),
    "empty gzip streams": (".tar.gz", lambda: empty_streams(gzip.compress), "cannot be unpacked"),
    "a torn gzip": (
        ".tar.gz",
        lambda: gzip.compress(tar_of([(named("a.py"), SOURCE * 500)]))[:60],
        "cannot be unpacked",
    ),
    "12,000 members": (".tar.gz", lambda: gzip.compress(many_members(), 9), "more than 10,000 entries"),
    "a sparse file": (".tar", sparse, "a sparse file in it"),
    # tarfile searches such a header for four minutes, within one call
    "half a megabyte of digits": (
        ".tar",
        large_sparse_number,
        "cannot be unpacked: reading it took more than 3 seconds",
    ),
    "a size of 10^400": (".tar", lambda: tar_of(pax(record("size", "9" * 400))), "cannot be unpacked"),
    "hard links": (".tar", hard_links, "has a link, a device or a sparse file in it ('backward.py')"),
    "folders 2,000 deep": (".zip", lambda: zip_of({"a/" * 2_000 + "b.py": SOURCE}), "folders more than 10 deep"),
    "a name of 60 kB": (".zip", lambda: zip_of({"a" * 60_000 + ".py": SOURCE}), "The archive cannot be unpacked"),
    "a list of 4 GiB by zip64": (".zip", lambda: zip_claiming(1 << 40), "cannot be unpacked"),
    "zeros": (".zip", lambda: zip_of({"backward.py": bytes(100 * MIB)}), "backward.py in the archive is too large"),
    "zeros that add up": (
        ".zip",
        lambda: zip_of({f"{n}.py": bytes(MIB) for n in range(80)}),
        "unpacks to more than 67",
    ),
    "a header of 400 MiB": (".tar.gz", large_header, "cannot be unpacked"),
    "headers in headers": (".tar.gz", chained_headers, "cannot be unpacked"),
    "encrypted": (".zip", lambda: zip_of({"backward.py": SOURCE}, flag_bits=1), "is encrypted, password required"),
}


@pytest.mark.full
@sampled("name", ARCHIVES, keep=25)
def test_it_is_refused(tmp_path: Path, lesson, name: str) -> None:
    suffix, make, sentence = ARCHIVES[name]
    path = tmp_path / f"bomb{suffix}"
    path.write_bytes(make())
    with guarded():
        message = read_submission(path, "bomb", [lesson]).message
    if sentence:
        assert message is not None and sentence in message and message.endswith(".")


@pytest.mark.full
def test_grade_run_with_bombs_around_a_right_submission(course, tmp_path: Path) -> None:
    folder = tmp_path / "class"
    (folder / "hopper" / "04_cross_entropy").mkdir(parents=True)
    (folder / "hopper" / "04_cross_entropy" / "backward.py").write_text(solution_of(course.find("04")))
    bomb = bzip2_bomb()
    assert len(bomb) < 9_500
    for name in ("ada", "bo", "zoe"):
        (folder / f"{name}.tar.bz2").write_bytes(bomb)
    command = ["run", str(folder), "--lesson", "4", "-o", str(tmp_path / "out"), "--jobs", "2", "--course", str(ROOT)]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    with (tmp_path / "out" / "grades.csv").open(newline="") as file:
        assert [row[:2] for row in csv.reader(file)][1:] == [["ada", "0"], ["bo", "0"], ["hopper", "3"], ["zoe", "0"]]
