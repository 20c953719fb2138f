"""Names that a submission may have, and folders that hold nothing: OUT stays whole, and nobody waits for them."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from support import ROOT, sampled, solution_of

from grader.commands.grade import main
from grader.intake.submissions.arrival import Arrival, make_names_unique
from grader.intake.submissions.finding import find
from grader.intake.submissions.people import as_folder, collision_key, is_reserved

LOOKS = {"os.scandir", "os.listdir", "open"}
looked: list[list[object]] = []
"""The places that are being looked at, for each block that asks; Python keeps a hook for ever, so there is one."""


def note(event: str, arguments: tuple[object, ...]) -> None:
    if looked and event in LOOKS:
        looked[-1].append(arguments[0])


sys.addaudithook(note)


@pytest.fixture
def looks() -> Iterator[list[object]]:
    """The files and folders that were opened or listed in the test."""
    looked.append([])
    yield looked[-1]
    looked.pop()


def names_of(*names: str) -> list[str]:
    """As the results of a class with these names are called, in order of name."""
    return [each.student for each in make_names_unique([Arrival(name, Path(name)) for name in names])[0]]


@pytest.mark.parametrize(
    ("name", "becomes"),
    [
        ("index.html.part", "index.html.part-2"),
        (".index.html.part", "index.html.part-2"),
        ("gradebook.sqlite", "gradebook.sqlite-2"),
        ("Gradebook.SQLite-WAL", "Gradebook.SQLite-WAL-2"),
        ("gradebook.sqlite-mj0123ABCD", "gradebook.sqlite-mj0123ABCD-2"),
        ("ｉｎｄｅｘ.html", "ｉｎｄｅｘ.html-2"),  # full width
        ("index.html ", "index.html-2"),
        ("index\u200d.html", "index\u200d.html-2"),
        (".grade-run.lock", "grade-run.lock-2"),
        ("Defence", "Defence-2"),  # a folder with the keys of all defence sheets
        ("x.tmp", "x.tmp-2"),
        ("-rf", "rf"),
        ("..", "unnamed"),
        ("a\nb", "a-b"),
        ("a\u202egnp.b", "a-gnp.b"),
        ("a\u200bb\ufeff", "a-b"),
        ("a/../b", "a-..-b"),
        ("\udcff\ud800", "��"),
        ("Zoë 👩\u200d🔬", "Zoë 👩\u200d🔬"),
    ],
)
def test_a_name_in_out(name: str, becomes: str) -> None:
    assert names_of(name) == [becomes] and not is_reserved(becomes)


def test_a_changed_name_is_said() -> None:
    remarks = make_names_unique([Arrival("index.html.part", Path("x")), Arrival("ada", Path("y"))])[1]
    assert remarks == ("`index.html.part` is a name that this program uses itself: see `index.html.part-2`.",)


@pytest.mark.parametrize(
    "names",
    [
        ["index.html", "index.html-2", "INDEX.HTML", "index.html-3"],
        ["ada", "Ada", "ADA", "ａｄａ", "ada\u200d"],
        ["straße", "STRASSE"],
        ["x" * 400, "x" * 500, "x" * 119 + "y"],
        ["a\u202eb", "a\u2066b", "a-b"],
        ["..", ".", "", "unnamed", "unnamed-2"],
    ],
)
def test_names_that_are_one_on_some_disk_are_told_apart(tmp_path: Path, names: list[str]) -> None:
    found = names_of(*names)
    assert len({collision_key(name) for name in found}) == len(names) == len(found)
    for name in found:
        assert len(os.fsencode(name)) <= 255 and (name == as_folder(name) or len(name) > 120)
        (tmp_path / name).mkdir()


# As it is typed ------------------------------------------------------------------------------------------------------

RESERVED = ["index.html.part", "grades.csv.part", "gradebook.sqlite-journal", "gradebook.sqlite-wal", "index.html"]


@pytest.mark.full
def test_a_class_page_and_a_second_run(course, tmp_path: Path) -> None:
    """Issue 13: `index.html.part` kept the class page from being written, `gradebook.sqlite-journal` a second run."""
    right = solution_of(course.find("04"))
    for name in [*RESERVED, "hopper"]:
        (tmp_path / "class" / name / "04_cross_entropy").mkdir(parents=True)
        (tmp_path / "class" / name / "04_cross_entropy" / "backward.py").write_text(right)
    out = tmp_path / "out"
    command = ["run", str(tmp_path / "class"), "--lesson", "4", "-o", str(out), "--jobs", "1", "--course", str(ROOT)]
    students = sorted([*(f"{name}-2" for name in RESERVED), "hopper"], key=str.lower)
    for _ in range(2):
        done = CliRunner().invoke(main, command)
        assert done.exit_code == 0, done.output
        assert (out / "index.html").is_file() and (out / "gradebook.sqlite").is_file()
        with (out / "grades.csv").open(newline="", encoding="utf-8") as file:
            assert [row[:2] for row in csv.reader(file)][1:] == [[name, "3"] for name in students]
        assert sorted(each.name for each in out.iterdir() if each.is_dir()) == sorted(students)
        sentence = "grade: `index.html.part` is a name that this program uses itself: see `index.html.part-2`.\n"
        assert sentence in done.stderr
    assert "6 are as before" in done.stderr


# Many folders --------------------------------------------------------------------------------------------------------


@sampled(
    ("count", "source", "tens"),
    [(2_000, None, 2), (2_000, "x = 1\n", 4), pytest.param(20_000, None, 2, marks=pytest.mark.slow)],
    keep=1,
)
def test_what_a_folder_costs(
    course, tmp_path: Path, looks: list[object], count: int, source: str | None, tens: int
) -> None:
    """A folder, and what is in it, is listed and opened so many tens of times, however large the class is."""
    for n in range(count):
        (tmp_path / f"{n:05}").mkdir()
        if source is not None:
            (tmp_path / f"{n:05}" / "backward.py").write_text(source)
    lessons = [course.find("04")] if source else list(course.lessons.values())
    course.find("04").public  # noqa: B018  (PyTorch is imported once, whatever the class)
    looks.clear()
    found = find([tmp_path], lessons, list(course.lessons.values()))
    messages = {each.lessons["04_cross_entropy"].message for each in found}
    assert len(found) == count
    assert messages == {None if source else "The folder is empty: expected 04_cross_entropy/backward.py."}
    assert len(looks) <= 10 * tens * count + 100


@pytest.mark.full
def test_a_submission_of_very_many_entries(course, tmp_path: Path, looks: list[object]) -> None:
    for n in range(10_001):
        (tmp_path / "ada" / "04" / f"{n:05}").mkdir(parents=True) if n == 0 else (tmp_path / "ada" / f"{n}").mkdir()
    (tmp_path / "bo").mkdir()
    looks.clear()
    ada, _ = find([tmp_path], [course.find("04")], list(course.lessons.values()))
    assert ada.message == "ada holds 10,001 files and folders; at most 10,000 are read."
    assert len(looks) < 100
