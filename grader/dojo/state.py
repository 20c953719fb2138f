"""What `dojo` remembers, in .dojo.json beside exercises/: hints taken, the lesson last worked on, verdicts.

Verdicts are only kept so that nothing has to be run twice: they hold for one text of the student's file. Without the
file everything is as before but for the hints taken and the lesson last worked on.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader import __version__
from grader.lesson.course_settings import settings_text
from grader.lesson.lesson import Lesson

NAME = ".dojo.json"
VERSION = 1


@dataclass
class State:
    """`hints` is {lesson: {row: hints taken}}, `verdicts` {lesson: (digest of its files, {row: status})}."""

    last: str | None = None
    hints: dict[str, dict[str, int]] = field(default_factory=dict)
    verdicts: dict[str, tuple[str, dict[str, str]]] = field(default_factory=dict)

    def to_json(self) -> str:
        lines = [f' "version": {VERSION}', f' "last": {json.dumps(self.last)}']
        for name, table in (("hints", self.hints), ("verdicts", self.verdicts)):
            entries = ",".join(f"\n  {json.dumps(key)}: {json.dumps(entry)}" for key, entry in sorted(table.items()))
            lines.append(f' "{name}": {{{entries}}}')
        return "{\n" + ",\n".join(lines) + "\n}\n"

    @classmethod
    def from_json(cls, text: str) -> State:
        """Raises ValueError for anything that `to_json` would not have written."""
        found = json.loads(text)
        if not isinstance(found, dict) or found.get("version") != VERSION:
            raise ValueError("it is of another version")
        last: Any = found.get("last")
        hints: Any = found.get("hints")
        verdicts: Any = found.get("verdicts")
        if not (isinstance(last, str) or last is None):
            raise ValueError("`last` is no lesson")
        if not is_table(hints, lambda rows: is_table(rows, lambda taken: type(taken) is int)):
            raise ValueError("`hints` are no numbers")
        if not is_table(verdicts, is_verdict):
            raise ValueError("`verdicts` are none")
        return cls(last, hints, {lesson: (verdict_digest, rows) for lesson, (verdict_digest, rows) in verdicts.items()})


def is_table(value: Any, entry: Callable[[Any], bool]) -> bool:
    return isinstance(value, dict) and all(isinstance(key, str) and entry(each) for key, each in value.items())


def is_verdict(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and isinstance(value[0], str)
        and is_table(value[1], lambda status: isinstance(status, str))
    )


class Memory:
    """The file. `complaints` are sentences: it cannot be read or written, which stops nobody."""

    def __init__(self, course: Path, complain: Callable[[str], None]) -> None:
        self.path, self._complain, self._told = course / NAME, complain, set[str]()

    def read(self) -> State:
        """What it holds; nothing at all where there is no such file, or none that makes sense."""
        try:
            return State.from_json(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return State()
        except (OSError, ValueError, RecursionError) as error:
            reason = error.strerror if isinstance(error, OSError) else "its text makes no sense"
            self._once(
                f"{self.path.name} cannot be used ({reason}), so it counts as new: hints taken are forgotten, nothing "
                "else is lost."
            )
            return State()

    def change(self, how: Callable[[State], object]) -> None:
        """Reads, changes and writes it, so that a `dojo watch` and a `dojo hint` do not undo each other."""
        state = self.read()
        how(state)
        beside = self.path.with_name(f"{NAME}.{os.getpid()}")
        try:
            beside.write_text(state.to_json(), encoding="utf-8")
            beside.replace(self.path)
        except OSError as error:
            self._once(f"{self.path.name} cannot be written ({error.strerror}): hints and progress are not remembered.")
            with contextlib.suppress(OSError):
                beside.unlink()

    def worked_on(self, lesson: Lesson) -> None:
        self.change(lambda state: setattr(state, "last", lesson.name))

    def judged(self, lesson: Lesson, digest: str, statuses: Mapping[str, str], working: bool) -> None:
        """Keeps the verdicts on one text of a student's file; with `working`, also that this lesson was worked on."""

        def keep(state: State) -> None:
            state.verdicts[lesson.name] = (digest, dict(statuses))
            state.last = lesson.name if working else state.last

        self.change(keep)

    def one_more_hint(self, lesson: Lesson, row: str) -> int:
        """How many hints for `row` were taken, this one included."""
        hints = lesson.item_for(row).hints
        taken = min(len(hints), max(0, self.read().hints.get(lesson.name, {}).get(row, 0)) + 1)

        def keep(state: State) -> None:
            state.last = lesson.name
            state.hints.setdefault(lesson.name, {})[row] = taken

        self.change(keep)
        return taken

    def _once(self, sentence: str) -> None:
        if sentence not in self._told:
            self._told.add(sentence)
            self._complain(sentence)


def verdict_digest(lesson: Lesson, files: Mapping[str, bytes]) -> str:
    """Of all that a verdict depends on: the student's files, the lesson's, and this program's version."""
    total = hashlib.sha256(f"{__version__} {settings_text(lesson.settings)}".encode())
    settings = {name: (lesson.exercise / name) for name in ("lesson.toml", "forward.py")}
    texts = {name: path.read_bytes() for name, path in settings.items() if path.is_file()}
    for name, text in sorted({**files, **texts}.items()):
        for part in (os.fsencode(name), text):
            total.update(len(part).to_bytes(8, "big") + part)
    return total.hexdigest()
