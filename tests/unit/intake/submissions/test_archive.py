"""Archives: ordinary ones are read like folders; those that reach outside or grow without end are refused."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from grader.intake.submissions.file_kinds import Unreadable, is_archive, without_suffix
from grader.intake.submissions.finding import find
from grader.intake.submissions.gathered import gathered
from grader.lesson.lesson import Lesson

SOURCE = b"def dlogits(logits):\n    return logits\n"


def zipped(path: Path, files: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in files.items():
            made.writestr(name, data)
    return path


def tarred(path: Path, entries: list[tuple[tarfile.TarInfo, bytes]]) -> Path:
    with tarfile.open(path, "w:gz") as made:
        for entry, data in entries:
            entry.size = len(data)
            made.addfile(entry, io.BytesIO(data))
    return path


def contents(path: Path) -> dict[str, bytes]:
    with gathered(path) as found:
        return {file.shown: file.path.read_bytes() for file in found.files}


def refusal(path: Path) -> str:
    with pytest.raises(Unreadable) as refused, gathered(path):
        pass
    return str(refused.value)


def test_only_python_files_come_out_and_the_folder_goes_away(tmp_path: Path) -> None:
    path = zipped(
        tmp_path / "ada.zip",
        {
            "04_cross_entropy/backward.py": SOURCE,
            "04_cross_entropy/notes.txt": b"notes",
            "__MACOSX/04_cross_entropy/._backward.py": b"clutter",
            ".DS_Store": b"clutter",
            "04_cross_entropy/sub folder/später 🥋.py": b"x = 1\n",
        },
    )
    assert contents(path) == {
        "04_cross_entropy/backward.py": SOURCE,
        "04_cross_entropy/sub folder/später 🥋.py": b"x = 1\n",
    }
    with gathered(path) as found:
        assert all(file.path.is_file() for file in found.files)
    assert not any(file.path.exists() for file in found.files)


def test_tar_gz_and_backslashes(tmp_path: Path) -> None:
    assert contents(tarred(tmp_path / "a.tar.gz", [(tarfile.TarInfo("03/backward.py"), SOURCE)])) == {
        "03/backward.py": SOURCE
    }
    assert contents(zipped(tmp_path / "w.zip", {"03\\backward.py": SOURCE})) == {"03/backward.py": SOURCE}


@pytest.mark.parametrize("name", ["../backward.py", "/etc/backward.py", "a/../../backward.py", "C:/backward.py"])
def test_names_that_reach_outside_are_refused(tmp_path: Path, name: str) -> None:
    assert "outside its own folder" in refusal(zipped(tmp_path / "out.zip", {name: SOURCE}))
    assert "outside its own folder" in refusal(tarred(tmp_path / "out.tar.gz", [(tarfile.TarInfo(name), SOURCE)]))


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_in_a_tar_are_refused(tmp_path: Path, kind: bytes) -> None:
    entry = tarfile.TarInfo("03_makemore_steps/backward.py")
    entry.type, entry.linkname = kind, "/etc/passwd"
    assert "a link, a device" in refusal(tarred(tmp_path / "link.tar.gz", [(entry, b"")]))


def test_links_in_a_zip_are_refused(tmp_path: Path) -> None:
    entry = zipfile.ZipInfo("03_makemore_steps/backward.py")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as made:
        made.writestr(entry, "/etc/passwd")
    assert "a link, a device" in refusal(tmp_path / "link.zip")


def test_names_that_collide(tmp_path: Path) -> None:
    for other in ("03/backward.py", "03/backward.py/x.py"):
        files = [(tarfile.TarInfo(name), SOURCE) for name in ("03/backward.py", other)]
        assert "cannot be unpacked: " in refusal(tarred(tmp_path / "case.tar.gz", files))


def test_names_that_are_no_utf_8(tmp_path: Path) -> None:
    """A tar keeps whatever bytes a name had; packers forget to say that theirs are UTF-8, or write Latin-1."""
    names = ["caf\udce9.py", "sp\u00e4ter.py"]
    path = tarred(tmp_path / "names.tar.gz", [(tarfile.TarInfo(name), SOURCE) for name in names])
    assert sorted(contents(path)) == ["caf\N{REPLACEMENT CHARACTER}.py", "später.py"]
    path = zipped(tmp_path / "names.zip", {"sp__ter.py": SOURCE})
    raw = path.read_bytes()
    path.write_bytes(raw.replace(b"sp__ter", "später".encode()))
    assert list(contents(path)) == ["später.py"]


def test_an_archive_inside_another(tmp_path: Path) -> None:
    """It becomes a folder of its name; one that is refused, or a third level, does not affect the files next to it."""
    inner = zipped(tmp_path / "inner.zip", {"backward.py": SOURCE, "notes.txt": b"", "third.zip": b"PK"}).read_bytes()
    above = zipped(tmp_path / "above.zip", {"../backward.py": SOURCE}).read_bytes()
    outer = zipped(tmp_path / "outer.zip", {"hw/inner.zip": inner, "above.zip": above})
    assert contents(outer) == {"hw/inner.zip/backward.py": SOURCE}
    assert "outside its own folder" in refusal(zipped(tmp_path / "up.zip", {"above.zip": above}))


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("ada.7z", b"whatever", "a 7-Zip archive"),
        ("ada.RAR", b"whatever", "a RAR archive"),
        ("ada.tar.zst", b"whatever", "a Zstandard archive"),
    ],
)
def test_other_kinds_are_told(tmp_path: Path, lesson: Lesson, name: str, data: bytes, kind: str) -> None:
    (tmp_path / name).write_bytes(data)
    sentence = f"{name} is {kind}, which is not read: submit a .zip or a .tar.gz."
    assert refusal(tmp_path / name) == sentence
    (ada,) = find([tmp_path], [lesson], [lesson])
    assert (ada.student, ada.message) == ("ada", sentence)


def test_two_archives_are_told(tmp_path: Path, lesson: Lesson) -> None:
    (tmp_path / "class" / "ada").mkdir(parents=True)
    for name in ("03.zip", "all.tar.gz"):
        (tmp_path / "class" / "ada" / name).write_bytes(b"")
    (ada,) = find([tmp_path / "class"], [lesson], [lesson])
    assert all(f"{name}: " in (ada.full_message or "") for name in ("03.zip", "all.tar.gz"))


def test_an_encrypted_zip(tmp_path: Path) -> None:
    path = zipped(tmp_path / "locked.zip", {"backward.py": SOURCE})
    data = bytearray(path.read_bytes())
    data[6] |= 1  # the flag in the file's own header, and in the list of entries
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    assert "is encrypted, password required" in refusal(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_compressed_in_another_way(tmp_path: Path, method: int) -> None:
    with zipfile.ZipFile(tmp_path / "other.zip", "w", method) as made:
        made.writestr("backward.py", SOURCE)
    assert contents(tmp_path / "other.zip") == {"backward.py": SOURCE}


@pytest.mark.parametrize("suffix", ["tar", "tar.gz", "tgz", "tar.bz2", "tar.xz"])
def test_every_kind_of_tar(tmp_path: Path, suffix: str) -> None:
    mode = {"tar": "w", "tgz": "w:gz"}.get(suffix, f"w:{suffix[4:]}")
    path = tmp_path / f"ada.{suffix}"
    (tmp_path / "backward.py").write_bytes(SOURCE)
    with tarfile.open(path, mode) as made:  # type: ignore[call-overload]
        made.add(tmp_path / "backward.py", "./03/backward.py")
    assert contents(path) == {"03/backward.py": SOURCE}


def test_a_sparse_file_in_a_tar_is_refused(tmp_path: Path) -> None:
    entry = tarfile.TarInfo("backward.py")
    entry.pax_headers = {"GNU.sparse.major": "0", "GNU.sparse.minor": "1", "GNU.sparse.name": "backward.py"}
    entry.pax_headers |= {"GNU.sparse.size": str(1 << 40), "GNU.sparse.map": f"{(1 << 40) - 1},1"}
    assert "a sparse file in it" in refusal(tarred(tmp_path / "sparse.tar.gz", [(entry, b"x")]))


def test_too_deep(tmp_path: Path) -> None:
    assert "10 deep" in refusal(zipped(tmp_path / "deep.zip", {"a/" * 20 + "backward.py": SOURCE}))


@pytest.mark.parametrize("name", ["ada.zip", "ada.tar.gz", "ada.tgz", "ada.tar"])
@pytest.mark.parametrize("data", [b"", b"no archive at all", b"PK\x03\x04 torn", b"\x1f\x8b torn"])
def test_broken_archives_are_a_sentence(tmp_path: Path, name: str, data: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    if name.endswith("tar") and data == b"":
        return  # an empty file is an empty tar
    assert "cannot be unpacked" in refusal(path)


def test_names_without_their_suffix() -> None:
    assert [without_suffix(Path(name)) for name in ("ada.zip", "ada.tar.gz", "a.b.TGZ", "ada.py")] == [
        "ada",
        "ada",
        "a.b",
        "ada",
    ]
    assert is_archive(Path("ADA.ZIP")) and not is_archive(Path("ada.gz"))


def test_a_class_of_archives(tmp_path: Path, lesson: Lesson) -> None:
    zipped(tmp_path / "ada.zip", {f"ada/{lesson.name}/backward.py": SOURCE})
    tarred(tmp_path / "bo.tar.gz", [(tarfile.TarInfo(f"{lesson.name}/backward.py"), SOURCE)])
    zipped(tmp_path / "cy.zip", {"../backward.py": SOURCE})
    ada, bo, cy = find([tmp_path], [lesson], [lesson])
    assert (ada.student, bo.student, cy.student) == ("ada", "bo", "cy")
    assert ada.lessons[lesson.name].files == bo.lessons[lesson.name].files == {"backward.py": SOURCE}
    assert ada.sha256 == bo.sha256
    assert cy.message is not None and "outside its own folder" in cy.message


def test_another_lesson_s_folder_is_not_taken_for_this_one(tmp_path: Path, lesson: Lesson) -> None:
    zipped(tmp_path / "ada.zip", {"04_cross_entropy/backward.py": SOURCE})
    (ada,) = find([tmp_path / "ada.zip"], [lesson], [lesson])
    assert not ada.lessons[lesson.name].present
