"""How many submissions that differentiate numerically are recorded, and how many right ones that look like it.

    python -m bench.numerical                 all attempts and look-alikes
    python -m bench.numerical 06 dual         those of a lesson, or with a word in their name

Each is graded as a submission, in workers, by the hidden suite, under `numerical_differentiation = "points"`. The table
shows which of an attempt's rows earn full marks there, and which are recorded. Exit status 1 where an attempt is not
recorded as it should be, another row is, or a look-alike is.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.numerical_attempts import Attempt, attempts
from bench.numerical_lookalikes import lookalikes
from bench.numerical_more import more_attempts
from grader.gradebook.grading.session import Session
from grader.intake.submissions.lesson_files import MAIN, LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course, Lesson

ROOT = Path(__file__).resolve().parents[1]
SEED = 20_240_607


@dataclass
class Outcome:
    """`full` are the attempt's rows that passed; `recorded` {row: method} and `failed` {row: why} are of all rows."""

    attempt: Attempt
    full: list[str] = field(default_factory=list)
    recorded: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def expected(self) -> dict[str, str]:
        return dict.fromkeys(self.attempt.rows, self.attempt.method)

    @property
    def is_right(self) -> bool:
        return self.recorded == self.expected


def source_of(lesson: Lesson, attempt: Attempt) -> bytes:
    """The answer key with the attempt's functions after its own; a function for all gradients stays as `by_hand`."""
    key = (lesson.solution / MAIN).read_text(encoding="utf-8")
    if lesson.joint is not None:
        key = key.replace(f"def {lesson.joint.name}(", "def by_hand(")
        if f"def {lesson.joint.name}(" not in attempt.text:
            key += f"\n\n{lesson.joint.name} = by_hand\n"
    return f"{key}\n\n{attempt.text}".encode()


def course_with_points(folder: Path) -> Course:
    """The course under the setting that takes no points, so that what an attempt would earn is seen."""
    for part in ("exercises", "solutions"):
        (folder / part).symlink_to(ROOT / part)
    (folder / "course.toml").write_text('numerical_differentiation = "points"\n', encoding="utf-8")
    return Course(folder)


def outcome(session: Session, lesson: Lesson, attempt: Attempt) -> Outcome:
    submitted = {lesson.name: LessonFiles(lesson.name, {MAIN: source_of(lesson, attempt)})}
    results = session.grade(Submission(attempt.name, Path(attempt.name), submitted)).results
    rows = results.lessons[0].rows
    found = Outcome(attempt)
    for row in rows:
        if row.numerical_differentiation is not None:
            found.recorded[row.name] = row.numerical_differentiation.method
        if row.name in attempt.rows and row.status == "passed":
            found.full.append(row.name)
        if row.status != "passed":
            found.failed[row.name] = row.message or row.status
    return found


def outcomes(chosen: Sequence[Attempt]) -> Iterator[Outcome]:
    with tempfile.TemporaryDirectory(prefix="numerical-") as folder:
        course = course_with_points(Path(folder))
        for number in sorted({attempt.lesson for attempt in chosen}):
            lesson = course.find(number)
            session = Session([lesson], SEED)
            try:
                for attempt in chosen:
                    if attempt.lesson == number:
                        yield outcome(session, lesson, attempt)
            finally:
                session.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    known = [*attempts(), *more_attempts(), *(replace(each, name=f"look-alike: {each.name}") for each in lookalikes())]
    chosen = [
        each
        for each in known
        if not options.words or any(w in (each.lesson, *each.name.split("_")) for w in options.words)
    ]
    table = Table("lesson", "attempt", "method", "rows", "full marks", "recorded", "")
    found = list(outcomes(chosen))
    for one in found:
        tried = one.attempt
        marks = f"{len(one.full)} of {len(tried.rows)}" if tried.rows else "–"
        shown = ", ".join(f"{row}: {method}" for row, method in one.recorded.items()) or "–"
        others = "; ".join(f"{row}: {why}" for row, why in one.failed.items())
        note = ("" if one.is_right else "✗ ") + others[:160]
        table.add_row(tried.lesson, tried.name, tried.method or "–", " ".join(tried.rows), marks, shown, note)
    console = Console(width=None if sys.stdout.isatty() else 220)
    console.print(table)
    tries = [one for one in found if one.attempt.rows]
    alike = [one for one in found if not one.attempt.rows]
    full = sum(len(one.full) == len(one.attempt.rows) for one in tries)
    recorded = sum(one.is_right for one in tries)
    accused = sum(not one.is_right for one in alike)
    console.print(f"{len(tries)} attempts: {full} with full marks before the setting, {recorded} recorded")
    console.print(f"{len(alike)} look-alikes: {accused} recorded")
    return 0 if all(one.is_right for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
