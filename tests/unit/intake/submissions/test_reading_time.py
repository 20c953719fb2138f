"""Submissions made to take time before anything of them is run: names, texts, many slow files.

Each of these took minutes, and some of them days.
"""

from __future__ import annotations

import json
import random
import zipfile
from pathlib import Path

import pytest
from support import ROOT, guarded, sampled

from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.lesson_finder import MAY_HAVE_GRADIENTS
from grader.intake.submissions.people import may_be_one_person
from grader.intake.submissions.submission import read_submission
from grader.lesson.lesson import Course
from grader.questions.question import questions_of
from grader.source.reader import ReadingStopped, SourceReader


def test_a_text_is_searched_for_gradients_in_linear_time() -> None:
    """A line of a million d's took half an hour, in the process that reads the whole class."""
    for unit in ("d", "(d", " d", "d\t", "d\r", "dd\n"):
        text = (unit * 1_000_000)[:1_000_000].encode()
        with guarded():
            assert MAY_HAVE_GRADIENTS.search(text) is None
            assert MAY_HAVE_GRADIENTS.search(text + b"\nda = 2") is not None


def test_a_name_of_many_words_is_compared_with_a_roster_quickly() -> None:
    roster = ["Ada Lovelace", "Johann Sebastian Bach", "Maria da Silva Santos", "Wolfgang Amadeus Mozart"] * 75
    with guarded():
        for name in (" ".join("abcdefghijklmnopqrstuvwxyz" * 5)[:240], " ".join(["ab"] * 80), "a" * 240):
            assert not any(may_be_one_person(name, other) for other in roster)
    assert may_be_one_person("Lovelace Ada", "Ada Lovelacce")


def slow_answers(lines: int) -> str:
    """Keys of a thousand parts, which Python's TOML reader takes quadratic time to read."""
    return "".join(".".join([f"k{line}", *["a"] * 990]) + " = 1\n" for line in range(lines))


def test_answers_are_read_once_and_not_in_any_number(tmp_path: Path) -> None:
    """Fifty files of slow answers took minutes: each was read twice for every lesson."""
    lessons = list(Course(ROOT).lessons.values())
    assert any(map(questions_of, lessons))
    many, few = tmp_path / "many", tmp_path / "few"
    for folder, count in ((many, 50), (few, 3)):
        folder.mkdir()
        for number in range(count):
            (folder / f"answers ({number}).toml").write_text(f'lesson = "{number + 1:02d}"\n' + slow_answers(95))
        (folder / "answers.toml").write_text('lesson = "03"\n[answers]\nn = "1"\n')
        (folder / "backward.py").write_text("dlogits = 2\n")
    with guarded():
        read = {place: read_submission(Arrival("ada", place), lessons) for place in (many, few)}
    answered = {
        place: [each.lesson for each in one.lessons.values() if each.answers_shown] for place, one in read.items()
    }
    assert answered == {many: [], few: ["03_makemore_steps"]}


@sampled("suffix", [".py", ".ipynb"], keep=1)
def test_all_files_of_a_submission_share_a_limit(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock is not asked: no reading ends, and each costs the second that it may take."""
    monkeypatch.setattr("grader.source.reader.SUBMISSION_SECONDS", 4.0)
    reader = SourceReader(1.0)
    for module in ("reading", "outline"):
        monkeypatch.setattr(f"grader.intake.notebook.{module}.source_reader", lambda: reader)
    path, chance = tmp_path / "ada.zip", random.Random(1)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(20):
            letters = "".join(chance.choices("abcdefgh", k=40_000))  # that do not repeat: the archive is no bomb
            text = f"z{number} = '{letters}'\ndW1 = 2\n"
            notebook = json.dumps({"cells": [{"cell_type": "code", "source": text}], "nbformat": 4})
            archive.writestr(f"{number}{suffix}", notebook if suffix == ".ipynb" else text)
    messages = list[bytes]()

    exchange_message = SourceReader._exchange

    def exchange(reader: SourceReader, message: bytes, seconds: float) -> bytes | None:
        if b"unpack" in message:
            return exchange_message(reader, message, seconds)
        messages.append(message)
        raise ReadingStopped("reading it took more than 1 seconds")

    monkeypatch.setattr(SourceReader, "_exchange", exchange)
    read = read_submission(Arrival("ada", path), list(Course(ROOT).lessons.values()))
    assert not any(lesson.present for lesson in read.lessons.values())
    assert len(messages) == 4
