""".dojo.json next to exercises/: hints taken, the lesson last worked on, verdicts.

A verdict is stored so that the same files are not run twice. Without the file only the hints taken and the lesson last
worked on are lost.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from grader import __version__
from grader.gradebook.files import write_whole
from grader.lesson.config import settings_text
from grader.lesson.lesson import Lesson
from grader.results.typed_json import from_json, to_json

if TYPE_CHECKING:
    from grader.dojo.checked import Checked

STATE_FILE = ".dojo.json"
STATE_FILE_VERSION = 1


@dataclass
class State:
    """What .dojo.json contains.

    Attributes:
        last: the lesson last worked on.
        hints: {lesson: {row: hints taken}}.
        verdicts: {lesson: (digest of its files, {row: status})}.
        tries: {lesson: how many versions of its files were checked}.
        mistakes: {lesson: {mistake's id: in how many rows of those versions it was new}}.
    """

    last: str | None = None
    hints: dict[str, dict[str, int]] = field(default_factory=dict)
    verdicts: dict[str, tuple[str, dict[str, str]]] = field(default_factory=dict)
    tries: dict[str, int] = field(default_factory=dict)
    mistakes: dict[str, dict[str, int]] = field(default_factory=dict)

    def to_json(self) -> str:
        return json.dumps({"version": STATE_FILE_VERSION, **to_json(self)}, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> State:
        """Raises ValueError for anything that `to_json` would not have written."""
        found = json.loads(text)
        if not isinstance(found, dict) or found.get("version") != STATE_FILE_VERSION:
            raise ValueError("it was not written by this version")
        state: State = from_json(cls, found)
        return state


class StateFile:
    """The file .dojo.json. Where it cannot be read or written, `complain` gets one sentence and work continues."""

    def __init__(self, course: Path, complain: Callable[[str], None]) -> None:
        self.path, self._complain, self._complaints = course / STATE_FILE, complain, set[str]()

    def read(self) -> State:
        """The stored state; an empty one where the file is missing or damaged."""
        if not self.path.is_file():  # a pipe would be waited for
            return State()
        try:
            return State.from_json(self.path.read_text(encoding="utf-8"))
        except (OSError, TypeError, ValueError, RecursionError) as error:
            reason = error.strerror if isinstance(error, OSError) else "its text makes no sense"
            self._complain_once(
                f"{self.path.name} cannot be used ({reason}), so it counts as new: hints taken are forgotten, nothing "
                "else is lost."
            )
            return State()

    def change(self, how: Callable[[State], object]) -> None:
        """Reads, changes and writes the file, so that `dojo watch` and `dojo hint` keep each other's changes."""
        state = self.read()
        how(state)
        try:
            write_whole(self.path, state.to_json(), str(os.getpid()))
        except OSError as error:
            sentence = f"{self.path.name} cannot be written ({error.strerror}): hints and progress are not remembered."
            self._complain_once(sentence)

    def set_last_lesson(self, lesson: Lesson) -> None:
        self.change(lambda state: setattr(state, "last", lesson.name))

    def keep(self, checked: Checked, working: bool = True) -> None:
        """Stores the verdicts of a check; with `working`, its lesson becomes the one last worked on."""
        lesson, digest = checked.lesson, verdict_digest(checked.lesson, checked.submitted.files)

        def keep(state: State) -> None:
            before, statuses = state.verdicts.get(lesson.name, ("", {}))
            if before != digest:
                state.tries[lesson.name] = state.tries.get(lesson.name, 0) + 1
                counts = state.mistakes.setdefault(lesson.name, {})
                for row in checked.judged.rows:
                    if row.mistake is not None and statuses.get(row.name) != row.status:
                        counts[row.mistake.id] = counts.get(row.mistake.id, 0) + 1
            state.verdicts[lesson.name] = (digest, dict(checked.progress.statuses))
            state.last = lesson.name if working else state.last

        self.change(keep)

    def take_hint(self, lesson: Lesson, row: str) -> int:
        """Counts one more hint for `row` and returns how many were taken."""
        hints = lesson.item_for(row).hints
        taken = min(len(hints), max(0, self.read().hints.get(lesson.name, {}).get(row, 0)) + 1)

        def keep(state: State) -> None:
            state.last = lesson.name
            state.hints.setdefault(lesson.name, {})[row] = taken

        self.change(keep)
        return taken

    def _complain_once(self, sentence: str) -> None:
        if sentence not in self._complaints:
            self._complaints.add(sentence)
            self._complain(sentence)


def verdict_digest(lesson: Lesson, files: Mapping[str, bytes]) -> str:
    """A digest of all that a verdict depends on: the student's files, the lesson's, and this program's version."""
    total = hashlib.sha256(f"{__version__} {settings_text(lesson.settings)}".encode())
    settings = {name: (lesson.exercise / name) for name in ("lesson.toml", "forward.py")}
    texts = {name: path.read_bytes() for name, path in settings.items() if path.is_file()}
    for name, text in sorted({**files, **texts}.items()):
        for part in (os.fsencode(name), text):
            total.update(len(part).to_bytes(8, "big") + part)
    return total.hexdigest()
