"""Names that a submission may have, and folders that hold nothing: OUT stays whole, and nobody waits for them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.intake.submissions.arrival import Arrival, make_names_unique
from grader.intake.submissions.finding import find
from grader.intake.submissions.people import as_folder, collision_key, is_reserved


def names_of(*names: str) -> list[str]:
    """As the results of a class with these names are called, in order of name."""
    return [each.student for each in make_names_unique([Arrival(name, Path(name)) for name in names])[0]]


BECOMES = dict(
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


def test_a_name_in_out() -> None:
    assert {name: names_of(name)[0] for name in BECOMES} == BECOMES
    assert not any(map(is_reserved, BECOMES.values()))
    remarks = make_names_unique([Arrival("index.html.part", Path("x")), Arrival("ada", Path("y"))])[1]
    assert remarks == ("`index.html.part` is a name that this program uses itself: see `index.html.part-2`.",)


SAME_SOMEWHERE = [
    ["index.html", "index.html-2", "INDEX.HTML", "index.html-3"],
    ["ada", "Ada", "ADA", "ａｄａ", "ada\u200d"],
    ["straße", "STRASSE"],
    ["x" * 400, "x" * 500, "x" * 119 + "y"],
    ["a\u202eb", "a\u2066b", "a-b"],
    ["..", ".", "", "unnamed", "unnamed-2"],
]


def test_names_that_are_one_on_some_disk_get_numbers(tmp_path: Path) -> None:
    for number, names in enumerate(SAME_SOMEWHERE):
        found = names_of(*names)
        assert len({collision_key(name) for name in found}) == len(names) == len(found)
        for name in found:
            assert len(os.fsencode(name)) <= 255 and (name == as_folder(name) or len(name) > 120)
            (tmp_path / str(number) / name).mkdir(parents=True)


@pytest.mark.full
def test_a_submission_of_very_many_entries(course, tmp_path: Path) -> None:
    for n in range(10_001):
        (tmp_path / "ada" / f"{n}").mkdir(parents=True)
    (tmp_path / "bo").mkdir()
    ada, _ = find([tmp_path], [course.find("04")], list(course.lessons.values()))
    assert ada.message == "ada holds 10,001 files and folders; at most 10,000 are read."
