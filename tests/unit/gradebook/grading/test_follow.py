"""`grade run --follow`: what happens in the folder decides what is graded. Grading is played, and so is the clock."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from made_gradebook import grades_of
from made_results import lesson as lesson_of
from made_results import results as results_by_hand
from made_results import row
from support import ROOT

from grader.commands.intake import Intake, RunInput
from grader.commands.out_folder import gradebook_so_far
from grader.gradebook.grading import run as run_module
from grader.gradebook.grading.grader_processes import Replies, Reply
from grader.gradebook.grading.outcome import RunOutcome
from grader.gradebook.grading.run import PUBLISH_SECONDS, GradingRun
from grader.gradebook.grading.settings import Settings
from grader.gradebook.grading.views import Views
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course
from grader.publish.report.pages import Reporter
from grader.results import SubmissionResult

LESSON = "04_cross_entropy"
JOBS = 2


def results_of(submission: Submission) -> SubmissionResult:
    """Full marks for a file with the word `right` in it."""
    files = submission.lessons[LESSON].files if submission.lessons else {}
    points = 3 if any(b"right" in text for text in files.values()) else 0
    part = lesson_of(LESSON, row("dlogits", "passed" if points else "failed", points=points, max_points=3))
    return results_by_hand(submission.student, part, submission_sha256=submission.sha256)


@cache
def course_and_reporter() -> tuple[Course, Reporter]:
    course = Course(ROOT)
    return course, Reporter([course.find("04")])


class PlayedGraders:
    """Graders that answer at once, unless they are `slow`; something happens every three seconds."""

    def __init__(self, followed: Followed, happens: Sequence[Callable[[], object]]) -> None:
        self.followed, self.happens, self.steps = followed, list(happens), 0
        self.waiting: list[Submission] = []
        self.slow = False

    def __call__(self, submissions: Iterable[Submission | None], *_: Any) -> Replies:
        with suppress(KeyboardInterrupt):
            for submission in submissions:
                self.waiting += [] if submission is None else [submission]
                while submission is None or len(self.waiting) >= 4 * JOBS:
                    while self.waiting and not self.slow:
                        answered = self.waiting.pop(0)
                        yield answered, Reply(results_of(answered))
                    self.happen()
                    if submission is None:
                        break

    def happen(self) -> None:
        self.followed.now += 0.5
        self.steps += 1
        if self.steps % 6 == 1:
            if not self.happens:
                raise KeyboardInterrupt
            self.happens.pop(0)()


class Followed:
    """A run that follows `inbox`; `graded` are (student, score) in the order of the results."""

    def __init__(self, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.inbox, self.out = place / "inbox", place / "out"
        self.inbox.mkdir()
        self.now = 0.0
        self.graded: list[tuple[str, float]] = []
        self.pages: list[float] = []  # when the class page was written
        self._monkeypatch, self._capsys = monkeypatch, capsys
        self.pool: PlayedGraders

    def run(self, *happens: Callable[[], object], fresh: bool = False, intake_file: Path | None = None) -> RunOutcome:
        """Follow the folder while each of `happens` happens, with seconds between them; then a signal comes."""

        self.pool = PlayedGraders(self, happens)
        course, reporter = course_and_reporter()
        lessons = [course.find("04")]
        written = Views.write_class

        def write_class(views: Views, *arguments: Any) -> Any:
            self.pages.append(self.now)
            return written(views, *arguments)

        self._monkeypatch.setattr(run_module, "grade_all", self.pool)
        self._monkeypatch.setattr(run_module, "clock", lambda: self.now)
        self._monkeypatch.setattr(Views, "write_class", write_class)
        with gradebook_so_far(self.out) as known:
            given = RunInput((self.inbox,), self.out, ("04",), None, None, None, (), intake_file)
            inbox = Intake(given, known, ROOT, quiet=True).follow(())
        inbox.clock = lambda: self.now
        settings = Settings(course="", lessons=[], seed=1, out=str(self.out))
        shown = {"publisher": reporter, "live": self}
        return GradingRun(
            found=inbox.found, lessons=lessons, course=course, settings=settings, fresh=fresh, inbox=inbox, **shown
        ).run()

    def submit(self, name: str, text: str = "right") -> None:
        place = self.inbox / name / LESSON
        place.mkdir(parents=True, exist_ok=True)
        (place / "backward.py").write_text(f"# {text}\n")

    def scores(self) -> dict[str, str]:
        return {student: line["total"] for student, line in grades_of(self.out).items()}

    def warnings(self) -> str:
        return self._capsys.readouterr().err

    def planned(self, due: int, kept: int) -> None: ...

    def started(self, student: str) -> None: ...

    def result(self, results: SubmissionResult) -> None:
        self.graded.append((results.student, results.score))


@pytest.fixture
def followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Followed:
    return Followed(tmp_path, monkeypatch, capsys)


def nothing() -> None:
    """Nothing happens in the folder."""


def test_a_replaced_submission_is_a_new_attempt_and_a_deleted_one_keeps_its_result(followed):
    outcome = followed.run(
        nothing,
        lambda: followed.submit("ada", "wrong"),
        lambda: followed.submit("ada", "right"),
        lambda: followed.submit("bo"),
        lambda: shutil.rmtree(followed.inbox / "bo"),
    )
    assert followed.graded == [("ada", 0), ("ada", 3), ("bo", 3)]
    assert followed.scores() == {"ada": "3", "bo": "3"}
    assert (outcome.stopped, outcome.class_size) == (False, 2), "a stop after everything is graded is no interruption"


def test_a_second_run_grades_only_what_came_meanwhile_and_fresh_everything(followed):
    followed.run(lambda: followed.submit("ada"))
    followed.submit("bo")
    followed.graded.clear()
    outcome = followed.run(nothing)
    assert followed.graded == [("bo", 3)]
    assert [result.student for result in outcome.results] == ["ada", "bo"]
    followed.graded.clear()
    followed.run(nothing, fresh=True)
    assert sorted(followed.graded) == [("ada", 3), ("bo", 3)]


def test_a_stop_before_everything_is_graded_is_an_interruption_and_the_next_run_goes_on(followed):
    def come() -> None:
        followed.pool.slow = True
        for number in range(4 * JOBS + 5):
            followed.submit(f"student{number:03}")

    def stop() -> None:
        assert len(followed.pool.waiting) == 4 * JOBS  # the others are not in memory yet
        raise KeyboardInterrupt

    assert followed.run(come, stop).stopped
    assert followed.graded == []
    assert not followed.run(nothing, nothing).stopped
    assert len(followed.graded) == 4 * JOBS + 5


def test_while_results_keep_coming_the_class_page_is_written_now_and_then(followed):
    steps = [lambda n=n: followed.submit(f"student{n:02}") for n in range(10)]
    followed.run(*steps)
    assert len(followed.graded) == 10
    gaps = [later - earlier for earlier, later in zip(followed.pages, followed.pages[1:], strict=False)]
    assert len(followed.pages) <= 11 and max(gaps[:-1], default=0) <= PUBLISH_SECONDS + 3.5


def test_a_submission_that_is_replaced_while_it_is_graded_waits_for_its_result(followed):
    def come() -> None:
        followed.pool.slow = True
        followed.submit("ada", "wrong")

    def answer() -> None:
        assert len(followed.pool.waiting) == 1  # the second waits for the first
        followed.pool.slow = False

    followed.run(come, lambda: followed.submit("ada", "right"), answer, nothing)
    assert followed.graded == [("ada", 0), ("ada", 3)]
    assert followed.scores() == {"ada": "3"}


def test_a_folder_that_vanishes_is_waited_for(followed):
    away = followed.inbox.with_name("away")
    followed.run(
        lambda: followed.submit("ada"),
        lambda: followed.inbox.rename(away),
        lambda: away.rename(followed.inbox),
        lambda: followed.submit("bo"),
    )
    assert followed.graded == [("ada", 3), ("bo", 3)]
    assert followed.warnings().count("waiting for it") == 1


def test_what_can_be_read_in_several_ways_is_in_intake_csv_and_an_edited_line_survives(followed):
    def unclear() -> None:
        folder = followed.inbox / "ada"
        folder.mkdir()
        (folder / "a.py").write_text("def dlogits(logits, Yb, n):\n    return 0  # first\n")
        (folder / "b.py").write_text("def dlogits(logits, Yb, n):\n    return right\n")

    def edit() -> None:
        text = (followed.out / "intake.csv").read_text(encoding="utf-8")
        assert text.splitlines()[1].startswith(f"ada,a.py; b.py,{LESSON}: a.py,")
        (followed.out / "intake.csv").write_text(text.replace(f"{LESSON}: a.py,", "4: b.py,", 1), encoding="utf-8")

    followed.run(unclear, edit, lambda: followed.submit("bo"))
    assert followed.graded == [("ada", 0), ("bo", 3)]
    assert "edit `guess`" in followed.warnings()
    followed.graded.clear()
    followed.run(nothing, intake_file=followed.out / "intake.csv")
    assert followed.graded == [("ada", 3)]
    assert (followed.out / "intake.csv").read_text(encoding="utf-8").splitlines()[1].endswith(",yes")
