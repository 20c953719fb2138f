"""Archives: ordinary ones are read like folders; a hostile one costs one child and a sentence."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from support import guarded, sampled

from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.file_kinds import Unreadable, is_archive, stem_of
from grader.intake.submissions.finding import find
from grader.intake.submissions.gathered import gathered
from grader.intake.submissions.submission import read_submission
from grader.lesson.lesson import Lesson

MIB = 1 << 20
SOURCE = b"def dlogits(logits):\n    return logits\n"


def zip_of(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED, mode: int = 0, **fields: int) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr, entry.compress_type = mode << 16, method
            archive.writestr(entry, data)
        for entry in archive.filelist:
            for field, value in fields.items():
                setattr(entry, field, value)
    return made.getvalue()


def named(name: str, kind: bytes = tarfile.REGTYPE, size: int = 0) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.size, entry.linkname = kind, size, "/etc/passwd" if kind != tarfile.REGTYPE else ""
    return entry


def tar_of(*parts: tuple[tarfile.TarInfo | str, bytes]) -> bytes:
    made = io.BytesIO()
    for entry, data in parts:
        entry = named(entry) if isinstance(entry, str) else entry
        entry.size = len(data)
        made.write(entry.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape") + data + bytes(-len(data) % 512))
    return made.getvalue() + bytes(1024)


def written(folder: Path, name: str, data: bytes) -> Path:
    (folder / name).write_bytes(data)
    return folder / name


def contents(path: Path) -> dict[str, bytes]:
    with gathered(path) as found:
        return {file.shown: file.path.read_bytes() for file in found.files}


def refusal(path: Path) -> str:
    with pytest.raises(Unreadable) as refused, gathered(path):
        pass
    return str(refused.value)


def test_only_python_files_come_out_and_the_folder_goes_away(tmp_path: Path) -> None:
    work = {"04_cross_entropy/backward.py": SOURCE, "04_cross_entropy/sub folder/später 🥋.py": b"x = 1\n"}
    others = ("04_cross_entropy/notes.txt", "__MACOSX/04_cross_entropy/._backward.py", ".DS_Store")
    path = written(tmp_path, "ada.zip", zip_of(work | dict.fromkeys(others, b"clutter")))
    assert contents(path) == work
    with gathered(path) as found:
        assert all(file.path.is_file() for file in found.files)
    assert not any(file.path.exists() for file in found.files)


def test_every_kind_of_archive(tmp_path: Path) -> None:
    tar, right = tar_of(("./03/backward.py", SOURCE)), {"03/backward.py": SOURCE}
    packers = {"tar": bytes, "tar.gz": gzip.compress, "tgz": gzip.compress, "tar.bz2": bz2.compress}
    for suffix, pack in {**packers, "tar.xz": lzma.compress}.items():
        assert contents(written(tmp_path, f"ada.{suffix}", pack(tar))) == right
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        assert contents(written(tmp_path, "w.zip", zip_of({"03\\backward.py": SOURCE}, method))) == right
    names = {"ada.zip": "ada", "ada.tar.gz": "ada", "a.b.TGZ": "a.b", "ada.py": "ada"}
    assert {name: stem_of(Path(name)) for name in names} == names
    assert is_archive(Path("ADA.ZIP")) and not is_archive(Path("ada.gz"))


@pytest.mark.parametrize("name", ["../backward.py", "/etc/backward.py", "a/../../backward.py", "C:/backward.py"])
def test_names_that_reach_outside_are_refused(tmp_path: Path, name: str) -> None:
    assert "outside its own folder" in refusal(written(tmp_path, "out.zip", zip_of({name: SOURCE})))
    assert "outside its own folder" in refusal(written(tmp_path, "out.tar", tar_of((name, SOURCE))))


def test_links_and_names_that_collide_are_refused(tmp_path: Path) -> None:
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
        assert "a link, a device" in refusal(written(tmp_path, "link.tar", tar_of((named("a.py", kind), b""))))
    link = zip_of({"a.py": b"/etc/passwd"}, mode=stat.S_IFLNK | 0o777)
    assert "a link, a device" in refusal(written(tmp_path, "link.zip", link))
    for other in ("03/backward.py", "03/backward.py/x.py"):
        twice = tar_of(("03/backward.py", SOURCE), (other, SOURCE))
        assert "cannot be unpacked (File exists)" in refusal(written(tmp_path, "twice.tar", twice))
    assert "(File exists)" in refusal(written(tmp_path, "twice.tar", tar_of(("a.zip", b""), ("a.zip", b""))))


def test_names_that_are_no_utf_8(tmp_path: Path) -> None:
    """A tar keeps whatever bytes a name had; packers forget to say that theirs are UTF-8, or write Latin-1."""
    path = written(tmp_path, "names.tar", tar_of(("caf\udce9.py", SOURCE), ("später.py", SOURCE)))
    assert sorted(contents(path)) == ["caf\N{REPLACEMENT CHARACTER}.py", "später.py"]
    path = written(tmp_path, "names.zip", zip_of({"sp__ter.py": SOURCE}).replace(b"sp__ter", "später".encode()))
    assert list(contents(path)) == ["später.py"]


def test_an_archive_inside_another(tmp_path: Path) -> None:
    """It becomes a folder of its name; one that is refused, or a third level, does not affect the files next to it."""
    inner = zip_of({"backward.py": SOURCE, "notes.txt": b"", "third.zip": b"PK"})
    above = zip_of({"../backward.py": SOURCE})
    path = written(tmp_path, "outer.zip", zip_of({"hw/inner.zip": inner, "above.zip": above}))
    assert contents(path) == {"hw/inner.zip/backward.py": SOURCE}
    assert "outside its own folder" in refusal(written(tmp_path, "up.zip", zip_of({"above.zip": above})))
    refused = zip_of({"inner.zip": inner, "../x.py": SOURCE})  # with the archives inside it
    assert "outside its own folder" in refusal(written(tmp_path, "refused.zip", refused))
    (tmp_path / "two").mkdir()
    written(tmp_path / "two", "a.zip", refused)
    written(tmp_path / "two", "b.zip", zip_of({"inner.zip": inner}))
    assert contents(tmp_path / "two") == {"b.zip/inner.zip/backward.py": SOURCE}


def test_archives_that_are_not_read_are_a_sentence(tmp_path: Path, lesson: Lesson) -> None:
    kinds = {"ada.7z": "a 7-Zip archive", "bo.RAR": "a RAR archive", "cy.tar.zst": "a Zstandard archive"}
    for name, kind in kinds.items():
        path = written(tmp_path, name, b"whatever")
        assert refusal(path) == f"{name} is {kind}, which is not read: submit a .zip or a .tar.gz."
    (tmp_path / "two").mkdir()
    for name in ("03.zip", "all.tar.gz"):
        written(tmp_path / "two", name, b"")
    read = {each.student: each.full_message or "" for each in find([tmp_path], [lesson], [lesson])}
    assert read.keys() == {"ada", "bo", "cy", "two"} and "a RAR archive" in read["bo"]
    assert all(f"{name}: " in read["two"] for name in ("03.zip", "all.tar.gz"))
    for name in ("ada.zip", "ada.tar.gz", "ada.tar"):
        for data in (b"no archive at all", b"PK\x03\x04 torn", b"\x1f\x8b torn"):
            assert "cannot be unpacked" in refusal(written(tmp_path, name, data))


# Made to take time, memory or disk -----------------------------------------------------------------------------------


def zeros(mebibytes: int) -> bytes:
    return named("data.bin", size=mebibytes * MIB).tobuf() + bytes(mebibytes * MIB)


def bzip2_bomb() -> bytes:
    """9 KB that unpack to 200 MiB: 25 seconds before there was a bound."""
    return bz2.compress(zeros(20)[: 20 * MIB]) + bz2.compress(bytes(20 * MIB)) * 9


def pax(**fields: str) -> bytes:
    """A file after a header of these records."""
    records = b""
    for key, value in fields.items():
        key = "GNU.sparse." + key if key != "length" else "size"
        length = len(key) + len(value) + 3
        while len(str(length)) + len(key) + len(value) + 3 != length:
            length = len(str(length)) + len(key) + len(value) + 3
        records += f"{length} {key}={value}\n".encode()
    return tar_of((named("././@PaxHeader", tarfile.XHDTYPE), records), ("backward.py", SOURCE))


def zip_claiming(count: int) -> bytes:
    """An end record that claims a list of four gibibytes, by way of zip64."""
    data = zip_of({"backward.py": SOURCE})
    at, start = data.index(b"PK\x05\x06"), data.index(b"PK\x01\x02")
    end64 = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, 4 << 30, start)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, at, 1)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return data[:at] + end64 + locator + end


def headers(size: int, count: int) -> bytes:
    return named("././@PaxHeader", tarfile.XHDTYPE, size).tobuf() * count


DAMAGED, TOO_LONG = "cannot be unpacked", "cannot be unpacked: reading it took more than 3 seconds"
ARCHIVES: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "a bzip2 bomb of 9 KB": ("tar.bz2", bzip2_bomb, ""),
    "a gzip bomb": ("tar.gz", lambda: gzip.compress(zeros(60)), ""),
    "a bomb by another suffix": ("tar.gz", lambda: lzma.compress(zeros(60)), ""),
    # Python's own readers skip streams that hold nothing within one call
    "empty gzip streams": ("tar.gz", lambda: gzip.compress(b"") * (MIB // 20), DAMAGED),
    "a torn gzip": ("tar.gz", lambda: gzip.compress(tar_of(("a.py", SOURCE * 500)))[:60], DAMAGED),
    "12,000 members": (
        "tar.gz",
        lambda: gzip.compress(tar_of(*((f"{n}.txt", b"") for n in range(12_000)))),
        "more than 10,000 entries",
    ),
    "a sparse file of 2 GiB in 4,000 pieces": (
        "tar",
        lambda: pax(map=",".join(f"{n * 1024},1" for n in range(4_000)), size=str(2 << 30), major="0", minor="1"),
        "a sparse file in it",
    ),
    # tarfile searches such a header for four minutes, within one call
    "half a megabyte of digits": ("tar", lambda: pax(map="9" * 500_000, size="1"), TOO_LONG),
    "a size of 10^400": ("tar", lambda: pax(length="9" * 400), DAMAGED),
    "hard links": (
        "tar",
        lambda: tar_of(*[(named("backward.py", tarfile.LNKTYPE), b"")] * 5_000),
        "has a link, a device or a sparse file in it ('backward.py')",
    ),
    "folders 2,000 deep": ("zip", lambda: zip_of({"a/" * 2_000 + "b.py": SOURCE}), "folders more than 10 deep"),
    "a name of 60 kB": (
        "zip",
        lambda: zip_of({"a" * 60_000 + ".py": SOURCE}),
        "(File name too long)",
    ),
    "a list of 4 GiB by zip64": ("zip", lambda: zip_claiming(1 << 40), DAMAGED),
    "zeros": ("zip", lambda: zip_of({"backward.py": bytes(100 * MIB)}), "backward.py in the archive is too large"),
    "zeros that add up": ("zip", lambda: zip_of({f"{n}.py": bytes(MIB) for n in range(80)}), "unpacks to more than 67"),
    # tarfile reads such a header in one go, and calls itself for headers in headers
    "a header of 400 MiB": (
        "tar.gz",
        lambda: gzip.compress(headers(400 * MIB, 1)) + gzip.compress(bytes(20 * MIB)) * 20,
        DAMAGED,
    ),
    "headers in headers": ("tar.gz", lambda: gzip.compress(headers(0, 5_000) + bytes(1024)), DAMAGED),
    "encrypted": ("zip", lambda: zip_of({"backward.py": SOURCE}, flag_bits=1), "is encrypted, password required"),
}


@pytest.mark.full
@sampled("name", ARCHIVES, keep=25)
def test_a_hostile_archive_is_refused(tmp_path: Path, lesson, name: str) -> None:
    suffix, make, sentence = ARCHIVES[name]
    path = written(tmp_path, f"bomb.{suffix}", make())
    with guarded():
        message = read_submission(Arrival("bomb", path), [lesson]).message
    if sentence:
        assert message is not None and sentence in message and message.endswith(".")
