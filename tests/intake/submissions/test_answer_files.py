"""Where answers.toml may be in a submission."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from support import sampled

from grader.intake.submissions.answer_files import resembles
from grader.intake.submissions.submission import read_submission
from grader.questions.answers_file import read_answers

ANSWERS = 'lesson = "03"\nstudent = "ada"\n[answers]\nboost = "-10"\n'


@pytest.mark.parametrize(
    ("place", "alone", "found"),
    [
        ("03_makemore_steps/answers.toml", False, "03_makemore_steps/answers.toml"),
        ("exercises/03_makemore_steps/answers (1).toml", False, "exercises/03_makemore_steps/answers (1).toml"),
        ("answers-2.toml", False, "answers-2.toml"),
        ("answers.toml", True, "answers.toml"),
        ("notes.toml", True, None),
    ],
)
def test_places(tmp_path: Path, lessons, place: str, alone: bool, found: str | None) -> None:
    wanted = [lessons["03_makemore_steps"]] if alone else list(lessons.values())
    file = tmp_path / "ada" / place
    file.parent.mkdir(parents=True)
    file.write_text(ANSWERS)
    (file.parent / "backward.py").write_text("def dh():\n    pass\n")
    packed = tmp_path / "ada.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for path in sorted((tmp_path / "ada").rglob("*.*")):
            archive.write(path, path.relative_to(tmp_path / "ada"))
    for submission in (tmp_path / "ada", packed):
        read = read_submission(submission, "ada", wanted)
        answers = {name: each.answers_shown for name, each in read.lessons.items() if each.answers is not None}
        assert answers == ({"03_makemore_steps": found} if found else {})
        assert not [remark for remark in read.remarks if remark.kind == "answers"]


def test_remarks(tmp_path: Path, lessons) -> None:
    place = tmp_path / "03_makemore_steps"
    place.mkdir()
    (place / "answers.toml").write_text(ANSWERS)
    read = read_submission(tmp_path, "grace", [lessons["03_makemore_steps"]])
    assert [remark.message for remark in read.remarks] == [
        "03_makemore_steps/answers.toml was written for `ada`: the questions have that name's values."
    ]
    assert not read.lessons["03_makemore_steps"].nothing
    (place / "answers.toml").write_bytes(b"#" * 300_000)
    read = read_submission(tmp_path, "grace", [lessons["03_makemore_steps"]])
    assert [(each.kind, each.message) for each in read.remarks] == [
        ("unread", "answers.toml has 300,000 bytes; at most 200,000 are read.")
    ]


@pytest.mark.parametrize(
    ("name", "student", "same"),
    [
        ("Ada Lovelace", "lovelaceada", True),
        ("ada", "ada@example.org", True),
        ("12345", "Ada Lovelace (12345)", True),
        ("Ada", "Grace", False),
        ("Al", "Alan", False),
        ("", "Alan", False),
    ],
)
def test_spellings_of_one_student(name: str, student: str, same: bool) -> None:
    assert resembles(name, student) is same


CODE = "dlogprobs = torch.zeros_like(logprobs)\ndlogprobs[range(n), Yb] = -1.0 / n\n"
COMMENTED = "".join(f"# {line}\n" for line in ANSWERS.splitlines())


def notebook(*cells: tuple[str, str]) -> str:
    return json.dumps({"nbformat": 4, "cells": [{"cell_type": kind, "source": text} for kind, text in cells]})


@sampled(
    ("name", "text", "found"),
    [
        ("ada.py", CODE + "# done\n\n" + COMMENTED, True),
        ("ada.py", CODE + '"""\n' + ANSWERS + '"""\n', False),
        ("ada.py", COMMENTED + CODE, True),
        ("ada.ipynb", notebook(("code", CODE), ("markdown", ANSWERS)), True),
        ("ada.ipynb", notebook(("raw", f"```toml\n{ANSWERS}```\n"), ("code", CODE)), True),
        ("ada.ipynb", notebook(("code", CODE + COMMENTED)), True),
        ("ada.ipynb", notebook(("markdown", "My [answers] are below."), ("code", CODE)), False),
        ("ada.ipynb", '{"cells": 3, "metadata": "[answers]"}', False),
        ("ada.ipynb", '[answers]"', False),
    ],
    keep=5,
)
@pytest.mark.parametrize("in_a_folder", [False, True])
def test_inside_a_single_file(tmp_path: Path, lessons, name: str, text: str, found: bool, in_a_folder: bool) -> None:
    path = tmp_path / name
    path.write_text(text)
    read = read_submission(tmp_path if in_a_folder else path, "ada", list(lessons.values()))
    answers = {lesson: each.answers for lesson, each in read.lessons.items() if each.answers is not None}
    assert list(answers) == (["03_makemore_steps"] if found else [])
    assert all(dict(read_answers(data).given) == {"boost": "-10"} for data in answers.values())
    assert found == (name in {each.answers_shown for each in read.lessons.values()})


def test_a_file_next_to_a_notebook_counts_first(tmp_path: Path, lessons) -> None:
    (tmp_path / "ada.ipynb").write_text(notebook(("code", CODE), ("markdown", ANSWERS)))
    (tmp_path / "answers.toml").write_text(ANSWERS.replace("-10", "-20"))
    read = read_submission(tmp_path, "ada", list(lessons.values()))
    files = read.lessons["03_makemore_steps"]
    assert files.present and files.answers_shown == "answers.toml" and b"-20" in (files.answers or b"")
