"""A download of Classroom 50, or one of GitHub Classroom: a checkout for each student, ASSIGNMENT-USERNAME.

`gh teacher download` makes them, by the members of the classroom's team. What is inside a checkout, students can
change. https://github.com/foundation50/classroom50/wiki/gh-teacher#download
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.downloads import stranger
from grader.intake.submissions.lesson_files import Unreadable, read_file
from grader.intake.submissions.places import folders, possible_submissions
from grader.intake.submissions.written_times import seconds_since_1970

CLASSROOM50_MARKER = ".classroom50.yaml"
MARKS = (".git", CLASSROOM50_MARKER)
"""What is in a checkout."""
RESULT_FILE = "result.json"
MAX_INDEX_BYTES = 1 << 24
MAX_MARKER_BYTES = 1 << 14
MAX_RESULT_BYTES = 10 << 20
DOWNLOAD_FOLDER = re.compile(r"(?P<assignment>.+)_submissions_\d{4}_\d\d_\d\d_T_\d\d_\d\d_\d\d")
FIELD = re.compile(r"^(classroom|assignment):[ \t]*[\"']?([A-Za-z0-9-]+)[\"']?[ \t]*$", re.MULTILINE)


def from_checkouts(folder: Path) -> list[Arrival]:
    """One submission per checkout; none if this is no download of repositories. Raises OSError."""
    named = DOWNLOAD_FOLDER.fullmatch(folder.name)
    checkouts = [path for path in folders(folder) if named or any(os.path.lexists(path / each) for each in MARKS)]
    rest = [path for path in possible_submissions(folder) if path not in checkouts]
    if len(rest) >= len(checkouts):
        return []
    said = Counter(prefix for path in checkouts if (prefix := prefix_in_marker(path)))
    by_folder = named["assignment"] if named else folder.name.removesuffix("-submissions")
    names = [path.name.lower() for path in checkouts]
    for prefix in (*said, f"{by_folder}-".lower(), common_prefix(names)):
        if prefix and all(name.startswith(prefix) and name != prefix for name in names):
            students = [checkout_arrival(path, path.name[len(prefix) :]) for path in checkouts]
            return [*students, *(stranger(path, "GitHub") for path in rest)]
    return []


def checkout_arrival(path: Path, login: str) -> Arrival:
    when = seconds_since_1970((result_in(path) or {}).get("datetime"))
    return Arrival(login, path, path.name, when, account=f"GitHub {login.lower()}")


def common_prefix(names: Sequence[str]) -> str:
    """The assignment's name with its hyphen, if several names all begin with it; else ""."""
    prefix = max(names, default="")
    while not all(name.startswith(prefix) for name in names):
        prefix = prefix[: prefix.rfind("-", 0, -1) + 1]
    return prefix if len(names) > 1 else ""


def prefix_in_marker(checkout: Path) -> str:
    """CLASSROOM-ASSIGNMENT- as the checkout's marker has it; "" where there is none."""
    try:
        text = read_file(checkout / CLASSROOM50_MARKER, MAX_MARKER_BYTES).decode("utf-8", "replace")
    except Unreadable:
        return ""
    fields = dict(FIELD.findall(text))
    return f"{fields['classroom']}-{fields['assignment']}-".lower() if len(fields) == 2 else ""


def result_in(checkout: Path) -> dict[str, Any] | None:
    """The latest result.json, which the download took from the repository's releases; None where there is none.

    One that is among the checkout's commits is the student's own text, and says nothing; so does one in a folder
    without Git's index, which cannot say what was committed. Some disks find it under other capitals, `RESULT.JSON` or
    a long s, and Git's format 4 does not write out every name.
    """
    try:
        tracked = read_file(checkout / ".git" / "index", MAX_INDEX_BYTES)
        if tracked[4:8] > b"\0\0\0\3" or RESULT_FILE in tracked.decode("utf-8", "replace").casefold():
            return None
        found = json.loads(read_file(checkout / RESULT_FILE, MAX_RESULT_BYTES))
        json.dumps(found, allow_nan=False)  # with NaN or 1e999 in it, a file that it is copied to would be no JSON
    except (Unreadable, OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and found.get("schema") == "classroom50/result/v1" else None
