"""Gradescope's export: one folder per submission, and one file with the students and times."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from grader.intake.submissions.archive import METADATA
from grader.intake.submissions.arrival import Arrival, SubmissionError, newest
from grader.intake.submissions.places import is_folder, possible_submissions
from grader.intake.submissions.written_times import seconds_since_1970

MAX_METADATA_BYTES = 64 << 20
SUBMISSION_NAME = re.compile(r"submission_\d+")


def from_gradescope(folder: Path) -> list[Arrival]:
    """One submission per submitter: each member of a group gets the result. Raises SubmissionError, OSError.

    A folder that contains anything else to grade is not an export: the metadata may be a student's own file.
    """
    path = folder / METADATA
    if not path.is_file() or any(not SUBMISSION_NAME.fullmatch(entry.name) for entry in possible_submissions(folder)):
        return []
    arrivals = []
    for name, entry in sorted(metadata(path).items()):
        place = folder / str(name)
        if not SUBMISSION_NAME.fullmatch(str(name)) or not is_folder(place):
            continue
        people = [person for person in submitters_of(entry) if isinstance(person, dict)]
        when = seconds_since_1970(entry.get(":created_at")) if isinstance(entry, dict) else 0.0
        everybody = [text_at(person, ":name") or text_at(person, ":email") or str(name) for person in people]
        for person, student in zip(people, everybody, strict=True):
            marks = tuple(mark for mark in (text_at(person, ":sid"), text_at(person, ":email")) if mark)
            account = f"Gradescope {marks[-1]}" if marks else ""
            who = f"{account} {sorted(everybody) if len(everybody) > 1 else ''}" if marks else f"{student} {name}"
            arrival = Arrival(student, place, who, when, marks, account=account, displayed=True)
            group = f"Submitted by a group: {', '.join(everybody)}."
            arrivals.append(arrival.with_remark("group", group) if len(everybody) > 1 else arrival)
        if not people:
            arrivals.append(Arrival(str(name), place, str(name), when))
    known = {arrival.path for arrival in arrivals}
    rest = [p for p in sorted(folder.iterdir()) if SUBMISSION_NAME.fullmatch(p.name) and p not in known]
    return prefer_own_submissions(newest([*arrivals, *(Arrival(p.name, p, p.name) for p in rest)]))


def prefer_own_submissions(arrivals: Sequence[Arrival]) -> list[Arrival]:
    """Prefers the submission that an account made alone: anybody can add another student to a group."""
    by_account: dict[str, list[Arrival]] = {}
    for arrival in arrivals:
        by_account.setdefault(arrival.account or arrival.who, []).append(arrival)
    result = []
    for same in by_account.values():
        alone = [arrival for arrival in same if arrival.who == f"{arrival.account} "]
        if len(same) > 1 and alone:
            groups = ", ".join(arrival.label for arrival in same if arrival is not alone[0])
            result.append(alone[0].with_remark("group", f"It counts before {groups}, submitted by a group."))
        elif len(same) > 1:
            names = ", ".join(arrival.label for arrival in same)
            note = f"{len(same)} groups submitted for this student: {names}. Ask which one counts."
            result += [replace(arrival.with_remark("guess", note), account="") for arrival in same]
        else:
            result += same
    return result


def metadata(path: Path) -> dict[Any, Any]:
    """The file's mapping with every value as text: an id keeps its zeros, and Ruby's tags are ignored."""
    import yaml  # here, because a student's `dojo` does not need it

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    if path.stat().st_size > MAX_METADATA_BYTES:
        raise SubmissionError(
            f"{path.name} has more than {MAX_METADATA_BYTES:,} bytes: export again without the results."
        )
    try:
        loaded = yaml.load(path.read_bytes(), Loader=loader)  # it makes only text, lists and mappings
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:200]
        raise SubmissionError(f"{path.name} cannot be read ({reason}): export again from Gradescope.") from error
    if not isinstance(loaded, dict):
        raise SubmissionError(f"{path.name} is not as Gradescope writes it: export again.")
    return loaded


def submitters_of(entry: Any) -> list[Any]:
    found = entry.get(":submitters") if isinstance(entry, dict) else None
    return found if isinstance(found, list) else []


def text_at(entry: dict[Any, Any], key: str) -> str:
    found = entry.get(key)
    return found.strip() if isinstance(found, str) and found.strip() not in ("~", "null") else ""
