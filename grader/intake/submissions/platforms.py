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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from grader.intake.submissions.archives import MAX_METADATA_BYTES
from grader.intake.submissions.arrival import Arrival, NewFolder, SubmissionError, newest_of
from grader.intake.submissions.file_kinds import (
    Unreadable,
    is_folder,
    is_gradable,
    may_be_submitted,
    read_file,
)
from grader.intake.submissions.people import NUMBER_OF_A_NAMESAKE, as_folder
from grader.intake.submissions.written_times import seconds_since_1970

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


def stranger(path: Path, platform: str) -> Arrival:
    """A file or folder that somebody has put next to a platform's download."""
    note = f"`{path.name}` has no name that {platform} gives: it is graded as a submission of its own."
    return Arrival.of_entry(path).with_remark("stranger", note)


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


def canvas_files(names: Iterable[str]) -> dict[str, CanvasFile]:
    """{name: file} of a Canvas download; empty where numbers are used twice, or too many names do not fit."""
    found: dict[str, CanvasFile] = {}
    strangers = 0
    for name in names:
        if (file := CanvasFile.of(name)) is not None:
            found[name] = file
        else:
            strangers += is_gradable(Path(name))
    if strangers and strangers >= len({file.user for file in found.values()}):
        return {}
    owners = {(file.user, file.name) for file in found.values()}
    attachments = [file.attachment for file in found.values() if file.attachment]
    apart = len(owners) == len({user for user, _ in owners}) and len(attachments) == len(set(attachments))
    return found if apart and attachments else {}


def from_canvas(folder: Path, entries: Sequence[Path], new_folder: NewFolder) -> list[Arrival]:
    """One submission per student, from a flat folder. Raises OSError."""
    if not all(entry.is_symlink() or entry.is_file() for entry in entries):
        return []
    files, arrivals = canvas_files(entry.name for entry in entries), []
    by_user: dict[str, list[str]] = {}
    for name in sorted(files, key=lambda name: files[name].attachment):
        by_user.setdefault(files[name].user, []).append(name)
    for user, names in by_user.items():
        own: dict[str, Path] = {}
        for name in names:  # backward-1.py is backward.py, unless there are both
            file, first = files[name].file, files[name].first_name
            is_taken = first in own or first in (files[other].file for other in names)
            own[file if is_taken else first] = folder / name
        path, is_late = copy_under_own_names(new_folder(), own), any(files[name].late for name in names)
        student, sources = files[names[0]].name, tuple(folder / each for each in names)
        arrival = Arrival(student, path, marks=(user,), sources=sources, account=f"Canvas {user}", displayed=True)
        arrival = arrival.with_remark("late", "Canvas marks it as late.") if is_late else arrival
        if any(file.late for file in files.values()):  # else Canvas may have no due date
            arrival = replace(arrival, platform="late" if is_late else "on time")
        arrivals.append(arrival)
    students = [each for each in arrivals if each.student != CANVAS_TEST_STUDENT] or arrivals
    rest = [path for path in entries if is_gradable(path) and path.name not in files]
    return [*students, *(stranger(path, "Canvas") for path in rest)] if students else []


# Moodle ---------------------------------------------------------------------------------------------------------------


def from_moodle(folder: Path, entries: Sequence[Path], new_folder: NewFolder) -> list[Arrival]:
    """One submission per student, from one folder per student or from a flat folder. Raises OSError."""
    by_student: dict[tuple[str, str], list[tuple[Path, re.Match[str]]]] = {}
    rest = list[Path]()
    for path in entries:
        if match := MOODLE_NAME.fullmatch(path.name):
            by_student.setdefault((match["name"], match["number"]), []).append((path, match))
        elif is_gradable(path) or is_folder(path):
            rest.append(path)
    if not by_student or sum(map(is_gradable, rest)) >= len({number for _, number in by_student}):
        return []
    arrivals = []
    for (name, number), parts in by_student.items():
        submitted = [(path, match) for path, match in parts if match["kind"] == "file"]
        (path, _), *_ = submitted or parts
        if not path.is_dir():
            flat = {match["file"]: path for path, match in submitted if match["file"] and not path.is_dir()}
            path = copy_under_own_names(new_folder(), flat)
        shown = f"{name} {number}" if name == "Participant" else name  # graded anonymously: all have that name
        marks, sources = (number, f"Participant {number}"), tuple(path for path, _ in parts)
        arrival = Arrival(shown, path, marks=marks, sources=sources, account=f"Moodle {number}", displayed=True)
        if not submitted:
            arrival = arrival.with_remark("unread", "It came as text typed into Moodle; only files are read.")
        arrivals.append(arrival)
    return [*arrivals, *(stranger(path, "Moodle") for path in rest)]


# GitHub ---------------------------------------------------------------------------------------------------------------


def from_checkouts(folder: Path, entries: Sequence[Path], _: NewFolder) -> list[Arrival]:
    """One submission per checkout, ASSIGNMENT-USERNAME; none if this is no download of repositories. Raises OSError."""
    named = CHECKOUTS_FOLDER.fullmatch(folder.name)
    inside = [path for path in entries if is_folder(path)]
    checkouts = [path for path in inside if named or any(os.path.lexists(path / mark) for mark in CHECKOUT_MARKS)]
    rest = [path for path in entries if may_be_submitted(path) and path not in checkouts]
    if len(rest) >= len(checkouts):
        return []
    by_folder = named["assignment"] if named else folder.name.removesuffix("-submissions")
    names = [path.name.lower() for path in checkouts]
    common = max(names)  # the assignment with its hyphen, where all names begin with it
    while not all(name.startswith(common) for name in names):
        common = common[: common.rfind("-", 0, -1) + 1]
    for prefix in (f"{by_folder}-".lower(), common):
        if prefix and all(name.startswith(prefix) and name != prefix for name in names):
            students = list[Arrival]()
            for path in checkouts:
                login = path.name[len(prefix) :]
                when = seconds_since_1970((result_in(path) or {}).get("datetime"))
                students.append(Arrival(login, path, when, account=f"GitHub {login.lower()}"))
            return [*students, *(stranger(path, "GitHub") for path in rest)]
    return []


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
    about, by_account, found = metadata(path), dict[str, list[Arrival]](), list[Arrival]()
    for place in places:
        entry = about.get(place.name) if is_folder(place) else None
        entry = entry if isinstance(entry, dict) else {}
        submitters, when = entry.get(":submitters"), seconds_since_1970(entry.get(":created_at"))
        people = [each for each in submitters if isinstance(each, dict)] if isinstance(submitters, list) else []
        names = [text_at(each, ":name") or text_at(each, ":email") or place.name for each in people]
        for person, student in zip(people, names, strict=True):
            marks = tuple(filter(None, (text_at(person, ":sid"), text_at(person, ":email"))))
            account = f"Gradescope {marks[-1]}" if marks else ""
            arrival = Arrival(student, place, when, marks, account=account, displayed=True)
            if len(names) > 1:
                arrival = arrival.with_remark("group", f"Submitted by a group: {', '.join(sorted(names))}.")
            by_account.setdefault(account or f"{place.name} {student}", []).append(arrival)
        if not people:
            found.append(Arrival(place.name, place, when))
    for same in by_account.values():
        alone, together = [each for each in same if not each.remarks], [each for each in same if each.remarks]
        labels = ", ".join(arrival.label for arrival in together)
        if alone and together:
            found.append(newest_of(alone).with_remark("group", f"It counts before {labels}, submitted by a group."))
        elif len({each.remarks for each in together}) > 1:
            note = f"Several groups submitted for this student: {labels}. Ask which one counts."
            found += [replace(each.with_remark("guess", note), account="") for each in together]
        else:
            found.append(newest_of(same))
    return found


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
