"""Archives made to fill memory or disk: what they take is measured, in a process of its own for each."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support import GUARD_SECONDS, ROOT, sampled, solution_of
from test_archive import SOURCE, tarred, zipped

from grader.intake.submissions.finding import find
from grader.lesson.lesson import Course

MIB = 1 << 20
MAX_MEMORY = 320 * MIB  # a pax header of 256 MiB is read as a whole; the reading process may have 1 GiB
MAX_DISK = 57 * MIB  # ONE.unpacked: 16 of Python and 40 of notebooks, and one piece

# Unpacks, and prints what became of it, how much memory the reading process took at most (None where it was ended), and
# what is on the disk at that moment.
MEASURE = """
import json, re, sys
from pathlib import Path
from grader.intake.submissions import unpacking
from grader.intake.submissions.archive import in_reading_process
from grader.intake.submissions.archive_writer import ArchiveRefused
from grader.source.reader import source_reader
archive, folder, whole_class = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] == "class"
reader = source_reader()
def peak():
    if reader._process is None or reader._process.poll() is not None:
        return None
    return 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", Path(f"/proc/{reader._process.pid}/status").read_text())[1])
size, sentence = archive.stat().st_size, None
try:
    if whole_class:
        in_reading_process(unpacking.list_entries, archive.name, size, archive, None)
        in_reading_process(unpacking.unpack_class_archive, archive.name, size, archive, folder, None)
    else:
        in_reading_process(unpacking.unpack_one, archive.name, size, archive, folder)
except ArchiveRefused as refused:
    sentence = str(refused)
disk = sum(p.stat().st_blocks * 512 for p in folder.rglob("*") if p.is_file())
print(json.dumps({"sentence": sentence, "memory": peak(), "disk": disk}))
"""


def measured(path: Path, kind: str = "one") -> tuple[str | None, int | None, int]:
    """(why it was refused, bytes of memory, bytes on the disk)."""
    folder = path.parent / "unpacked"
    folder.mkdir()
    command = [sys.executable, "-c", MEASURE, str(path), str(folder), kind]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=GUARD_SECONDS, check=True)
    found = json.loads(done.stdout)
    return found["sentence"], found["memory"], found["disk"]


def plain(path: Path) -> Path:
    return zipped(path.with_suffix(".zip"), {"backward.py": bytes(100 * MIB)})


def sums_up(path: Path) -> Path:
    return zipped(path.with_suffix(".zip"), {f"{n}.py": bytes(MIB) for n in range(30)})


def notebooks(path: Path) -> Path:
    """No single one too large, and noise does not compress: only their sum is too much."""
    noise = bytes(range(256)) * 4
    pieces = {f"{n}.ipynb": b"".join(noise[n:] + noise[:n] for _ in range(15 * 1024)) for n in range(4)}
    with zipfile.ZipFile(path.with_suffix(".zip"), "w", zipfile.ZIP_STORED) as made:
        for name, data in pieces.items():
            made.writestr(name, data)
    return path.with_suffix(".zip")


def nested(path: Path) -> Path:
    """Nine zips in each of nine, three times over, in the manner of 42.zip."""
    data = zlib_zip({"backward.py": bytes(10 * MIB)})
    for _ in range(3):
        data = zlib_zip({f"{n}.zip": data for n in range(9)})
    path.with_suffix(".zip").write_bytes(data)
    return path.with_suffix(".zip")


def zlib_zip(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


def overlapping(path: Path) -> Path:
    """One file's bytes under three hundred names: small on the way in, large on the way out."""
    path = path.with_suffix(".zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0.py", bytes(MIB))
        (entry,) = archive.filelist
        for n in range(1, 300):
            again = zipfile.ZipInfo(f"{n}.py")
            for field in ("compress_type", "CRC", "compress_size", "file_size", "header_offset"):
                setattr(again, field, getattr(entry, field))
            archive.filelist.append(again)
    return path


def tar_of_zeros(path: Path, compress: Callable[[bytes], bytes], suffix: str, mebibytes: int = 400) -> Path:
    """A header that announces the zeros, and then the same compressed piece again and again."""
    entry = tarfile.TarInfo("data.bin")
    entry.size = mebibytes * MIB
    path = path.with_suffix(suffix)
    path.write_bytes(compress(entry.tobuf()) + compress(bytes(20 * MIB)) * (mebibytes // 20))
    return path


def large_header(path: Path) -> Path:
    """A pax header of 400 MiB, which tarfile reads in one go."""
    path = tar_of_zeros(path, gzip.compress, ".tar.gz")
    entry = tarfile.TarInfo("././@PaxHeader")
    entry.type, entry.size = tarfile.XHDTYPE, 400 * MIB
    path.write_bytes(gzip.compress(entry.tobuf()) + gzip.compress(bytes(20 * MIB)) * 20)
    return path


def many_headers(path: Path) -> Path:
    """Global pax headers of half a mebibyte each, under names of their own: tarfile keeps them all."""
    made = io.BytesIO()
    for n in range(100):
        record = f" {n}x={'y' * (MIB // 2)}\n"
        record = f"{len(record) + 6}" + record
        entry = tarfile.TarInfo("././@PaxHeader")
        entry.type, entry.size = tarfile.XGLTYPE, len(record)
        made.write(entry.tobuf() + record.encode() + bytes(-len(record) % 512))
        made.write(tarfile.TarInfo(f"{n}.txt").tobuf())
    path = path.with_suffix(".tar.gz")
    path.write_bytes(gzip.compress(made.getvalue()))
    return path


def chained_headers(path: Path) -> Path:
    """A pax header before a pax header before ...: tarfile calls itself for each."""
    entry = tarfile.TarInfo("././@PaxHeader")
    entry.type = tarfile.XHDTYPE
    path = path.with_suffix(".tar.gz")
    path.write_bytes(gzip.compress(entry.tobuf() * 5_000 + bytes(1024)))
    return path


def large_dictionary(path: Path) -> Path:
    """An .xz whose header asks for four gibibytes to unpack with."""
    data = bytearray(lzma.compress(tarfile.TarInfo("a.py").tobuf() + bytes(1024), lzma.FORMAT_XZ))
    at = data.index(b"\x21\x01", 12)
    data[at + 2] = 40
    end = 12 + (data[12] + 1) * 4 - 4
    data[end : end + 4] = struct.pack("<I", zlib.crc32(data[12:end]))
    path.with_suffix(".tar.xz").write_bytes(data)
    return path.with_suffix(".tar.xz")


def hundred_thousand(path: Path) -> Path:
    path = path.with_suffix(".zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("0.txt", b"")
        (entry,) = archive.filelist
        for n in range(1, 100_000):
            again = zipfile.ZipInfo(f"{n}.txt")
            again.CRC, again.header_offset = entry.CRC, entry.header_offset
            archive.filelist.append(again)
    return path


def hundred_thousand_in_a_tar(path: Path) -> Path:
    path = path.with_suffix(".tar.gz")
    entry = tarfile.TarInfo("a.txt")
    path.write_bytes(gzip.compress(entry.tobuf() * 100_000 + bytes(1024), 1))
    return path


BOMBS: dict[str, tuple[Callable[[Path], Path], str]] = {
    "a file of zeros": (plain, "backward.py in the archive is too large: at most 1,048,576 bytes are read."),
    "many that add up": (sums_up, "more than 200 times its size"),
    "notebooks that add up": (notebooks, ".ipynb files are too large: at most 41,943,040 bytes are read."),
    "zips in zips": (nested, "holds no Python file but another archive"),
    "overlapping entries": (overlapping, "entries overlap each other"),
    "gzip": (lambda path: tar_of_zeros(path, gzip.compress, ".tar.gz"), "The archive unpacks to more than"),
    "bzip2": (lambda path: tar_of_zeros(path, bz2.compress, ".tar.bz2"), "The archive unpacks to more than"),
    "a header of 400 MiB": (large_header, "The archive unpacks to more than"),
    "headers that are kept": (many_headers, "The archive unpacks to more than"),
    "headers in headers": (chained_headers, "cannot be unpacked"),
    "a large dictionary": (large_dictionary, "cannot be unpacked"),
    "100,000 entries": (hundred_thousand, "more than 10,000 entries"),
    "100,000 entries in a tar": (hundred_thousand_in_a_tar, "more than 10,000 entries"),
}


SLOW = {"bzip2", "headers that are kept", "notebooks that add up", "a header of 400 MiB"}


linux = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is measured by Linux's /proc")


@linux
@sampled("name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in BOMBS], keep=1)
def test_memory_and_disk_stay_under_the_caps(tmp_path: Path, name: str) -> None:
    make, expected = BOMBS[name]
    sentence, memory, disk = measured(make(tmp_path / "bomb"))
    assert (sentence is None) == (expected == "") and expected in (sentence or "")
    assert memory is None or memory <= MAX_MEMORY, f"{memory:,}"
    assert disk <= MAX_DISK, f"{disk:,}"


@linux
@pytest.mark.slow
def test_as_a_whole_class_100_000_entries_are_listed_in_little_memory(tmp_path: Path) -> None:
    """Whoever grades gives that archive themselves; its list is read before anything is known of it."""
    sentence, memory, disk = measured(hundred_thousand(tmp_path / "class"), "class")
    assert sentence is None and memory is not None and memory <= MAX_MEMORY and disk == 0


@pytest.fixture(scope="module")
def bombs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A class of bombs and worse, and between them one right submission."""
    folder = tmp_path_factory.mktemp("class")
    for name, make in {"zeros": sums_up, "nested": nested, "overlap": overlapping, "entries": hundred_thousand}.items():
        make(folder / name)
    large_header(folder / "header")
    link, device = tarfile.TarInfo("04_cross_entropy/backward.py"), tarfile.TarInfo("04_cross_entropy/backward.py")
    link.type, link.linkname, device.type = tarfile.SYMTYPE, "/etc/passwd", tarfile.CHRTYPE
    tarred(folder / "links.tar.gz", [(link, b"")])
    tarred(folder / "devices.tar.gz", [(device, b"")])
    zipped(folder / "case.zip", {"04_cross_entropy/backward.py": SOURCE, "04_cross_entropy/BACKWARD.py": SOURCE})
    right = solution_of(Course(ROOT).find("04")).encode()
    zipped(folder / "hopper.zip", {"hopper/04_cross_entropy/backward.py": right})
    yield folder


@pytest.mark.full
def test_each_is_a_result_and_the_next_submission_is_graded(bombs: Path, course, session_for) -> None:
    found = find([bombs], [course.find("04")], list(course.lessons.values()))
    results = [session_for("04").grade(submission).results.to_json() for submission in found]
    assert [(each["student"], each["status"], each["score"]) for each in results] == [
        ("case", "rejected", 0),
        ("devices", "rejected", 0),
        ("entries", "rejected", 0),
        ("header", "rejected", 0),
        ("hopper", "graded", 3),
        ("links", "rejected", 0),
        ("nested", "rejected", 0),
        ("overlap", "rejected", 0),
        ("zeros", "rejected", 0),
    ]
    assert [each["message"] for each in results if each["status"] == "graded"] == [None]
    assert all(each["message"].endswith(".") or each["message"].endswith("?") for each in results if each["message"])


def test_nothing_is_left_behind(bombs: Path, course, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    found = find([bombs], [course.find("04")], list(course.lessons.values()))
    assert len(list(found)) == 9
    del found
    assert list(tmp_path.iterdir()) == []
