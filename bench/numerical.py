"""How many submissions that differentiate numerically are recorded, and how many right ones that look like it.

    python -m bench numerical                 all attempts and look-alikes
    python -m bench numerical 06 dual         those of a lesson, or with a word in their name

Each is graded as a submission, in workers, by the hidden suite, under `numerical_differentiation = "points"`. The table
shows which of an attempt's rows earn full marks there, and which are recorded. Exit status 1 where a row with full marks
is not recorded as it should be, another row is, or a look-alike is.

They are in tests/corpus/numerical, a file per lesson. A section holds functions that replace those of the lesson's
answer key; its other gradients stay right. Its first line says which rows it finds numerically, and by which method;
`not seen` says that the grader does not notice it (docs/security.md lists these). Derivatives that are propagated
forward by the student's own rules (dual numbers in any form) are right, and are not recorded (`own differentiation`).
In lesson 06, where one function gives all gradients, the lines below `# in backward:` find the rows. They may call
`loss_of` and `stable_loss`; without such lines, `slope` finds dbeta.
"""

# ruff: noqa: E501
from __future__ import annotations

import argparse
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench import ROOT
from bench.measuring import aligned
from bench.members import Member, members_of
from grader.gradebook.grading.session import Session
from grader.intake.lesson_files import LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course, Lesson
from grader.lesson.paths import BACKWARD_FILE

SEED = 20_240_607
LOOK_ALIKE = "a look-alike"
OWN = "own differentiation"
NOT_SEEN = ", not seen"
IN_BACKWARD = "# in backward:\n"
SLOPE_OF_BETA = 'grads["dbeta"] = slope(lambda v: loss_of({**params, "beta": v}, Xb, Yb, eps), beta)\n'
BACKWARD = """
def backward(Xb, Yb, n, eps, C, W, b, gamma, beta, W2, b2, emb, embcat, x, mean, var, xhat, out, h, logits, probs):
    grads = by_hand(Xb, Yb, n, eps, C, W, b, gamma, beta, W2, b2, emb, embcat, x, mean, var, xhat, out, h, logits, probs)
    params = {"C": C, "W": W, "b": b, "gamma": gamma, "beta": beta, "W2": W2, "b2": b2}
"""


@dataclass(frozen=True)
class Attempt:
    """`rows` are the rows that are found by `method`, or that the student's `OWN` rules find.

    A look-alike has none.
    """

    name: str
    lesson: str
    method: str
    rows: tuple[str, ...]
    text: str
    is_seen: bool


def attempts() -> list[Attempt]:
    """Those of tests/corpus/numerical, and the look-alikes."""
    paths = sorted((ROOT / "tests" / "corpus" / "numerical").glob("*.py"))
    return [attempt_of(path.stem, member) for path in paths for member in members_of(path)]


def attempt_of(lesson: str, member: Member) -> Attempt:
    method, _, rows = member.what.partition(": ")
    text = f"{member.common}\n{member.own}"
    if lesson == "06":
        helpers, _, lines = text.partition(IN_BACKWARD)
        text = f"{helpers}\n\n{BACKWARD}{textwrap.indent(lines or SLOPE_OF_BETA, '    ')}    return grads\n"
    is_seen = not method.endswith(NOT_SEEN)
    method = "" if method == LOOK_ALIKE else method.removesuffix(NOT_SEEN)
    return Attempt(member.name, lesson, method, tuple(rows.split()), text, is_seen)


@dataclass
class Outcome:
    """`full` are the attempt's rows that passed; `recorded` {row: method} and `failed` {row: why} are of all rows."""

    attempt: Attempt
    full: list[str] = field(default_factory=list)
    recorded: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def expected(self) -> dict[str, str]:
        if self.attempt.method == OWN or not self.attempt.is_seen:
            return {}
        return dict.fromkeys(self.full, self.attempt.method)

    @property
    def is_right(self) -> bool:
        return self.recorded == self.expected


def source_of(lesson: Lesson, attempt: Attempt) -> bytes:
    """The answer key with the attempt's functions after its own; a function for all gradients stays as `by_hand`."""
    key = (lesson.solution / BACKWARD_FILE).read_text(encoding="utf-8")
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
    submitted = {lesson.name: LessonFiles(lesson.name, {BACKWARD_FILE: source_of(lesson, attempt)})}
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


def main(parser: argparse.ArgumentParser) -> int:
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    chosen = [
        each
        for each in attempts()
        if not options.words or any(w in (each.lesson, *each.name.split("_")) for w in options.words)
    ]
    rows = [("lesson", "attempt", "method", "rows", "full marks", "recorded", "")]
    found = list(outcomes(chosen))
    for one in found:
        tried = one.attempt
        marks = f"{len(one.full)} of {len(tried.rows)}" if tried.rows else "–"
        shown = ", ".join(f"{row}: {method}" for row, method in one.recorded.items()) or "–"
        others = "; ".join(f"{row}: {why}" for row, why in one.failed.items())
        note = ("" if one.is_right else "✗ ") + others[:160]
        name = tried.name if tried.rows else f"look-alike: {tried.name}"
        rows.append((tried.lesson, name, tried.method or "–", " ".join(tried.rows), marks, shown, note))
    print(aligned(rows))
    tries = [one for one in found if one.attempt.rows and one.attempt.method != OWN]
    alike = [one for one in found if one not in tries]
    full = sum(len(one.full) == len(one.attempt.rows) for one in tries)
    recorded = sum(one.is_right for one in tries)
    accused = sum(not one.is_right for one in alike)
    print(
        f"\n{len(tries)} attempts: {full} with full marks before the setting, {recorded} recorded; "
        f"{len(alike)} look-alikes and own differentiation: {accused} recorded in another way than expected"
    )
    return 0 if all(one.is_right for one in found) else 1
