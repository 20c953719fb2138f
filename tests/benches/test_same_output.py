"""The comparison of two checkouts' output: a changed byte is found, a changed time is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.same_output import Compared, Difference, compare, main, run_all, unfinished, without_times, write_inputs


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders with the same files."""
    files = {
        "ada/results.json": '{\n "score": 3,\n "seconds": 1.25,\n "message": "Checked in 3 seconds"\n}\n',
        "ada/report.html": "<p>Graded in 1.2 seconds · isolation: strong</p>\n",
        "grades.csv": "student,total\nada,3\n",
        "gradebook.sqlite": "",
    }
    for side in ("here", "other"):
        for name, text in files.items():
            path = tmp_path / side / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return tmp_path / "here", tmp_path / "other"


def test_equal_folders_have_no_difference(sides):
    assert compare("golden", *sides) == Compared("golden", 3)
    assert str(compare("golden", *sides)) == "golden         3 files compared,    0 differ"


def test_a_changed_byte_is_found(sides):
    here, other = sides
    (here / "grades.csv").write_bytes(b"student,total\nada,2\n")
    assert compare("golden", here, other).differences == [Difference("grades.csv, line 2", "'ada,2'", "'ada,3'")]


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"\n", b"\r\n"), (b"}\n", b"}"), (b" 3 seconds", b" 4 seconds"), (b"score", b"\xffscore"), (b'": 3', b'": 3.0')],
)
def test_every_byte_but_a_time_counts(sides, old, new):
    here, other = sides
    path = here / "ada" / "results.json"
    path.write_bytes(path.read_bytes().replace(old, new))
    assert len(compare("golden", here, other).differences) == 1


def test_a_changed_time_is_no_difference(sides):
    here, other = sides
    for name, old, new in [("results.json", "1.25", "0.3"), ("report.html", "1.2 ", "0.3 ")]:
        path = here / "ada" / name
        path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    assert compare("golden", here, other).differences == []


def test_a_missing_file_and_a_shorter_one_are_differences(sides):
    here, other = sides
    (here / "ada" / "results.json").unlink()
    (other / "grades.csv").write_bytes(b"student,total")
    assert compare("golden", here, other).differences == [
        Difference("ada/results.json", "(no file)", "(a file)"),
        Difference("grades.csv, line 2", "'ada,3'", "(the file ends)"),
    ]


def test_a_file_that_is_not_compared_may_differ(sides):
    here, other = sides
    (here / "gradebook.sqlite").write_bytes(b"a time")
    assert compare("golden", here, other).differences == []


@pytest.mark.parametrize(
    ("name", "text", "without"),
    [
        ("results.json", '"seconds": 1e-05, "x_seconds": 3', '"seconds": #, "x_seconds": 3'),
        ("gradescope.json", ' "execution_time": 4,\n "score": 4,', ' "execution_time": #,\n "score": 4,'),
        ("junit.xml", ' tests="2" timestamp="2026-01-02T03:04:05" time="0.5"', ' tests="2" timestamp="#" time="#"'),
        ("index.html", "<dt>Slowest submission</dt><dd>1.5 s, ada</dd>", "<dt>Slowest submission</dt><dd>#</dd>"),
        ("index.html", '<td class="num">3</td><td class="num">0.5</td></tr>\n', None),
        ("screen_run.txt", "::stop-commands::" + "a" * 32 + "\n::" + "a" * 32 + "::\n", "::stop-commands::#\n::#::\n"),
        ("report.html", "<p>Checked in 8.9 seconds · 3 seconds", "<p>Checked in # seconds · 3 seconds"),
        ("report.md", '"seconds": 1.5', '"seconds": 1.5'),
        ("grades.csv", "1.5 s", "1.5 s"),
    ],
)
def test_what_a_time_is(name, text, without):
    expected = '<td class="num">3</td><td class="num">#</td></tr>\n' if without is None else without
    assert without_times(name, text) == expected


def test_inputs_of_every_kind_are_written(tmp_path):
    write_inputs(tmp_path, quick=True)
    kinds = {path.name: len(list(path.iterdir())) for path in tmp_path.iterdir() if path.is_dir()}
    assert kinds["timeouts"] == 4 and kinds["golden"] > 60 and kinds["examples"] == 11 and kinds["corpora"] > 15
    prefixes = {path.name.partition("_")[0] for path in (tmp_path / "corpora").iterdir()}
    assert prefixes == {"every", "wild", "honest", "cheats"}


def test_a_run_that_graded_nothing_is_reported(tmp_path):
    for group in ("timeouts", "golden", "examples", "corpora"):
        graded = tmp_path / group / "grades" / "ada"
        graded.mkdir(parents=True)
        (graded / "results.json").touch()
        status = 3 if group == "golden" else 0
        (tmp_path / group / "screen_run.txt").write_text(f"$ grade run\nexit status {status}\n", encoding="utf-8")
    (tmp_path / "corpora" / "grades" / "ada" / "results.json").unlink()
    assert [sentence.split("\n")[0] for sentence in unfinished(tmp_path)] == [
        "golden was not graded:",
        "corpora was not graded:",
    ]


@pytest.mark.parametrize(("changed", "status"), [(False, 0), (True, 1)])
def test_the_exit_status_says_whether_anything_differs(monkeypatch, capsys, changed, status):
    """With runs that write one file instead of grading."""
    runs: list[None] = []

    def write_one_file(checkout, quick):
        runs.append(None)
        (checkout.out / "dojo").mkdir(parents=True)
        checkout.kit.mkdir()
        (checkout.out / "dojo" / "screen_list.txt").write_text(f"{len(runs) if changed else 0} of 199 points\n")

    monkeypatch.setattr(f"{main.__module__}.write_inputs", lambda place, quick: None)
    monkeypatch.setattr(f"{main.__module__}.unfinished", lambda out: [])
    monkeypatch.setattr(f"{main.__module__}.{run_all.__name__}", write_one_file)
    assert main(["."]) == status
    printed = capsys.readouterr().out
    assert f"dojo           1 files compared,    {int(changed)} differ" in printed
    assert ("    here:  '2 of 199 points'\n    other: '1 of 199 points'" in printed) is changed
