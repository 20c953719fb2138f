"""One student's submission as it was found, before anything in it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.intake.submissions.places import folders, gradable, is_folder

NewFolder = Callable[[], Path]
"""Makes an empty folder for what is unpacked or laid out anew."""


@dataclass(frozen=True)
class Arrival:
    """Attributes:
    student: the name it came under, as people write it.
    path: what is read: a folder, an archive or a file.
    who: equal for two submissions of one student.
    when: it was handed in, in seconds since 1970, if the platform tells.
    marks: ids and e-mail addresses that the platform tells.
    note: what else is to be told with the result.
    refused: why nothing of it is read.
    sources: where its files were found, if not at `path`.
    names: the other names that it came under, such as that of its file.
    account: the platform's account that submitted it, "" where no platform says.
    displayed: `student` is the display name of an account, which its owner may change.
    given: the command line names `path` itself, not a folder that it is in.
    """

    student: str
    path: Path
    who: str
    when: float = 0.0
    marks: tuple[str, ...] = ()
    note: str | None = None
    refused: str | None = None
    sources: tuple[Path, ...] = ()
    names: tuple[str, ...] = ()
    account: str = ""
    displayed: bool = False
    given: bool = False

    @property
    def label(self) -> str:
        """What the instructor sees of it in the folder."""
        return (self.sources[0] if self.sources else self.path).name

    def with_note(self, note: str) -> Arrival:
        return replace(self, note=f"{self.note} {note}" if self.note else note)


def newest(arrivals: Iterable[Arrival]) -> list[Arrival]:
    """One submission a student: of several the one handed in last, which says so."""
    by_student: dict[str, list[Arrival]] = {}
    for arrival in arrivals:
        by_student.setdefault(arrival.who, []).append(arrival)
    return [counted(same) for same in by_student.values()]


def counted(same: Sequence[Arrival]) -> Arrival:
    """The newest of one student's submissions."""
    if len(same) == 1:
        return same[0]
    *older, last = sorted(same, key=lambda arrival: arrival.when or modified(*(arrival.sources or (arrival.path,))))
    names = ", ".join(arrival.label for arrival in older[:5]) + (", ..." if len(older) > 5 else "")
    return last.with_note(f"Of {len(same)} submissions the newest counts, {last.label}; not graded: {names}.")


def modified(*paths: Path) -> float:
    """When the newest of these files, or those in these folders, was written, in seconds; 0 where nobody knows."""
    try:
        places = [place for path in paths if is_folder(path) for place in (path, *folders(path))]
        inside = [entry for place in places for entry in gradable(place)]
        return max(entry.lstat().st_mtime for entry in inside or paths)
    except OSError:
        return 0.0
