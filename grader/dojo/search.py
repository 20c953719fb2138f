"""A lesson or a row found by its name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from grader.lesson.lesson import Lesson

MAX_FOUND = 6

Found = tuple[Lesson, str | None]
"""A lesson, and a row of it or None for the lesson itself."""


class Search:
    """The state of a search: what was typed, what it finds, and which of that is selected."""

    def __init__(self, lessons: Sequence[Lesson], current: Lesson) -> None:
        """Rows of `current` come first."""
        self._lessons = [current, *(lesson for lesson in lessons if lesson.name != current.name)]
        self.typed, self.at, self.is_over = "", 0, False

    def found(self) -> list[Found]:
        """Lessons by number, name or title, then rows by name: those that begin with what was typed first."""
        words = self.typed.strip().lower()
        if not words:
            return []
        scored = sorted(
            ((score, number, entry) for number, entry in enumerate(self._all()) if (score := rank(words, entry)) < 3),
            key=lambda each: each[:2],
        )
        return [entry for _, _, entry in scored[:MAX_FOUND]]

    def _all(self) -> Iterator[Found]:
        for lesson in self._lessons:
            yield lesson, None
        for lesson in self._lessons:
            for item in lesson.items:
                yield lesson, item.name

    def press(self, key: str) -> Found | None:
        """Act on a key; what was chosen, once Enter is pressed."""
        found = self.found()
        if key == "escape" or (key == "backspace" and not self.typed):
            self.is_over = True
        elif key == "enter":
            self.is_over = True
            return found[self.at] if found else None
        elif key in ("up", "down"):
            self.at = min(max(self.at + (1 if key == "down" else -1), 0), max(len(found) - 1, 0))
        elif key == "backspace":
            self.typed, self.at = self.typed[:-1], 0
        elif len(key) == 1:
            self.typed, self.at = self.typed + key, 0
        return None

    def lines(self) -> Iterator[RenderableType]:
        yield Text.assemble(("find: ", "bold"), f"{self.typed}▏", ("  Enter goes there, Esc ends the search", "dim"))
        found = self.found()
        for number, (lesson, row) in enumerate(found):
            name = f"{lesson.number} {lesson.title}" if row is None else f"{lesson.number}.{row}"
            yield Text(f"{'▸' if number == self.at else ' '} {name}", "bold" if number == self.at else "")
        if self.typed.strip() and not found:
            yield Text("  No lesson and no row has this in its name.", "dim")


def rank(words: str, entry: Found) -> int:
    """0 for the beginning of a name, 1 for the middle of one, 2 for a title, 3 for nothing."""
    lesson, row = entry
    name = f"{lesson.number}.{row}".lower() if row else lesson.name.lower()
    short = row.lower() if row else lesson.name.partition("_")[2].lower()
    if name.startswith(words) or short.startswith(words) or (row is not None and short.startswith("d" + words)):
        return 0
    if words in name:
        return 1
    return 2 if row is None and words in lesson.title.lower() else 3
