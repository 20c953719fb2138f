"""Whose each submission in a platform's download is, so that nobody gets another student's report.

A name is not enough. A report goes back where the download holds the very submission that was graded under the name, or
where the roster confirms who the student is and nothing speaks against it. Everything else is a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from grader.intake.submissions.submission import Submission

NOTHING_READ = Submission("", Path(), {}).sha256
"""The digest of a submission of which nothing can be graded."""
NUMBERED_NAME = re.compile(r"(.+)-\d+")


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
            doubt = f"the download holds what was graded as {first_quoted(owners)}"
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
    numbered = NUMBERED_NAME.fullmatch(student)
    return f"{student}-2" in names or (numbered is not None and numbered[1] in names)


def first_quoted(names: Collection[str]) -> str:
    return " and ".join(f"`{name}`" for name in sorted(names)[:3]) + (" and others" if len(names) > 3 else "")
