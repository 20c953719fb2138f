"""The downloads of Canvas, Moodle, Gradescope and GitHub: whose each entry is by its name, and when it was submitted.

A folder counts as a platform's download only if nearly all of its names fit. GitHub's are checkouts, as Classroom 50
and GitHub Classroom make them for each student; what is inside a checkout, students can change.
https://github.com/foundation50/classroom50/wiki/gh-teacher#download
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from grader.intake.submissions.archives import MAX_METADATA_BYTES
from grader.intake.submissions.arrival import Arrival, NewFolder, SubmissionError, newest_of
from grader.intake.submissions.file_kinds import Unreadable, is_folder, is_gradable, may_be_submitted, read_file
from grader.intake.submissions.people import NUMBER_OF_A_NAMESAKE, as_folder
from grader.intake.submissions.written_times import platform_time

CANVAS_NAME = re.compile(
    r"(?:(?P<name>[^\W\d_]\w*?)_)??(?P<late>LATE_)?(?P<user>\d+|anon_[A-Za-z0-9]{5})"
    r"_(?:(?P<attachment>\d{3,})_(?P<file>.+)|(?P<text>text|link)\.html)"
)
CANVAS_TEST_STUDENT = "studenttest"
"""How "Student, Test", as whom teachers submit to their own course, is called in a download."""
MOODLE_NAME = re.compile(
    r"(?P<name>[^_/]+)_(?P<number>\d+)_assignsubmission_(?P<kind>file|onlinetext)(?:_(?P<file>.*))?"
)
GRADESCOPE_NAME = re.compile(r"submission_\d+")
METADATA = "submission_metadata.yml"  # of Gradescope's export
CHECKOUT_MARKS = (".git", ".classroom50.yaml")
CHECKOUTS_FOLDER = re.compile(r"(?P<assignment>.+)_submissions_\d{4}_\d\d_\d\d_T_\d\d_\d\d_\d\d")
RESULT_FILE = "result.json"
MAX_INDEX_BYTES = 1 << 24
MAX_RESULT_BYTES = 10 << 20


def with_strangers(platform: str, arrivals: Sequence[Arrival], entries: Sequence[Path]) -> list[Arrival]:
    """The arrivals, and what somebody has put next to the download; nothing where that is as much as the download."""
    known = {place for each in arrivals for place in each.places}
    rest = [path for path in entries if may_be_submitted(path) and path not in known]
    if len(rest) >= len(arrivals):
        return []
    note = "`{}` has no name that {} gives: it is graded as a submission of its own."
    strangers = [Arrival.of_entry(path).with_remark("stranger", note.format(path.name, platform)) for path in rest]
    return [*arrivals, *strangers]


def copy_under_own_names(place: Path, files: Mapping[str, Path]) -> Path:
    """Copies a student's files under their own names; returns the folder, or the file if there is only one."""
    for name, source in files.items():
        shutil.copyfile(source, place / as_folder(name), follow_symlinks=False)
    readable = [path for path in sorted(place.iterdir()) if is_gradable(path)]
    return readable[0] if len(readable) == 1 else place


# Canvas ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CanvasFile:
    """A file of Canvas's download, lastfirst_LATE_12345_67890_backward-1.py, with the name in small letters.

    `user` and `attachment` are Canvas's own numbers, `file` the name that the student's file had, with a number where
    an earlier one had the same.
    """

    name: str
    user: str
    attachment: int
    file: str
    late: bool = False

    @classmethod
    def of(cls, name: str) -> Self | None:
        found = CANVAS_NAME.fullmatch(name)
        if found is None or (owner := found["name"] or "") != owner.lower():
            return None
        if bool(owner) == found["user"].startswith("anon_"):
            return None
        file = found["file"] or f"{found['text']}.html"
        return cls(owner or found["user"], found["user"], int(found["attachment"] or 0), file, bool(found["late"]))

    @property
    def first_name(self) -> str:
        """`file` without the number."""
        path = Path(self.file)
        return NUMBER_OF_A_NAMESAKE.sub("", path.stem) + path.suffix


def from_canvas(_: Path, entries: Sequence[Path], new_folder: NewFolder) -> list[Arrival]:
    """One submission per student, from a flat folder; none where two students have one number. Raises OSError."""
    read = ((path, CanvasFile.of(path.name)) for path in entries if path.is_symlink() or path.is_file())
    by_user: dict[str, list[tuple[Path, CanvasFile]]] = {}
    for path, file in sorted(((path, file) for path, file in read if file), key=lambda each: each[1].attachment):
        by_user.setdefault(file.user, []).append((path, file))
    files, arrivals = [file for own in by_user.values() for _, file in own], list[Arrival]()
    has_several_names = len({(file.user, file.name) for file in files}) > len(by_user)
    if has_several_names or not any(file.attachment for file in files):
        return []
    for user, own in by_user.items():
        count = Counter(file.first_name for _, file in own)  # backward-1.py is backward.py, unless there are both
        names = {file.first_name if count[file.first_name] == 1 else file.file: path for path, file in own}
        path, is_late = copy_under_own_names(new_folder(), names), any(file.late for _, file in own)
        sources, account = tuple(source for source, _ in own), f"Canvas {user}"
        arrival = Arrival(own[0][1].name, path, marks=(user,), sources=sources, account=account, displayed=True)
        arrival = arrival.with_remark("late", "Canvas marks it as late.") if is_late else arrival
        if any(file.late for file in files):  # else Canvas may have no due date
            arrival = replace(arrival, platform="late" if is_late else "on time")
        arrivals.append(arrival)
    found = with_strangers("Canvas", arrivals, entries)
    return [each for each in found if each.student != CANVAS_TEST_STUDENT] or found


# Moodle ---------------------------------------------------------------------------------------------------------------


def from_moodle(_: Path, entries: Sequence[Path], new_folder: NewFolder) -> list[Arrival]:
    """One submission per student, from one folder per student or from a flat folder. Raises OSError."""
    by_student: dict[tuple[str, str], list[tuple[Path, re.Match[str]]]] = {}
    for path in entries:
        if match := MOODLE_NAME.fullmatch(path.name):
            by_student.setdefault((match["name"], match["number"]), []).append((path, match))
    arrivals = list[Arrival]()
    for (name, number), parts in by_student.items():
        submitted = [(path, match) for path, match in parts if match["kind"] == "file"]
        path = (submitted or parts)[0][0]
        if not path.is_dir():
            flat = {match["file"]: each for each, match in submitted if match["file"] and not each.is_dir()}
            path = copy_under_own_names(new_folder(), flat)
        shown = f"{name} {number}" if name == "Participant" else name  # graded anonymously: all have that name
        marks, sources = (number, f"Participant {number}"), tuple(each for each, _ in parts)
        arrival = Arrival(shown, path, marks=marks, sources=sources, account=f"Moodle {number}", displayed=True)
        if not submitted:
            arrival = arrival.with_remark("unread", "It came as text typed into Moodle; only files are read.")
        arrivals.append(arrival)
    return with_strangers("Moodle", arrivals, entries)


# GitHub ---------------------------------------------------------------------------------------------------------------


def from_checkouts(folder: Path, entries: Sequence[Path], _: NewFolder) -> list[Arrival]:
    """One submission per checkout, ASSIGNMENT-USERNAME; none if this is no download of repositories. Raises OSError."""
    named = CHECKOUTS_FOLDER.fullmatch(folder.name)
    inside = [path for path in entries if is_folder(path)]
    checkouts = [path for path in inside if named or any(os.path.lexists(path / mark) for mark in CHECKOUT_MARKS)]
    names, arrivals = [path.name.lower() for path in checkouts], list[Arrival]()
    by_folder = named["assignment"] if named else folder.name.removesuffix("-submissions")
    common = max(names, default="")  # the assignment with its hyphen, where all names begin with it
    while not all(name.startswith(common) for name in names):
        common = common[: common.rfind("-", 0, -1) + 1]
    for prefix in (f"{by_folder}-".lower(), common):
        if prefix and not arrivals and all(name.startswith(prefix) and name != prefix for name in names):
            for path in checkouts:
                login, result = path.name[len(prefix) :], result_in(path) or {}
                when = platform_time(result.get("datetime"))
                arrivals.append(Arrival(login, path, submitted=when, account=f"GitHub {login.lower()}"))
    return with_strangers("GitHub", arrivals, entries)


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


# Gradescope -----------------------------------------------------------------------------------------------------------


def from_gradescope(folder: Path, entries: Sequence[Path], _: NewFolder) -> list[Arrival]:
    """One submission per submitter: each member of a group gets the result. Raises SubmissionError, OSError.

    A folder that contains anything else to grade is not an export: the metadata may be a student's own file. What an
    account submitted alone counts before what a group did, because anybody can add another student to a group. Several
    groups are a question.
    """
    path, places = folder / METADATA, [entry for entry in entries if may_be_submitted(entry)]
    if not path.is_file() or not all(GRADESCOPE_NAME.fullmatch(entry.name) for entry in places):
        return []
    about, by_account = metadata(path), dict[str, list[Arrival]]()
    for place in places:
        entry = about.get(place.name)
        entry = entry if isinstance(entry, dict) else {}
        submitters = entry.get(":submitters")
        people = [each for each in submitters if isinstance(each, dict)] if isinstance(submitters, list) else []
        names = [text_at(each, ":name") or text_at(each, ":email") or place.name for each in people]
        for person, student in zip(people or [{}], names or [place.name], strict=True):
            marks = tuple(filter(None, (text_at(person, ":sid"), text_at(person, ":email"))))
            account, when = f"Gradescope {marks[-1]}" if marks else "", platform_time(entry.get(":created_at"))
            arrival = Arrival(student, place, submitted=when, marks=marks, account=account, displayed=bool(people))
            if len(names) > 1:
                arrival = arrival.with_remark("group", f"Submitted by a group: {', '.join(sorted(names))}.")
            by_account.setdefault(account or f"{place.name} {student}", []).append(arrival)
    return [arrival for same in by_account.values() for arrival in those_that_count(same)]


def those_that_count(same: Sequence[Arrival]) -> list[Arrival]:
    """Of one account's submissions on Gradescope: its own, else its group's; of several groups all."""
    alone, together = [each for each in same if not each.remarks], [each for each in same if each.remarks]
    labels = ", ".join(arrival.label for arrival in together)
    if alone and together:
        return [newest_of(alone).with_remark("group", f"It counts before {labels}, submitted by a group.")]
    if len({each.remarks for each in together}) > 1:
        note = f"Several groups submitted for this student: {labels}. Ask which one counts."
        return [replace(each.with_remark("guess", note), account="") for each in together]
    return [newest_of(same)]


def metadata(path: Path) -> dict[Any, Any]:
    """The file's mapping with every value as text: an id keeps its zeros, and Ruby's tags are ignored."""
    import yaml  # here, because a student's `dojo` does not need it

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    if path.stat().st_size > MAX_METADATA_BYTES:
        most = f"more than {MAX_METADATA_BYTES:,} bytes"
        raise SubmissionError(f"{path.name} has {most}: export again without the results.")
    try:
        loaded = yaml.load(path.read_bytes(), Loader=loader)  # it makes only text, lists and mappings
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:200]
        raise SubmissionError(f"{path.name} cannot be read ({reason}): export again from Gradescope.") from error
    if not isinstance(loaded, dict):
        raise SubmissionError(f"{path.name} is not as Gradescope writes it: export again.")
    return loaded


def text_at(entry: Mapping[Any, Any], key: str) -> str:
    found = entry.get(key)
    return found.strip() if isinstance(found, str) and found.strip() not in ("~", "null") else ""


DOWNLOADS = (from_gradescope, from_canvas, from_moodle, from_checkouts)
"""Each finds the submissions of a platform's download, none in any other folder."""
