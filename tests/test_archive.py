"""Archives: ordinary ones are read like folders; those that reach outside or grow without end are refused."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from grader.lesson import Lesson
from grader.submissions import archive
from grader.submissions.archive import ArchiveRefused, is_archive, stem, unpacked
from grader.submissions.submission import find

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
    with unpacked(path) as folder:
        return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def refusal(path: Path) -> str:
    with pytest.raises(ArchiveRefused) as refused, unpacked(path):
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
    with unpacked(path) as folder:
        assert folder.is_dir()
    assert not folder.exists()


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
    assert "a link or a device" in refusal(tarred(tmp_path / "link.tar.gz", [(entry, b"")]))


def test_links_in_a_zip_are_refused(tmp_path: Path) -> None:
    entry = zipfile.ZipInfo("03_makemore_steps/backward.py")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as made:
        made.writestr(entry, "/etc/passwd")
    assert "a link or a device" in refusal(tmp_path / "link.zip")


def test_a_file_that_unpacks_too_large_is_refused(tmp_path: Path) -> None:
    bomb = zipped(tmp_path / "bomb.zip", {"backward.py": b"#" * (50 << 20)})
    assert bomb.stat().st_size < 100_000
    assert "too large" in refusal(bomb)


def test_many_files_add_up(tmp_path: Path) -> None:
    files = {f"{n}.py": b"#" * (1 << 20) for n in range(17)}
    assert "too large" in refusal(zipped(tmp_path / "sum.zip", files))


def test_a_tar_of_zeros_is_given_up_by_its_own_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_STREAMED_BYTES", 1 << 20)
    path = tarred(tmp_path / "zeros.tar.gz", [(tarfile.TarInfo("data.bin"), bytes(2 << 20))])
    assert "unpacks to more than" in refusal(path)


def test_too_many_entries(tmp_path: Path) -> None:
    assert "more than 10,000 entries" in refusal(
        zipped(tmp_path / "many.zip", {f"{n}.txt": b"" for n in range(10_001)})
    )


def test_names_that_collide_where_case_does_not_count(tmp_path: Path) -> None:
    assert "twice" in refusal(zipped(tmp_path / "case.zip", {"03/backward.py": SOURCE, "03/Backward.py": SOURCE}))


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
    assert [stem(Path(name)) for name in ("ada.zip", "ada.tar.gz", "a.b.TGZ", "ada.py")] == ["ada", "ada", "a.b", "ada"]
    assert is_archive(Path("ADA.ZIP")) and not is_archive(Path("ada.gz"))


def test_a_class_of_archives(tmp_path: Path, lesson: Lesson) -> None:
    zipped(tmp_path / "ada.zip", {f"ada/{lesson.name}/backward.py": SOURCE})
    tarred(tmp_path / "bo.tar.gz", [(tarfile.TarInfo(f"{lesson.name}/backward.py"), SOURCE)])
    zipped(tmp_path / "cy.zip", {"../backward.py": SOURCE})
    ada, bo, cy = find([tmp_path], [lesson], [lesson])
    assert (ada.student, bo.student, cy.student) == ("ada", "bo", "cy")
    assert ada.handed[lesson.name].files == bo.handed[lesson.name].files == {"backward.py": SOURCE}
    assert ada.sha256 == bo.sha256
    assert cy.message is not None and "outside its own folder" in cy.message


def test_another_lesson_s_folder_is_not_taken_for_this_one(tmp_path: Path, lesson: Lesson) -> None:
    zipped(tmp_path / "ada.zip", {"04_cross_entropy/backward.py": SOURCE})
    (ada,) = find([tmp_path / "ada.zip"], [lesson], [lesson])
    assert not ada.handed[lesson.name].present
