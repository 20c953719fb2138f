"""What `grade run` prints: a progress bar, or a line per submission without a terminal; then a summary."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rich.console import Console

from grader.commands.console import ProgressBar, say
from grader.gradebook.assignment.config import Assignment
from grader.gradebook.grading.outcome import RunOutcome
from grader.gradebook.guarded import fault_sentence, plain_results, rendered
from grader.publish.inert import terminal_line
from grader.publish.report.classroom import without_times
from grader.results import SubmissionResult, points_text
from grader.results.wording import count_text, first_names

MAX_REASONS_SHOWN, MAX_REASON_CHARACTERS = 5, 600
RULER = re.compile(r"[=_-]{4,}")


class RunView(ProgressBar):
    """A run calls it with what happens (grader.gradebook.grading.run.RunListener)."""

    def __init__(self, console: Console, quiet: bool = False) -> None:
        super().__init__(console, quiet)
        self._quiet = quiet
        self._running = dict[str, None]()  # the students whose submissions run, the earliest first
        self._all = self.add_task("", total=None)

    def planned(self, due: int, kept: int) -> None:
        self.update(self._all, total=due)
        if kept:
            self._print(f"{due} of {due + kept} are new or changed; {kept} are as before (--fresh grades all).")

    def started(self, student: str) -> None:
        self._running[student] = None

    def result(self, results: SubmissionResult) -> None:
        self._running.pop(results.student, None)
        self.update(self._all, advance=1, description=terminal_line(next(iter(self._running), "")))
        if not self.console.is_terminal:
            task = self.tasks[0]
            line = rendered(lambda found: "".join(map(result_line, found)), [results], plain_results)
            self._print(f"[{task.completed:.0f}/{task.total or 0:.0f}] {line}")

    def _print(self, text: str) -> None:
        if not self._quiet:
            self.console.print(text, markup=False, highlight=False, soft_wrap=True)


def result_line(results: SubmissionResult) -> str:
    """A submission's result in a line, its name and message made harmless."""
    score = f"{points_text(results.score)} of {points_text(results.max_score)} ({results.percent:.0f} %)"
    text = f"{results.student}: {'no score yet' if results.status == 'unclear' else score}"
    return terminal_line(text if results.status == "graded" else f"{text}, {results.status}: {results.message}")


def what_failed(reasons: Mapping[str, str], count: int) -> list[str]:
    """One line per fault of the grader, with the students whose submissions could not be graded because of it.

    `reasons` are {student: reason}; `count` is the number of submissions of the run.
    """
    who: dict[str, list[str]] = {}
    for student, reason in reasons.items():
        who.setdefault(shorten(reason), []).append(student)
    lines = [
        f"{len(names)} of {count} could not be graded ({first_names(names, 10)}): {reason}"
        for reason, names in sorted(who.items(), key=lambda entry: -len(entry[1]))
    ]
    if lines[MAX_REASONS_SHOWN:]:
        lines[MAX_REASONS_SHOWN:] = [f"... and {count_text(len(lines) - MAX_REASONS_SHOWN, 'other reason')}."]
    return [*lines, *(["They have no score until the same command, run again, grades them."] if lines else [])]


def what_is_plain(plain: Mapping[str, str]) -> list[str]:
    """Two lines about {student: why} whose report or row in the class's pages is plain."""
    if not plain:
        return []
    reasons = sorted(set(map(shorten, plain.values())))
    return [fault_sentence(plain), f"Please report it, with the reason: {'; '.join(reasons[:MAX_REASONS_SHOWN])}."]


def what_platforms_say(results: Iterable[SubmissionResult]) -> list[str]:
    """A line about the students whose work is late by the assignment or by the platform's record, and not by both."""
    names = [each.student for each in results if any(remark.kind == "platform" for remark in each.intake or ())]
    who = first_names(names, 5)
    sentence = f"Late by the assignment or by the platform's record, not by both: {who}. Their reports say which."
    return [sentence] if names else []


def what_a_person_should_know(outcome: RunOutcome, count: int, assignment: Assignment | None, out: Path) -> list[str]:
    """Sentences about a run of `count` submissions: faults, whose time is unclear, and an assignment that waits."""
    sentences = [*what_failed(outcome.reasons, count), *what_is_plain(outcome.plain)]
    sentences += [*without_times(outcome.results), *what_platforms_say(outcome.results)]
    if assignment is not None and (changes := outcome.unapplied) is not None:
        up, down = sum(change.gain > 0 for change in changes), sum(change.gain < 0 for change in changes)
        names = f": {first_names([change.student for change in changes], 5)}" if changes else ""
        sentences.append(
            f"{assignment.title}, or a lesson in it, was edited: {len(changes)} would have other points ({up} up, "
            f"{down} down){names}. Until you apply this, the former assignment counts. `grade regrade -o {out}` shows "
            f"each change, `grade regrade --apply -o {out}` makes them count."
        )
    return sentences


def shorten(reason: str) -> str:
    """A reason on one line, without pytest's rulers. A long one is cut in the middle."""
    line = " ".join(RULER.sub("", reason).split())
    half = MAX_REASON_CHARACTERS // 2
    return line if len(line) <= MAX_REASON_CHARACTERS else f"{line[:half]} ... {line[-half:]}"


def print_summary(console: Console, outcome: RunOutcome, count: int, out: Path, left_out: Sequence[str] = ()) -> None:
    """Print how many of `count` submissions were graded, then on standard output where the results are.

    `left_out` are the names of lessons that no submission contains.
    """
    graded, full = len(outcome.results), sum(results.percent >= 100 for results in outcome.results)
    lines = [f"{graded} graded, {full} with full marks."]
    if outcome.stopped:
        lines = [f"Stopped: {graded} of {count} were graded and are on disk."]
    elif outcome.faults:
        lines[0] += f" {outcome.faults} could not be graded."
    if left_out:
        numbers = ", ".join(name.partition("_")[0] for name in left_out)
        lines.append(f"Not counted: {numbers}, which no submission contains. --lesson names the lessons that count.")
    if outcome.class_size > graded:
        lines.append(f"The gradebook has {outcome.class_size} students.")
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)
    if outcome.results:
        first = out / outcome.results[0].student / "report.html"
        say(f"The class:    {out / 'index.html'}", f"The scores:   {out / 'grades.csv'}")
        say(f"Each student: {first}{' and so on' if graded > 1 else ''}")
        if outcome.moves is not None:
            say(f"Since the last run: {outcome.moves}.")
