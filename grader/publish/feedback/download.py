"""A platform's download, read again: each submission in it whose author certainly gets a report back.

A name is not enough. A report goes back where the download holds the very submission that was graded under the name, or
where the roster confirms who the student is and nothing speaks against it. Everything else is a sentence.
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
from grader.publish.export.marks import AGAIN, class_results
from grader.publish.feedback.reports import NoFeedback, decision_sentences, report_files
from grader.results import SubmissionResult, number

NOTHING_READ = Submission("", Path(), {}).sha256
"""The digest of a submission of which nothing can be graded."""


class InDownload(NamedTuple):
    """A submission of the download: the name that intake gives it, and the digests of what may be graded in it."""

    student: str
    digests: Collection[str]


def match_download(
    submissions: Sequence[InDownload], attempts: Mapping[str, Collection[str]], members: Collection[str] = ()
) -> tuple[list[bool], list[str]]:
    """(whether each submission is certainly that of the student with its name in OUT, a sentence for each that is not).

    `attempts` are {student in OUT: digests of everything that was graded under this name}, `members` the names of the
    roster that intake had.
    """
    names = {submission.student for submission in submissions}
    everybody = names | set(attempts)
    certain, remarks = [], []
    for student, digests in submissions:
        known = set(digests) - {NOTHING_READ}
        owners = {name for name, graded in attempts.items() if known.intersection(graded)}
        doubt = ""
        if student not in attempts:
            doubt = "OUT has no results under this name. Give the roster that `grade run` had, or grade it first"
        elif owners and student not in owners:
            doubt = f"the download holds what was graded as {first_in_backticks(owners)}"
        elif is_shared(student, everybody) and owners != {student}:
            doubt = "several submissions came under this name"
        elif not owners and student not in members and (known or set(attempts[student]) != {NOTHING_READ}):
            doubt = (
                "the download holds another submission than the one that was graded, and no roster confirms the name"
            )
        certain.append(not doubt)
        if doubt:
            remarks.append(f"`{student}` gets no feedback: {doubt}.")
    return certain, remarks


def is_shared(student: str, names: Collection[str]) -> bool:
    """Whether intake had to number submissions of this name: `ada` and `ada-2`."""
    numbered = AGAIN.fullmatch(student)
    return f"{student}-2" in names or (numbered is not None and numbered[1] in names)


def first_in_backticks(names: Collection[str]) -> str:
    return " and ".join(f"`{name}`" for name in sorted(names)[:3]) + (" and others" if len(names) > 3 else "")


class Returned(NamedTuple):
    """A student's submission in the download, their current results, and {file name: content} of their reports."""

    arrival: Arrival
    results: SubmissionResult
    files: dict[str, bytes]

    @property
    def names(self) -> list[str]:
        """The names of the student's files or folders in the download."""
        return [path.name for path in self.places]

    @property
    def places(self) -> tuple[Path, ...]:
        """The student's files or folders in the download."""
        return self.arrival.sources or (self.arrival.path,)


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
    attempts, sets = graded_digests(out, results)
    by_name = {lesson.name: lesson for lesson in lessons}
    digests: dict[str, set[str]] = {}
    for names in sets or [()]:
        found = find([download], [by_name[name] for name in names if name in by_name] or lessons, lessons, roster)
        found.decided = decided
        strangers = [arrival.label for arrival in found.arrivals if not is_expected(arrival)]
        if len(strangers) == len(found.arrivals):
            raise UserError(f"{download} has no names like {expected}: name the download as the platform gave it.")
        for submission in shown(found):
            digests.setdefault(submission.student, set()).add(submission.sha256)
    read = [InDownload(arrival.student, digests[arrival.student]) for arrival in found.arrivals]
    members = () if roster is None else [member.student for member in roster.members]
    certain, remarks = match_download(read, attempts, members)
    remarks += [f"`{name}` has no name like {expected}, so nothing goes back for it." for name in strangers]
    back = []
    for arrival, is_certain in zip(found.arrivals, certain, strict=True):
        if is_certain and arrival.submitted_by:
            remarks.append(
                f"`{arrival.student}` gets no feedback here: {arrival.submitted_by} submitted for the group, so the "
                "platform has no submission under this name. `grade feedback folder` has the report."
            )
        elif is_certain and is_expected(arrival):
            try:
                back.append(Returned(arrival, results[arrival.student], report_files(out, results[arrival.student])))
            except NoFeedback as reason:
                remarks.append(f"`{arrival.student}` gets no feedback: {reason}.")
    back, doubts = one_result_each(back)
    remarks += doubts
    absent = sorted(results.keys() - {arrival.student for arrival in found.arrivals})
    remarks += [f"`{student}` is not in the download, so nothing goes back to them here." for student in absent]
    return back, [*found.remarks, *remarks]


def one_result_each(back: Sequence[Returned]) -> tuple[list[Returned], list[str]]:
    """(what goes back, at most one result for each submission of the download; a sentence for each without any).

    A platform gives back one report for a group's submission. It goes back if all members have the same.
    """
    by_place: dict[tuple[Path, ...], list[Returned]] = {}
    for each in back:
        by_place.setdefault(each.places, []).append(each)
    found, doubts = [], []
    for same in by_place.values():
        doubt = group_doubts([each.results for each in same]) if len(same) > 1 else ""
        if doubt:
            doubts.append(f"{same[0].arrival.label} gets no feedback: {doubt}.")
        else:
            found.append(same[0])
    return found, doubts


def group_doubts(members: Sequence[SubmissionResult]) -> str:
    """Why a group's submission can have no common result; "" where all members have the same."""
    names = ", ".join(each.student for each in members)
    if any(each.excused is not None for each in members):
        return "a member is excused, so there is no score"
    if len({(each.score, each.max_score) for each in members}) > 1:
        scores = ", ".join(f"{each.student} {number(each.score)}" for each in members)
        return f"there is one score per submission, and its members have several ({scores})"
    if len({tuple(decision_sentences(each)) for each in members}) > 1:
        return f"there is one report per submission, and those of its members ({names}) have different remarks"
    return ""


def graded_digests(
    out: Path, results: Mapping[str, SubmissionResult]
) -> tuple[Mapping[str, set[str]], list[tuple[str, ...]]]:
    """({student: digests of all their attempts}, the different sets of lessons for which submissions were read).

    Without a gradebook, `results` are all attempts.
    """
    digests: dict[str, set[str]] = {}
    tuples: dict[tuple[str, ...], None] = {}
    if (out / GRADEBOOK).is_file():
        with closing(Gradebook(out / GRADEBOOK, read_only=True)) as gradebook:
            attempts = [(name, each.read()) for name in results for each in gradebook.attempts_of_person(name)]
    else:
        attempts = list(results.items())
    for name, attempt in attempts:
        digests.setdefault(name, set()).add(attempt.submission_sha256)
        tuples.setdefault(tuple(sorted(graded_lessons(attempt))))
    return digests, list(tuples)
