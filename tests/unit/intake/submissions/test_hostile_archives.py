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


def named(name: str, kind: bytes = tarfile.REGTYPE, size: int = 0) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.size = kind, size
    return entry


def zeros(mebibytes: int) -> bytes:
    return named("data.bin", size=mebibytes * MIB).tobuf() + bytes(mebibytes * MIB)


def bzip2_bomb() -> bytes:
    """9 KB that unpack to 200 MiB: 25 seconds before there was a bound."""
    return bz2.compress(zeros(20)[: 20 * MIB]) + bz2.compress(bytes(20 * MIB)) * 9


def pax(records: bytes) -> bytes:
    return tar_of([(named("././@PaxHeader", tarfile.XHDTYPE), records), (named("backward.py"), SOURCE)])


def record(key: str, value: str) -> bytes:
    length = len(key) + len(value) + 3
    while len(str(length)) + len(key) + len(value) + 3 != length:
        length = len(str(length)) + len(key) + len(value) + 3
    return f"{length} {key}={value}\n".encode()


def sparse() -> bytes:
    """A sparse file that claims two gibibytes, in four thousand pieces."""
    fields = {"map": ",".join(f"{n * 1024},1" for n in range(4_000)), "size": str(2 << 30), "major": "0", "minor": "1"}
    return pax(b"".join(record(f"GNU.sparse.{name}", value) for name, value in fields.items()))


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
    at, start = data.index(b"PK\x05\x06"), data.index(b"PK\x01\x02")
    end64 = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, 4 << 30, start)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, at, 1)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return data[:at] + end64 + locator + end


def large_header() -> bytes:
    """A pax header of 400 MiB, which tarfile reads in one go."""
    header = named("././@PaxHeader", tarfile.XHDTYPE, 400 * MIB)
    return gzip.compress(header.tobuf()) + gzip.compress(bytes(20 * MIB)) * 20


def chained_headers() -> bytes:
    """A pax header before a pax header before ...: tarfile calls itself for each."""
    return gzip.compress(named("././@PaxHeader", tarfile.XHDTYPE).tobuf() * 5_000 + bytes(1024))


DAMAGED = "cannot be unpacked"
ARCHIVES: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "a bzip2 bomb of 9 KB": (".tar.bz2", bzip2_bomb, ""),
    "a gzip bomb": (".tar.gz", lambda: gzip.compress(zeros(60)), ""),
    "a bomb by another suffix": (".tar.gz", lambda: lzma.compress(zeros(60)), ""),
    # Python's own readers skip streams that hold nothing within one call
    "empty gzip streams": (".tar.gz", lambda: gzip.compress(b"") * (MIB // len(gzip.compress(b""))), DAMAGED),
    "a torn gzip": (".tar.gz", lambda: gzip.compress(tar_of([(named("a.py"), SOURCE * 500)]))[:60], DAMAGED),
    "12,000 members": (
        ".tar.gz",
        lambda: gzip.compress(tar_of([(named(f"{n}.txt"), b"") for n in range(12_000)])),
        "more than 10,000 entries",
    ),
    "a sparse file": (".tar", sparse, "a sparse file in it"),
    # tarfile searches such a header for four minutes, within one call
    "half a megabyte of digits": (
        ".tar",
        lambda: pax(record("GNU.sparse.map", "9" * 500_000) + record("GNU.sparse.size", "1")),
        "cannot be unpacked: reading it took more than 3 seconds",
    ),
    "a size of 10^400": (".tar", lambda: pax(record("size", "9" * 400)), DAMAGED),
    "hard links": (".tar", hard_links, "has a link, a device or a sparse file in it ('backward.py')"),
    "folders 2,000 deep": (".zip", lambda: zip_of({"a/" * 2_000 + "b.py": SOURCE}), "folders more than 10 deep"),
    "a name of 60 kB": (".zip", lambda: zip_of({"a" * 60_000 + ".py": SOURCE}), "The archive cannot be unpacked"),
    "a list of 4 GiB by zip64": (".zip", lambda: zip_claiming(1 << 40), DAMAGED),
    "zeros": (".zip", lambda: zip_of({"backward.py": bytes(100 * MIB)}), "backward.py in the archive is too large"),
    "zeros that add up": (
        ".zip",
        lambda: zip_of({f"{n}.py": bytes(MIB) for n in range(80)}),
        "unpacks to more than 67",
    ),
    "a header of 400 MiB": (".tar.gz", large_header, DAMAGED),
    "headers in headers": (".tar.gz", chained_headers, DAMAGED),
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
    folder, bomb = tmp_path / "class", bzip2_bomb()
    assert len(bomb) < 9_500
    (folder / "hopper" / "04_cross_entropy").mkdir(parents=True)
    (folder / "hopper" / "04_cross_entropy" / "backward.py").write_text(solution_of(course.find("04")))
    for name in ("ada", "bo", "zoe"):
        (folder / f"{name}.tar.bz2").write_bytes(bomb)
    command = ["run", str(folder), "--lesson", "4", "-o", str(tmp_path / "out"), "--jobs", "2", "--course", str(ROOT)]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    with (tmp_path / "out" / "grades.csv").open(newline="") as file:
        assert [row[:2] for row in csv.reader(file)][1:] == [["ada", "0"], ["bo", "0"], ["hopper", "3"], ["zoe", "0"]]
