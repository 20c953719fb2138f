"""A platform's download, read again: each submission in it whose author certainly gets a report back.

A name is not enough: a report goes back where the download holds a submission that was graded under the student's name.
Everything else is a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from grader.errors import UserError
from grader.gradebook.current import graded_lessons
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.finding import find
from grader.intake.submissions.roster import Roster
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Lesson
from grader.publish.export.gradebooks import arrival_of_folder, class_results
from grader.publish.feedback.reports import NoFeedback, report_files
from grader.publish.report.decisions import decision_sentences
from grader.results import SubmissionResult, number
from grader.results.wording import listed

MAX_OWNERS_NAMED = 3


class Returned(NamedTuple):
    """A student's submission in the download, their current results, and {file name: content} of their reports."""

    arrival: Arrival
    results: SubmissionResult
    files: dict[str, bytes]

    @property
    def places(self) -> tuple[Path, ...]:
        """The student's files or folders in the download."""
        return self.arrival.places


def returned_reports(
    out: Path,
    download: Path,
    lessons: Sequence[Lesson],
    roster: Roster | None,
    is_expected: Callable[[Arrival], bool],
    expected: str,
    decided: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
    shown: Callable[[Sequence[Submission]], Iterable[Submission]] = iter,
) -> tuple[list[Returned], list[str]]:
    """(what goes back, a sentence for each submission and student without feedback).

    `is_expected` says whether a submission has the platform's names, and `expected` what such names look like.
    `decided` are {student: {lesson: file}}, as intake.csv says it. `shown` may report progress. Raises UserError.
    """
    results = class_results(out)
    graded, sets = graded_digests(out, results)
    by_name = {lesson.name: lesson for lesson in lessons}
    digests: dict[str, set[str]] = {}
    for names in sets:
        found = find([download], [by_name[name] for name in names if name in by_name] or lessons, lessons, roster)
        found.decided = decided
        if not any(map(is_expected, found.arrivals)):
            raise UserError(f"{download} has no names like {expected}: name the download as the platform gave it.")
        for submission in shown(found):
            digests.setdefault(submission.student, set()).add(submission.sha256)
    back, remarks = list[Returned](), list(found.remarks)
    for arrival in found.arrivals:
        student = arrival.student
        doubt = doubt_about(student, digests[student], digests, graded)
        if not is_expected(arrival):
            doubt = f"it has no name like {expected}"
        elif not doubt and arrival.submitted_by:
            doubt = (
                f"{arrival.submitted_by} submitted for the group, so the platform has no submission under this name. "
                "`grade feedback folder` has the report"
            )
        try:
            if doubt:
                raise NoFeedback(doubt)
            back.append(Returned(arrival, results[student], report_files(out, results[student])))
        except NoFeedback as reason:
            remarks.append(f"`{student}` gets no feedback here: {reason}.")
    back, doubts = one_result_each(back)
    absent = sorted(results.keys() - {arrival.student for arrival in found.arrivals})
    remarks += [f"`{student}` is not in the download, so nothing goes back to them here." for student in absent]
    return back, [*remarks, *doubts]


def doubt_about(
    student: str, digests: Collection[str], download: Collection[str], graded: Mapping[str, set[str]]
) -> str:
    """Why a submission of the download may be another person's; "" where it is certainly the student's.

    Args:
        digests: of what may be graded in the submission.
        download: the names of all submissions in the download.
        graded: {student in OUT: digests of everything that was graded under this name}
    """
    if student not in graded:
        return "OUT has no results under this name. Give the roster that `grade run` had, or grade it first"
    owners = {name for name, known in graded.items() if not known.isdisjoint(digests)}
    if student not in owners:
        others = f", which was graded as {listed(sorted(owners), MAX_OWNERS_NAMED)}" if owners else ""
        return f"the download holds another submission than the one that was graded{others}"
    if owners != {student} and not arrival_of_folder(student, {*download, *graded}).own:
        return "several submissions came under this name"
    return ""


def one_result_each(back: Sequence[Returned]) -> tuple[list[Returned], list[str]]:
    """(what goes back, at most one result for each submission of the download; a sentence for each without any).

    A platform gives back one report for a group's submission. It goes back if all members have the same.
    """
    by_place: dict[tuple[Path, ...], list[Returned]] = {}
    for each in back:
        by_place.setdefault(each.places, []).append(each)
    found, doubts = [], []
    for same in by_place.values():
        members = [each.results for each in same]
        if len({(each.score, each.max_score, *decision_sentences(each)) for each in members}) == 1:
            found.append(same[0])
            continue
        scores = ", ".join(f"{each.student} {number(each.score)}" for each in members)
        label = same[0].arrival.label
        doubts.append(
            f"{label} gets no feedback: it has one report, and its members have different scores or remarks ({scores})."
        )
    return found, doubts


def graded_digests(
    out: Path, results: Mapping[str, SubmissionResult]
) -> tuple[Mapping[str, set[str]], list[tuple[str, ...]]]:
    """({student: digests of all their attempts}, the different sets of lessons for which submissions were read)."""
    digests: dict[str, set[str]] = {}
    sets: dict[tuple[str, ...], None] = {}
    with closing(Gradebook(out / GRADEBOOK, read_only=True)) as gradebook:
        for name in results:
            for attempt in map(lambda stored: stored.read(), gradebook.stored_attempts(name)):
                digests.setdefault(name, set()).add(attempt.submission_sha256)
                sets.setdefault(tuple(sorted(graded_lessons(attempt))))
    return digests, list(sets)
