"""The downloads of Canvas and Moodle: whose each file is, by the names that these platforms give.

A folder counts as a platform's download only if nearly all of its names fit; any other has one entry per student.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Self

from grader.intake.notebook.outline import DEFINITION
from grader.intake.submissions.archive import is_archive, without_suffix
from grader.intake.submissions.arrival import Arrival, NewFolder
from grader.intake.submissions.file_kinds import suffix_of
from grader.intake.submissions.lesson_files import Unreadable, read_file
from grader.intake.submissions.people import NUMBER_OF_A_NAMESAKE, as_folder
from grader.intake.submissions.places import folders, gradable, is_folder, possible_submissions, visible
from grader.intake.submissions.unpacking import MAX_ARCHIVE_BYTES
from grader.lesson.paths import BACKWARD_FILE

CANVAS_NAME = re.compile(
    r"(?:(?P<name>[^\W\d_]\w*?)_)??(?P<late>LATE_)?(?P<user>\d+|anon_[A-Za-z0-9]{5})"
    r"_(?:(?P<attachment>\d{3,})_(?P<file>.+)|(?P<text>text|link)\.html)"
)
CANVAS_TEST_STUDENT = "studenttest"
"""How "Student, Test", as whom teachers submit to their own course, is called in a download."""
MOODLE_NAME = re.compile(
    r"(?P<name>[^_/]+)_(?P<number>\d+)_assignsubmission_(?P<kind>file|onlinetext)(?:_(?P<file>.*))?"
)


@dataclass(frozen=True)
class CanvasFile:
    """A file of Canvas's download, lastfirst_LATE_12345_67890_backward-1.py, with the name in small letters.

    `user` and `attachment` are Canvas's own numbers, `file` the name that the student's file had.
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


def canvas_files(names: Iterable[str]) -> dict[str, CanvasFile]:
    """{name: file} of a Canvas download; empty where numbers are used twice, or too many names do not fit."""
    found: dict[str, CanvasFile] = {}
    strangers = 0
    for name in names:
        file = CanvasFile.of(name)
        if file is not None:
            found[name] = file
        elif is_archive(Path(name)) or suffix_of(Path(name)) in (".py", ".ipynb"):
            strangers += 1
    if strangers and strangers >= len({file.user for file in found.values()}):
        return {}
    owners = {(file.user, file.name) for file in found.values()}
    attachments = [file.attachment for file in found.values() if file.attachment]
    apart = len(owners) == len({user for user, _ in owners}) and len(attachments) == len(set(attachments))
    return found if apart and attachments else {}


def from_canvas(folder: Path, new_folder: NewFolder) -> list[Arrival]:
    """One submission per student, from a flat folder. Raises OSError."""
    entries = visible(folder)
    if folders(folder) or not all(entry.is_symlink() or entry.is_file() for entry in entries):
        return []
    files = canvas_files(entry.name for entry in entries)
    by_user: dict[str, list[str]] = {}
    for name, file in files.items():
        by_user.setdefault(file.user, []).append(name)
    arrivals = []
    for user, names in by_user.items():
        kept = last_attempts(
            {name: files[name] for name in names}, {name: defined_functions(folder / name) for name in names}
        )
        first = files[names[0]]
        path = copy_under_own_names(new_folder(), {new: folder / name for new, name in kept.items()})
        sources = tuple(folder / name for name in names)
        arrival = Arrival(
            first.name, path, user, marks=(user,), sources=sources, account=f"Canvas {user}", displayed=True
        )
        left = sorted(files[name].file for name in names if name not in kept.values())
        if left:
            counts = ", ".join(
                files[name].file for new, name in kept.items() if any(without_number(file) == new for file in left)
            )
            sentence = f"Submitted more than once: the newest counts, {counts}, not {', '.join(left)}."
            arrival = arrival.with_remark("newest", sentence)
        if any(files[name].late for name in names):
            arrival = arrival.with_remark("late", "Canvas marks it as late.")
        if any(file.late for file in files.values()):  # else Canvas may have no due date
            is_late = any(files[name].late for name in kept.values())
            arrival = replace(arrival, platform="late" if is_late else "on time")
        arrivals.append(arrival)
    students = [each for each in arrivals if each.student != CANVAS_TEST_STUDENT] or arrivals
    rest = [path for path in gradable(folder) if path.name not in files]
    return [*students, *(stranger(path, "Canvas") for path in rest)] if students else []


def stranger(path: Path, platform: str) -> Arrival:
    """A file or folder that somebody has put next to a platform's download."""
    name = path.name if is_folder(path) else without_suffix(path)
    note = f"`{path.name}` has no name that {platform} gives: it is graded as a submission of its own."
    return Arrival(name, path, path.name, names=(name, path.name)).with_remark("stranger", note)


def without_number(file: str) -> str:
    """The name before Canvas numbered it: backward-1.py is backward.py, submitted again."""
    path = Path(file)
    return NUMBER_OF_A_NAMESAKE.sub("", path.stem) + path.suffix


def defined_functions(path: Path) -> frozenset[bytes]:
    """The names of the functions that a Python file defines; none of anything that cannot be read."""
    if suffix_of(path) != ".py":
        return frozenset()
    try:
        return frozenset(DEFINITION.findall(read_file(path)))
    except Unreadable:
        return frozenset()


def are_attempts(one: frozenset[bytes], other: frozenset[bytes]) -> bool:
    """Whether two files may be attempts at the same lesson, by the functions that they define."""
    return 2 * len(one & other) >= min(len(one), len(other)) and 4 * len(one & other) >= max(len(one), len(other))


def last_attempts(
    files: Mapping[str, CanvasFile], functions: Mapping[str, frozenset[bytes]] = MappingProxyType({})
) -> dict[str, str]:
    """{the student's own file name: name in the download}, with the last of several attempts at one file.

    Canvas numbers a second file of one name, whether it was submitted again or is another lesson's. So files with
    different `functions` both stay, under their own names.
    """
    unlike = {
        file.file
        for name, file in files.items()
        for other, first in files.items()
        if first.file == without_number(file.file) != file.file
        and not are_attempts(functions.get(name, frozenset()), functions.get(other, frozenset()))
    }
    own = {file.file for file in files.values()} | {BACKWARD_FILE}
    chosen: dict[str, tuple[int, int, str]] = {}
    for name, file in files.items():
        number = NUMBER_OF_A_NAMESAKE.search(Path(file.file).stem)
        first = without_number(file.file)
        numbered = number is not None and file.file not in unlike and (first in own or len(files) == 1)
        key = first if numbered else file.file
        attempt = (int(number[1]) if numbered and number else 0, file.attachment, name)
        chosen[key] = max(chosen.get(key, attempt), attempt)
    return {key: name for key, (_, _, name) in chosen.items()}


def copy_under_own_names(place: Path, files: Mapping[str, Path]) -> Path:
    """Copies a student's files under their own names; returns the folder, or the file if there is only one."""
    for name, source in files.items():
        target = place / as_folder(name)
        if source.is_symlink() or source.stat().st_size <= MAX_ARCHIVE_BYTES[False]:
            shutil.copyfile(source, target, follow_symlinks=False)
        else:
            with target.open("wb") as file:
                file.truncate(source.stat().st_size)  # too large to be read: only its size is reported
    readable = gradable(place)
    return readable[0] if len(readable) == 1 else place


def from_moodle(folder: Path, new_folder: NewFolder) -> list[Arrival]:
    """One submission per student, from one folder per student or from a flat folder. Raises OSError."""
    found = {path: MOODLE_NAME.fullmatch(path.name) for path in visible(folder)}
    files = set(gradable(folder))
    students = {match["number"] for match in found.values() if match is not None}
    unlike = [path for path, match in found.items() if match is None and (path in files or is_folder(path))]
    if not students or sum(path in files for path in unlike) >= len(students):
        return []
    by_student: dict[tuple[str, str], list[tuple[Path, re.Match[str]]]] = {}
    for path, match in found.items():
        if match is not None:
            by_student.setdefault((match["name"], match["number"]), []).append((path, match))
    rest = (stranger(path, "Moodle") for path in unlike)
    return [*(moodle_student(*who, parts, new_folder) for who, parts in by_student.items()), *rest]


def moodle_student(
    name: str, number: str, parts: Sequence[tuple[Path, re.Match[str]]], new_folder: NewFolder
) -> Arrival:
    submitted = [(path, match) for path, match in parts if match["kind"] == "file"]
    flat = {match["file"]: path for path, match in submitted if match["file"] and not path.is_dir()}
    (path, _), *_ = submitted or parts
    if not path.is_dir():
        path = copy_under_own_names(new_folder(), flat)
    shown = f"{name} {number}" if name == "Participant" else name  # graded anonymously: all have that name
    arrival = Arrival(
        shown,
        path,
        f"{name} {number}",
        marks=(number, f"Participant {number}"),
        sources=tuple(path for path, _ in parts),
        account=f"Moodle {number}",
        displayed=True,
    )
    if not submitted:
        return arrival.with_remark("unread", "It came as text typed into Moodle; only files are read.")
    return arrival


def one_per_entry(folder: Path) -> list[Arrival]:
    """One submission per entry: a folder, an archive or a file with the student's name. Raises OSError."""
    names = {path: path.name if path.is_dir() else without_suffix(path) for path in possible_submissions(folder)}
    count = Counter(names.values())
    return [
        # ada/ and ada.zip may be two students', and nothing says which counts
        Arrival(name if count[name] == 1 else path.name, path, path.name, names=(name, path.name))
        for path, name in names.items()
    ]
