"""How far a student is, lesson by lesson, and what to do next: by one check, or by what .dojo.json remembers."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from grader import __version__
from grader.dojo.file import HERE, HIDDEN, location, place_of
from grader.gradebook.files import write_whole
from grader.intake.lesson_files import LessonFiles
from grader.lesson.config import settings_text
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.publish.view import LessonView, lesson_view
from grader.results import START_THERE, UNWRITTEN, WRONG_STATUSES, LessonResult, Row, number
from grader.typed_json import from_json, to_json

if TYPE_CHECKING:  # torch comes with it
    from grader.gradebook.grading.one_file import JudgedFile

BROKEN_FILE_STATUS: Final = "broken"
"""The status of every row of a file that does not run."""
ELSEWHERE: Final = "elsewhere"
"""The status of a row that the notebook which was checked cannot contain."""
FOLLOWS: Final = "follows"
"""The status of a wrong row that comes from another wrong row."""
STATE_FILE, STATE_FILE_VERSION = ".dojo.json", 1
LESSON_FILES = ("lesson.toml", "forward.py", "examples.py")
"""The files of a lesson on which a verdict depends."""


@dataclass(frozen=True)
class Progress:
    """The progress in one lesson: {row: status} by the last check, empty without a file.

    `unchecked`: the file was changed since the last check, or never checked.
    """

    lesson: Lesson
    statuses: Mapping[str, str]
    unchecked: bool = False

    def having(self, *statuses: str) -> list[str]:
        return [item.name for item in self.lesson.items if self.statuses.get(item.name, "missing") in statuses]

    def points_of(self, rows: Iterable[str]) -> float:
        return sum(self.lesson.item_for(row).points for row in rows)

    @property
    def hidden(self) -> list[str]:
        """Rows that are written and that the hidden suite decides, with or without a public example."""
        return self.having(HIDDEN, HERE)

    @property
    def unwritten(self) -> list[str]:
        return self.having(*UNWRITTEN)

    @property
    def broken(self) -> bool:
        return BROKEN_FILE_STATUS in self.statuses.values()

    @property
    def wrong(self) -> list[str]:
        return [*self.having(*WRONG_STATUSES, BROKEN_FILE_STATUS), *self.having(FOLLOWS)]

    @property
    def reached(self) -> list[str]:
        """Rows that are right as far as this can be checked here: a gradient, or a check with a public example."""
        return self.having("passed", HERE)

    @property
    def points_reached(self) -> float:
        """The points that the student has, on every screen and page."""
        return self.points_of(self.reached)

    @property
    def finished(self) -> bool:
        """Whether nothing is known to be wrong or unwritten; the hidden suite may still differ."""
        return not self.unchecked and not self.wrong and not self.unwritten

    @property
    def begun(self) -> bool:
        return self.unchecked or len(self.unwritten) < len(self.lesson.items)

    @property
    def taught_later(self) -> dict[str, str]:
        """{row that is not written: number of the later lesson that teaches it}"""
        return {name: later for name in self.unwritten if (later := self.lesson.item_for(name).taught_in)}

    @property
    def stops(self) -> list[str]:
        """The wrong rows, what comes from another one last, and the one to write next: what is taught later is last."""
        return [*self.wrong, *sorted(self.unwritten, key=lambda name: name in self.taught_later)[:1]]

    @property
    def next_row(self) -> str | None:
        """The row to fix or write next."""
        return next(iter(self.stops), None)

    @property
    def has_work(self) -> bool:
        """Whether a row can be written or fixed now, or the file has to be checked first to know."""
        return self.unchecked or not (self.next_row is None or self.next_row in self.taught_later)


def next_lesson(progress: Sequence[Progress], after: str | None = None) -> Progress | None:
    """The first lesson after `after`, cyclically, that has work; without `after`, the first of all."""
    names = [each.lesson.name for each in progress]
    start = names.index(after) + 1 if after in names else 0
    turned = [*progress[start:], *progress[:start]]
    return next((each for each in turned if each.has_work and each.lesson.name != after), None)


def status_of(row: Row) -> str:
    """The status of a row, or why another one comes first."""
    follows = row.status in WRONG_STATUSES and START_THERE in (row.message or "")
    return ELSEWHERE if row.outside_notebook else FOLLOWS if follows else row.status


@dataclass(frozen=True)
class Checked:
    """The result of one check, as progress and in words (`part`).

    It `is_final` unless a search for slips in the code may still explain better what is wrong.
    """

    lesson: Lesson
    submitted: LessonFiles
    judged: JudgedFile
    seconds: float
    is_final: bool = True

    @cached_property
    def progress(self) -> Progress:
        statuses = {row.name: status_of(row) for row in self.judged.rows}
        return Progress(self.lesson, statuses if self.judged.runs else dict.fromkeys(statuses, BROKEN_FILE_STATUS))

    @cached_property
    def part(self) -> LessonView:
        judged, origin = self.judged, self.submitted.origin
        score, most = number(self.progress.points_reached), number(self.lesson.max_score)
        rows = [row.with_clean_values() for row in judged.rows]
        result = LessonResult(self.lesson.name, score, most, message=judged.message, seconds=self.seconds, rows=rows)
        texts = origin.texts if origin else {}
        return lesson_view(result, self.lesson, self.source, texts, judged.pictures, "\n".join(judged.shown))

    @property
    def source(self) -> str:
        return self.submitted.files[BACKWARD_FILE].decode("utf-8-sig", "replace")

    def place_of(self, name: str | None) -> str:
        """The location of a row's function, or of its statements; of no row, or in a broken file, where it stops."""
        if self.judged.runs and name is not None:
            return place_of(self.lesson, self.submitted, name)
        first = self.judged.rows[0]
        return location(first.file or self.submitted.shown, first.line)


@dataclass
class State:
    """What .dojo.json contains."""

    last: str | None = None  # the lesson last worked on
    hints: dict[str, dict[str, int]] = field(default_factory=dict)  # {lesson: {row: hints taken}}
    verdicts: dict[str, tuple[str, dict[str, str]]] = field(default_factory=dict)  # {lesson: (digest, {row: status})}
    tries: dict[str, int] = field(default_factory=dict)  # {lesson: how many versions of its files were checked}
    mistakes: dict[str, dict[str, int]] = field(default_factory=dict)  # {lesson: {mistake's id: rows where it was new}}


class StateFile:
    """The file .dojo.json next to exercises/. Without it only the hints taken and the lesson last worked on are lost.

    Where it cannot be read or written, `complain` gets one sentence and work continues.
    """

    def __init__(self, course: Path, complain: Callable[[str], None]) -> None:
        self.path, self._complain = course / STATE_FILE, cache(complain)  # each sentence once

    def read(self) -> State:
        """The stored state; an empty one where the file is missing or damaged."""
        if not self.path.is_file():  # a pipe would be waited for
            return State()
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
            state: State = from_json(State, found if found["version"] == STATE_FILE_VERSION else None)
            return state
        except (OSError, LookupError, TypeError, ValueError, RecursionError) as error:
            reason = error.strerror if isinstance(error, OSError) else "its text makes no sense"
            lost = "so it counts as new: hints taken are forgotten, nothing else is lost."
            self._complain(f"{self.path.name} cannot be used ({reason}), {lost}")
            return State()

    @contextmanager
    def changed(self) -> Iterator[State]:
        """The state in the file, written back, so that `dojo watch` and `dojo hint` keep each other's changes."""
        state = self.read()
        yield state
        try:
            text = json.dumps({"version": STATE_FILE_VERSION, **to_json(state)}, indent=1)
            write_whole(self.path, text + "\n", str(os.getpid()))
        except OSError as error:
            lost = "hints and progress are not remembered."
            self._complain(f"{self.path.name} cannot be written ({error.strerror}): {lost}")

    def set_last_lesson(self, lesson: Lesson) -> None:
        with self.changed() as state:
            state.last = lesson.name

    def keep(self, checked: Checked, working: bool = True) -> None:
        """Stores the verdicts of a check; with `working`, its lesson becomes the one last worked on."""
        lesson, digest = checked.lesson.name, verdict_digest(checked.lesson, checked.submitted.files)
        with self.changed() as state:
            before, statuses = state.verdicts.get(lesson, ("", {}))
            if before != digest:
                state.tries[lesson] = state.tries.get(lesson, 0) + 1
                counts = state.mistakes.setdefault(lesson, {})
                for row in checked.judged.rows:
                    if row.mistake is not None and statuses.get(row.name) != status_of(row):
                        counts[row.mistake.id] = counts.get(row.mistake.id, 0) + 1
            state.verdicts[lesson] = (digest, dict(checked.progress.statuses))
            state.last = lesson if working else state.last

    def take_hint(self, lesson: Lesson, row: str) -> int:
        """Counts one more hint for `row` and returns how many were taken."""
        with self.changed() as state:
            hints = state.hints.setdefault(lesson.name, {})
            hints[row] = min(len(lesson.item_for(row).hints), max(0, hints.get(row, 0)) + 1)
            state.last = lesson.name
            return hints[row]


def verdict_digest(lesson: Lesson, files: Mapping[str, bytes]) -> str:
    """A digest of all that a verdict depends on: the student's files, the lesson's, and this program's version."""
    own = {f"{name} of the lesson": lesson.exercise / name for name in LESSON_FILES}
    texts = {name: path.read_bytes() for name, path in own.items() if path.is_file()}
    parts = [f"{__version__} {settings_text(lesson.settings)}".encode()]
    for name, text in sorted({**files, **texts}.items()):
        parts += [os.fsencode(name), text]
    return hashlib.sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts)).hexdigest()
