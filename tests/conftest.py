"""Fixtures of the engine's tests: the course, and sessions over a warm zygote."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, settings
from kits import make_kit
from shared_nursery import SharedNursery, forked_zygote
from support import ROOT, SEED, SHORT_LIMITS, Golden, Rows, expectation, lay_out, rows_of, solution_of
from xdist.scheduler import LoadScopeScheduling

from grader.authoring.verify import submission_of
from grader.gradebook.grading.graded import GradedSubmission
from grader.gradebook.grading.session import Session
from grader.intake.submissions.finding import find
from grader.lesson.lesson import Course, Lesson
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.lockdown import Plan
from grader.sandbox.isolation.probe import probe
from grader.sandbox.workers import worker_process
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.waiting import DeadlineMissed
from grader.verdict.explain import attempts

attempts.RAISED += (AttributeError, NameError, ImportError)  # our own: no student's value is the cause of one
torch.set_num_threads(1)  # the tensors are small: a second thread only waits
# One that is slow or busy takes longer, and no test is wrong for that.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

collect_ignore = [
    "golden",
    "courses",
    "in_the_wild",
]  # students' files: some are called test_x.py and conftest.py on purpose


def pytest_collection() -> None:
    """Thousands of tests are objects that stay. Looking for garbage among them took half of the time to find them."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


class ByFolder(LoadScopeScheduling):
    """Runs the tests of a folder in one worker, in order: they share what is loaded once."""

    def _split_scope(self, nodeid: str) -> str:
        return nodeid.partition("::")[0].rpartition("/")[0]


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFolder | None:
    """`--dist loadscope`, by folders. (xdist 3.8 ignores the groups of `--dist loadgroup` under pytest 9.2.)"""
    return ByFolder(config, log) if config.getvalue("dist") == "loadscope" else None


@pytest.fixture(scope="session")
def course() -> Course:
    return Course(ROOT)


@pytest.fixture(scope="session")
def lessons(course: Course) -> dict[str, Lesson]:
    return course.lessons


@pytest.fixture(scope="session")
def lesson(course: Course) -> Lesson:
    """Lesson 03: the lecture's network, with 26 gradients."""
    return course.find("03")


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    """What a student has: the exercises of some lessons, no secrets."""
    return make_kit(tmp_path)


@pytest.fixture(scope="session")
def warm_zygotes(shared_nursery: None) -> Iterator[None]:
    """Every Session made from here on shares one zygote for each set of limits; closing a session leaves it running."""
    running: dict[Limits, ZygoteProcess] = {}

    class Kept(ZygoteProcess):
        def close(self) -> None:
            pass

    def shared(plan: Plan, waiting: None = None) -> ZygoteProcess:
        if plan.limits not in running:
            running[plan.limits] = Kept(plan, SharedNursery().zygote())
        return running[plan.limits]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("grader.gradebook.grading.session.ZygoteProcess", shared)
        yield
    for zygote in running.values():
        ZygoteProcess.close(zygote)


@pytest.fixture(scope="session", autouse=True)
def shared_nursery() -> Iterator[None]:
    """For runs inside the test process. Commands that are started as processes have nurseries of their own."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ("grader.sandbox.workers.nursery", "grader.gradebook.grading.grader_processes"):
            patch.setattr(f"{module}.Nursery", SharedNursery)
        probe_once = cache(probe)  # a session tries the kernel's layers in six forks
        for module in ("grader.gradebook.grading.session", "grader.dojo.zygote", "grader.commands.checks"):
            patch.setattr(f"{module}.probe", probe_once)
        patch.setattr("grader.gradebook.grading.session.ZygoteProcess", forked_zygote)
        yield
    SharedNursery.end()


@pytest.fixture
def missed_deadlines(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """An entry for each deadline that a worker has missed."""
    missed: list[str] = []

    class Noted(DeadlineMissed):
        def __init__(self) -> None:
            missed.append("missed")

    monkeypatch.setattr(worker_process, "DeadlineMissed", Noted)
    return missed


@pytest.fixture(scope="session")
def session_for(course: Course, warm_zygotes: None) -> Callable[..., Session]:
    """session_for("03", "04", seed=..., limits=...): a warm Session with those lessons, the same for the same wish."""
    made: dict[Any, Session] = {}

    def session(*wanted: str, seed: int = SEED, limits: Limits | None = None) -> Session:
        chosen = [course.find(name) for name in wanted]
        limits = limits or Limits()
        key = (tuple(entry.name for entry in chosen), seed, limits)
        if key not in made:
            made[key] = Session(chosen, seed, limits)
        return made[key]

    return session


@pytest.fixture(scope="session")
def grade(course: Course, session_for: Callable[..., Session]) -> Callable[..., Rows]:
    """grade("03", source): the rows by name, from a real worker and the lesson's hidden suite."""

    def rows(wanted: str, source: str, **session: Any) -> Rows:
        graded = session_for(wanted, **session).grade(submission_of(course.find(wanted), "student", source))
        return rows_of(graded.results)

    return rows


@pytest.fixture(scope="session")
def golden(
    course: Course, session_for: Callable[..., Session], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Golden]:
    """golden(name): what came of a golden submission, and of a right one before it and straight after it."""
    done: dict[str, Golden] = {}
    folder = tmp_path_factory.mktemp("submissions")
    (folder / "outside").mkdir()
    (folder / "outside" / "backward.py").write_text(solution_of(course.find("04")), encoding="utf-8")

    @cache
    def alone(session: Session) -> dict[str, Any]:
        return graded_right(session).results.to_json()

    def graded_right(session: Session) -> GradedSubmission:
        lesson = session.lessons[0]
        return session.grade(submission_of(lesson, "right", solution_of(lesson)))

    def run(name: str) -> Golden:
        if name not in done:
            expected = expectation(name)
            session = session_for(*expected["lessons"], limits=SHORT_LIMITS if expected.get("short_limits") else None)
            before = alone(session)
            lay_out(name, folder / f"class of {name}")
            (found,) = find([folder / f"class of {name}"], session.lessons, list(course.lessons.values()))
            done[name] = Golden(found, session.grade(found), before, graded_right(session).results.to_json())
        return done[name]

    return run
