"""Fixtures for tests of `dojo`: a judge that is started once, and the command as a student types it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import click.testing
import pytest
from support import SHORT_LIMITS

from grader.commands.dojo import main
from grader.dojo import check as dojo_check
from grader.dojo.check import LocalJudge
from grader.dojo.zygote import EagerZygote

Dojo = Callable[..., click.testing.Result]


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
