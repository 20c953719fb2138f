"""Downloads that say when each student submitted: Gradescope's export, and Classroom 50's.

Gradescope exports one folder per submission, and one file with the students and times. `gh teacher download` makes a
checkout for each student of Classroom 50, CLASSROOM-ASSIGNMENT-USERNAME, by the members of the classroom's team. What
is inside a checkout, students can change. https://github.com/foundation50/classroom50/wiki/gh-teacher#download
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from grader.intake.submissions.archive import METADATA
from grader.intake.submissions.arrival import Arrival, SubmissionError, newest
from grader.intake.submissions.lesson_files import Unreadable, read_file
from grader.intake.submissions.places import folders, gradable, is_folder, possible_submissions

MOST_BYTES = 64 << 20
NAME = re.compile(r"submission_\d+")
TIME = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d{1,6})?)\d*\s*(Z|UTC|[+-]\d\d:?\d\d)?")


def from_gradescope(folder: Path) -> list[Arrival]:
    """One submission per submitter: each member of a group gets the result. Raises SubmissionError, OSError.

    A folder that contains anything else to grade is not an export: the metadata may be a student's own file.
    """
    path = folder / METADATA
    if not path.is_file() or any(not NAME.fullmatch(entry.name) for entry in possible_submissions(folder)):
        return []
    arrivals = []
    for name, entry in sorted(metadata(path).items()):
        place = folder / str(name)
        if not NAME.fullmatch(str(name)) or not is_folder(place):
            continue
        people = [person for person in list_at(entry, ":submitters") if isinstance(person, dict)]
        when = seconds_since_1970(entry.get(":created_at")) if isinstance(entry, dict) else 0.0
        everybody = [text_at(person, ":name") or text_at(person, ":email") or str(name) for person in people]
        for person, student in zip(people, everybody, strict=True):
            marks = tuple(mark for mark in (text_at(person, ":sid"), text_at(person, ":email")) if mark)
            account = f"Gradescope {marks[-1]}" if marks else ""
            who = f"{account} {sorted(everybody) if len(everybody) > 1 else ''}" if marks else f"{student} {name}"
            arrival = Arrival(student, place, who, when, marks, account=account, displayed=True)
            group = f"Submitted by a group: {', '.join(everybody)}."
            arrivals.append(arrival.with_note(group, "group") if len(everybody) > 1 else arrival)
        if not people:
            arrivals.append(Arrival(str(name), place, str(name), when))
    known = {arrival.path for arrival in arrivals}
    rest = [p for p in sorted(folder.iterdir()) if NAME.fullmatch(p.name) and p not in known]
    return own_before_groups(newest([*arrivals, *(Arrival(p.name, p, p.name) for p in rest)]))


def own_before_groups(arrivals: Sequence[Arrival]) -> list[Arrival]:
    """Prefers the submission that an account made alone: anybody can add another student to a group."""
    by_account: dict[str, list[Arrival]] = {}
    for arrival in arrivals:
        by_account.setdefault(arrival.account or arrival.who, []).append(arrival)
    result = []
    for same in by_account.values():
        alone = [arrival for arrival in same if arrival.who == f"{arrival.account} "]
        if len(same) > 1 and alone:
            groups = ", ".join(arrival.label for arrival in same if arrival is not alone[0])
            result.append(alone[0].with_note(f"It counts before {groups}, submitted by a group.", "group"))
        elif len(same) > 1:
            names = ", ".join(arrival.label for arrival in same)
            note = f"{len(same)} groups submitted for this student: {names}. Ask which one counts."
            result += [replace(arrival.with_note(note, "guess"), account="") for arrival in same]
        else:
            result += same
    return result


def metadata(path: Path) -> dict[Any, Any]:
    """The file's mapping with every value as text: an id keeps its zeros, and Ruby's tags are ignored."""
    import yaml  # here, because a student's `dojo` does not need it

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    if path.stat().st_size > MOST_BYTES:
        raise SubmissionError(f"{path.name} has more than {MOST_BYTES:,} bytes: export again without the results.")
    try:
        loaded = yaml.load(path.read_bytes(), Loader=loader)  # it makes only text, lists and mappings
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:200]
        raise SubmissionError(f"{path.name} cannot be read ({reason}): export again from Gradescope.") from error
    if not isinstance(loaded, dict):
        raise SubmissionError(f"{path.name} is not as Gradescope writes it: export again.")
    return loaded


def list_at(entry: Any, key: str) -> list[Any]:
    found = entry.get(key) if isinstance(entry, dict) else None
    return found if isinstance(found, list) else []


def text_at(entry: dict[Any, Any], key: str) -> str:
    found = entry.get(key)
    return found.strip() if isinstance(found, str) and found.strip() not in ("~", "null") else ""


def seconds_since_1970(time: Any) -> float:
    """The seconds since 1970 of a time as Ruby writes it; 0 for anything else."""
    found = TIME.match(time) if isinstance(time, str) else None
    if found is None:
        return 0.0
    zone = found[3] if found[3] and found[3] not in ("Z", "UTC") else "+00:00"
    try:
        return datetime.fromisoformat(f"{found[1]}T{found[2]}{zone}").timestamp()
    except ValueError:
        return 0.0


MARKER = ".classroom50.yaml"
RESULT = "result.json"
MOST_INDEX_BYTES = 1 << 24
MOST_MARKER_BYTES = 1 << 14
MOST_RESULT_BYTES = 10 << 20
FOLDER = re.compile(r"(?P<assignment>.+)_submissions_\d{4}_\d\d_\d\d_T_\d\d_\d\d_\d\d")
FIELD = re.compile(r"^(classroom|assignment):[ \t]*[\"']?([A-Za-z0-9-]+)[\"']?[ \t]*$", re.MULTILINE)


def from_classroom50(folder: Path) -> list[Arrival]:
    """One submission per checkout; none if this is no download of Classroom 50. Raises OSError."""
    checkouts = folders(folder)
    if not checkouts or gradable(folder):
        return []
    prefix = repository_prefix(folder, checkouts)
    if not prefix or not all(
        path.name.lower().startswith(prefix) and len(path.name) > len(prefix) for path in checkouts
    ):
        return []
    return [checkout_arrival(path, path.name[len(prefix) :]) for path in checkouts]


def checkout_arrival(path: Path, login: str) -> Arrival:
    when = seconds_since_1970((result_in(path) or {}).get("datetime"))
    return Arrival(login, path, path.name, when, account=f"GitHub {login.lower()}")


def repository_prefix(folder: Path, checkouts: list[Path]) -> str:
    """What all names of repositories begin with, in small letters: most checkouts say it, or the folder's name does."""
    said = Counter(prefix for path in checkouts if (prefix := prefix_in_marker(path)))
    named = FOLDER.fullmatch(folder.name)
    if said:
        return said.most_common(1)[0][0]
    return f"{named['assignment']}-".lower() if named else ""


def prefix_in_marker(checkout: Path) -> str:
    """CLASSROOM-ASSIGNMENT- as the checkout's marker has it; "" where there is none."""
    try:
        text = read_file(checkout / MARKER, MOST_MARKER_BYTES).decode("utf-8", "replace")
    except Unreadable:
        return ""
    fields = dict(FIELD.findall(text))
    return f"{fields['classroom']}-{fields['assignment']}-".lower() if len(fields) == 2 else ""


def result_in(checkout: Path) -> dict[str, Any] | None:
    """The latest result.json, which the download took from the repository's releases; None where there is none.

    One that is among the checkout's commits is the student's own text, and says nothing. Some disks find
    `RESULT.json` under the same name, and Git's format 4 does not write out every name.
    """
    try:
        index = checkout / ".git" / "index"
        tracked = read_file(index, MOST_INDEX_BYTES) if index.is_file() else b""
        if tracked[4:8] > b"\0\0\0\3" or RESULT.encode() in tracked.lower():
            return None
        found = json.loads(read_file(checkout / RESULT, MOST_RESULT_BYTES))
        json.dumps(found, allow_nan=False)  # with NaN or 1e999 in it, a file that it is copied to would be no JSON
    except (Unreadable, OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and found.get("schema") == "classroom50/result/v1" else None
