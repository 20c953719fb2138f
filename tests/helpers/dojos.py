"""Fixtures for tests of `dojo`: a judge that is started once, and the command as a student types it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import click.testing
import pytest
from kits import file_of
from support import SHORT_LIMITS

from grader.commands.dojo import main
from grader.dojo import check as dojo_check
from grader.dojo.check import LocalJudge
from grader.dojo.desk import Desk
from grader.dojo.file import read_own
from grader.dojo.progress import Checked
from grader.dojo.zygote import EagerZygote

Dojo = Callable[..., click.testing.Result]


def checked_file(judge: LocalJudge, kit: Path, number: str, text: str) -> Checked:
    """What a check of this text as the lesson's file finds."""
    file_of(kit, number).write_text(text)
    lesson = Desk(kit, print).course.find(number)
    return Checked(lesson, read_own(lesson), judge.judge(lesson, read_own(lesson)), 0.1)


@pytest.fixture(scope="session")
def judge() -> Iterator[LocalJudge]:
    """One for all tests: its zygote takes seconds to start."""

    class Kept(LocalJudge):
        def close(self) -> None:
            pass

    kept = Kept(EagerZygote(SHORT_LIMITS))
    yield kept
    LocalJudge.close(kept)


@pytest.fixture
def dojo(kit: Path, judge: LocalJudge, monkeypatch: pytest.MonkeyPatch) -> Dojo:
    """dojo("check", "03"): what came of it, in the kit that the test's module has, on a screen of 80 columns."""
    monkeypatch.chdir(kit)
    monkeypatch.setattr("grader.dojo.desk.EagerZygote", lambda imports: None)
    monkeypatch.setattr(dojo_check, "LocalJudge", lambda zygote: judge)
    return lambda *words, columns=80: click.testing.CliRunner(env={"COLUMNS": str(columns)}).invoke(main, words)
