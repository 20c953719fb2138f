"""Hostile submissions graded one after another on one warm session, and what each leaves behind."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import ROOT
from bench.attacks.arena import Arena, adopt_orphans, avoid_above, descendants, make_arena, new_descendants
from bench.attacks.corpus import Attack, helpers
from grader.gradebook.grading.graded import GradedSubmission
from grader.gradebook.grading.session import Session
from grader.intake.lesson_files import LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.publish.report.pages import Reporter
from grader.results import LessonResult
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.lockdown import LAYERS
from grader.sandbox.isolation.probe import Isolation, probe

LESSONS = ["02", "03", "04", "06", "07"]
ENDING_SECONDS = 10.0  # a guard: what was killed ends within a tenth of a second
SHORT_LIMITS = Limits(import_seconds=0.5, step_seconds=0.5, total_seconds=2.0)
SEED = 20_240_607
THROUGH = "GOT THROUGH"


@dataclass
class Outcome:
    """What came of an attack: statuses of its rows, what got through, and what is not as its header says."""

    name: str
    group: str
    level: str
    statuses: dict[str, str] = field(default_factory=dict)
    through: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    seconds: float = 0.0


def without_seconds(results: Any) -> Any:
    if isinstance(results, dict):
        return {key: without_seconds(value) for key, value in results.items() if key != "seconds"}
    return [without_seconds(entry) for entry in results] if isinstance(results, list) else results


class Range:
    """One warm session in an arena, and everything about it that an attack must leave as it is."""

    def __init__(self, arena: Arena, isolation: Isolation, limits: Limits = SHORT_LIMITS) -> None:
        adopt_orphans()
        self.arena, self.level = arena, isolation.level
        self._environment = os.environ.get("GRADER_SECRET")
        os.environ["GRADER_SECRET"] = arena.token  # for whoever reads our environment or memory
        self._before = descendants()
        self.lessons = {lesson.number: lesson for lesson in arena.course.lessons.values()}
        self._solutions = {number: original_solution(lesson) for number, lesson in self.lessons.items()}
        self.session = Session(list(self.lessons.values()), SEED, limits, isolation)
        self.reporter = Reporter(self.session.lessons)
        for number in self.lessons:
            self.right(number)  # loads what is loaded once
        loaded = descendants()
        self._alone = {number: without_seconds(self.right(number).results.to_json()) for number in self.lessons}
        # a worker that was ended may be there a moment longer
        self.processes = {pid: name for pid, name in descendants().items() if pid in loaded}
        self._snapshot = arena.snapshot()

    @property
    def started(self) -> list[int]:
        """The processes that the session started: a browser's, from an earlier test, are not among them."""
        return [pid for pid in self.processes if pid not in self._before]

    def right(self, number: str) -> GradedSubmission:
        return self.grade(number, {BACKWARD_FILE: self._solutions[number]}, "right")

    def grade(self, number: str, files: dict[str, bytes], student: str) -> GradedSubmission:
        submitted = {lesson.name: LessonFiles(lesson.name, message="not handed in") for lesson in self.lessons.values()}
        lesson = self.lessons[number]
        submitted[lesson.name] = LessonFiles(lesson.name, files)
        return self.session.grade(Submission(student, Path(student), submitted))

    def run(self, attack: Attack, with_next: bool = True) -> Outcome:
        """Grades the attack and, `with_next`, a right submission after it.

        An outcome without problems is as the header says.
        """
        started = time.monotonic()
        outcome = Outcome(attack.name, attack.group, self.level)
        graded = self.grade(attack.lesson, self.files(attack), attack.name)
        lesson = next(entry for entry in graded.results.lessons if entry.status != "missing")
        outcome.statuses = {row.name: row.status for row in lesson.rows}
        printed = graded.printed.get(lesson.name, "")
        outcome.through = [line for line in printed.splitlines() if THROUGH in line]
        outcome.through += self.traces(graded, attack)
        if stops := attack.stops_at(self.level):
            outcome.problems += outcome.through
            refused = str(sum(": refused " in line for line in printed.splitlines()))
            if refused != attack.header.get("refused", refused):
                outcome.problems.append(f"{refused} refused, expected {attack.header['refused']}: {printed[-300:]}")
        if stops or attack.stopped_from == "never":
            outcome.problems += differences(attack, lesson)
        if with_next and not self.is_unaffected(attack.lesson):
            outcome.problems.append("the submission after it does not get what it gets alone")
        outcome.seconds = round(time.monotonic() - started, 3)
        return outcome

    def is_unaffected(self, number: str) -> bool:
        """Whether a right submission gets exactly what it got before all attacks."""
        return bool(without_seconds(self.right(number).results.to_json()) == self._alone[number])

    def files(self, attack: Attack) -> dict[str, bytes]:
        """The submission with its neighbours: helpers, a right answer, and the names of all that is hidden."""
        world = self.arena.world(self.lessons[attack.lesson], [os.getpid(), *self.processes])
        return {
            **helpers(),
            "right.py": self._solutions[attack.lesson],
            "world.py": world.encode(),
            **attack.files,
        }

    def traces(self, graded: GradedSubmission, attack: Attack) -> list[str]:
        """What was read, written or left running."""
        sources = {lesson.name: attack.files[BACKWARD_FILE].decode(errors="replace") for lesson in self.session.lessons}
        places = {
            "results.json": graded.results.to_text(),
            "the report": "".join(self.reporter.student_pages(graded, sources).values()),
            "what it printed": json.dumps(graded.printed),
        }
        found = [f"the canary is in {place}" for place, text in places.items() if self.arena.token in text]
        before, self._snapshot = self._snapshot, self.arena.snapshot()
        paths = sorted(before.keys() | self._snapshot.keys())
        found += [f"written: {path}" for path in paths if before.get(path) != self._snapshot.get(path)]
        if left := new_descendants(self.processes, ENDING_SECONDS):
            found.append(f"processes left: {left}")
        if gone := self.processes.keys() - descendants().keys():
            found.append(f"processes gone: {gone}")
        return found

    def close(self) -> list[str]:
        """Ends the session and removes what an unlocked attack made; says which processes were left."""
        self.session.close()
        os.environ.pop("GRADER_SECRET")
        if self._environment is not None:
            os.environ["GRADER_SECRET"] = self._environment
        left = new_descendants(self._before, ENDING_SECONDS)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        for path in self.arena.made():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        return [f"processes left: {left}"] if left else []


def differences(attack: Attack, lesson: LessonResult) -> list[str]:
    """Where rows and messages are not as the header says."""
    gradients = [row.status for row in lesson.rows if row.name.startswith("d")]
    found = []
    for row in lesson.rows:
        if row.status not in (allowed := attack.statuses(row.name, gradients)):
            found.append(f"{row.name} is {row.status}, expected {allowed}: {row.message}")
    shown = [lesson.message or "", *(row.message or "" for row in lesson.rows)]
    wanted = attack.header.get("message", "").split(" | ")
    if not any(fragment in message for fragment in wanted for message in shown):
        found.append(f"no message says {attack.header['message']!r}: {shown}")
    if (longest := max(map(len, shown))) > 10_000:
        found.append(f"a message of {longest} characters")
    return found


def original_solution(lesson: Lesson) -> bytes:
    """The solution without the canary."""
    text = (lesson.solution / "backward.py").read_text(encoding="utf-8")
    return text[: text.index("\n\nCANARY")].encode()


@contextlib.contextmanager
def range_at(level: str) -> Iterator[Range]:
    """A range at `level`. Raises RuntimeError where this machine and user do not reach it."""
    isolation = probe(avoid=LAYERS if level == "none" else avoid_above(level))
    if isolation.level != level:
        raise RuntimeError(f"level {level} cannot be reached, it is {isolation.level}: {' '.join(isolation.missing)}")
    with tempfile.TemporaryDirectory(prefix="arena-") as folder:
        os.chmod(folder, 0o755)
        opened = Range(make_arena(ROOT, Path(folder) / "world", LESSONS), isolation)
        try:
            yield opened
        finally:
            left = opened.close()
        if left and level != "none":
            raise RuntimeError(f"after the session: {left}")
