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


def zipped(path: Path, files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as made:
        for name, data in files.items():
            made.writestr(name, data)
    return path


def tarred(path: Path, entries: list[tuple[tarfile.TarInfo, bytes]], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as made:  # type: ignore[call-overload]
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
    work = {"04_cross_entropy/backward.py": SOURCE, "04_cross_entropy/sub folder/später 🥋.py": b"x = 1\n"}
    others = ("04_cross_entropy/notes.txt", "__MACOSX/04_cross_entropy/._backward.py", ".DS_Store")
    path = zipped(tmp_path / "ada.zip", work | dict.fromkeys(others, b"clutter"))
    assert contents(path) == work
    with gathered(path) as found:
        assert all(file.path.is_file() for file in found.files)
    assert not any(file.path.exists() for file in found.files)


@pytest.mark.parametrize("suffix", ["tar", "tar.gz", "tgz", "tar.bz2", "tar.xz"])
def test_every_kind_of_archive(tmp_path: Path, suffix: str) -> None:
    mode = {"tar": "w", "tgz": "w:gz"}.get(suffix, f"w:{suffix[4:]}")
    entry = tarfile.TarInfo("./03/backward.py")
    assert contents(tarred(tmp_path / f"ada.{suffix}", [(entry, SOURCE)], mode)) == {"03/backward.py": SOURCE}
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        path = zipped(tmp_path / "w.zip", {"03\\backward.py": SOURCE}, method)
        assert contents(path) == {"03/backward.py": SOURCE}


@pytest.mark.parametrize("name", ["../backward.py", "/etc/backward.py", "a/../../backward.py", "C:/backward.py"])
def test_names_that_reach_outside_are_refused(tmp_path: Path, name: str) -> None:
    assert "outside its own folder" in refusal(zipped(tmp_path / "out.zip", {name: SOURCE}))
    assert "outside its own folder" in refusal(tarred(tmp_path / "out.tar.gz", [(tarfile.TarInfo(name), SOURCE)]))


def test_links_devices_and_sparse_files_are_refused(tmp_path: Path) -> None:
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
        entry = tarfile.TarInfo("03_makemore_steps/backward.py")
        entry.type, entry.linkname = kind, "/etc/passwd"
        assert "a link, a device" in refusal(tarred(tmp_path / "link.tar.gz", [(entry, b"")]))
    link = zipfile.ZipInfo("03_makemore_steps/backward.py")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as made:
        made.writestr(link, "/etc/passwd")
    assert "a link, a device" in refusal(tmp_path / "link.zip")
    entry = tarfile.TarInfo("backward.py")
    entry.pax_headers = {"GNU.sparse.major": "0", "GNU.sparse.minor": "1", "GNU.sparse.name": "backward.py"}
    entry.pax_headers |= {"GNU.sparse.size": str(1 << 40), "GNU.sparse.map": f"{(1 << 40) - 1},1"}
    assert "a sparse file in it" in refusal(tarred(tmp_path / "sparse.tar.gz", [(entry, b"x")]))


def test_names_that_collide_or_are_too_deep(tmp_path: Path) -> None:
    for other in ("03/backward.py", "03/backward.py/x.py"):
        files = [(tarfile.TarInfo(name), SOURCE) for name in ("03/backward.py", other)]
        assert "cannot be unpacked: " in refusal(tarred(tmp_path / "case.tar.gz", files))
    assert "10 deep" in refusal(zipped(tmp_path / "deep.zip", {"a/" * 20 + "backward.py": SOURCE}))


def test_names_that_are_no_utf_8(tmp_path: Path) -> None:
    """A tar keeps whatever bytes a name had; packers forget to say that theirs are UTF-8, or write Latin-1."""
    names = ["caf\udce9.py", "sp\u00e4ter.py"]
    path = tarred(tmp_path / "names.tar.gz", [(tarfile.TarInfo(name), SOURCE) for name in names])
    assert sorted(contents(path)) == ["caf\N{REPLACEMENT CHARACTER}.py", "später.py"]
    path = zipped(tmp_path / "names.zip", {"sp__ter.py": SOURCE})
    path.write_bytes(path.read_bytes().replace(b"sp__ter", "später".encode()))
    assert list(contents(path)) == ["später.py"]


def test_an_archive_inside_another(tmp_path: Path) -> None:
    """It becomes a folder of its name; one that is refused, or a third level, does not affect the files next to it."""
    inner = zipped(tmp_path / "inner.zip", {"backward.py": SOURCE, "notes.txt": b"", "third.zip": b"PK"}).read_bytes()
    above = zipped(tmp_path / "above.zip", {"../backward.py": SOURCE}).read_bytes()
    outer = zipped(tmp_path / "outer.zip", {"hw/inner.zip": inner, "above.zip": above})
    assert contents(outer) == {"hw/inner.zip/backward.py": SOURCE}
    assert "outside its own folder" in refusal(zipped(tmp_path / "up.zip", {"above.zip": above}))


def test_archives_that_are_not_read_are_a_sentence(tmp_path: Path, lesson: Lesson) -> None:
    kinds = {"ada.7z": "a 7-Zip archive", "bo.RAR": "a RAR archive", "cy.tar.zst": "a Zstandard archive"}
    for name, kind in kinds.items():
        (tmp_path / name).write_bytes(b"whatever")
        assert refusal(tmp_path / name) == f"{name} is {kind}, which is not read: submit a .zip or a .tar.gz."
    (tmp_path / "two").mkdir()
    for name in ("03.zip", "all.tar.gz"):
        (tmp_path / "two" / name).write_bytes(b"")
    read = {each.student: each.full_message or "" for each in find([tmp_path], [lesson], [lesson])}
    assert read.keys() == {"ada", "bo", "cy", "two"} and "a RAR archive" in read["bo"]
    assert all(f"{name}: " in read["two"] for name in ("03.zip", "all.tar.gz"))


@pytest.mark.parametrize("name", ["ada.zip", "ada.tar.gz", "ada.tar"])
@pytest.mark.parametrize("data", [b"no archive at all", b"PK\x03\x04 torn", b"\x1f\x8b torn"])
def test_broken_archives_are_a_sentence(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    assert "cannot be unpacked" in refusal(tmp_path / name)


def test_names_without_their_suffix() -> None:
    names = {"ada.zip": "ada", "ada.tar.gz": "ada", "a.b.TGZ": "a.b", "ada.py": "ada"}
    assert {name: without_suffix(Path(name)) for name in names} == names
    assert is_archive(Path("ADA.ZIP")) and not is_archive(Path("ada.gz"))


def test_a_class_of_archives(tmp_path: Path, lesson: Lesson) -> None:
    zipped(tmp_path / "ada.zip", {f"ada/{lesson.name}/backward.py": SOURCE})
    tarred(tmp_path / "bo.tar.gz", [(tarfile.TarInfo(f"{lesson.name}/backward.py"), SOURCE)])
    zipped(tmp_path / "cy.zip", {"../backward.py": SOURCE})
    zipped(tmp_path / "di.zip", {"04_cross_entropy/backward.py": SOURCE})  # another lesson's folder
    ada, bo, cy, di = find([tmp_path], [lesson], [lesson])
    assert (ada.student, bo.student, cy.student) == ("ada", "bo", "cy")
    assert ada.lessons[lesson.name].files == bo.lessons[lesson.name].files == {"backward.py": SOURCE}
    assert ada.sha256 == bo.sha256 and not di.lessons[lesson.name].present
    assert cy.message is not None and "outside its own folder" in cy.message
