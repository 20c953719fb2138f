"""How far a student is, lesson by lesson, and what to do next."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from grader.dojo.file import HERE, HIDDEN
from grader.lesson.lesson import Lesson
from grader.results import UNWRITTEN

BROKEN_FILE_STATUS = "broken"
"""The status of every row of a file that does not run."""


@dataclass(frozen=True)
class Progress:
    """The progress in one lesson.

    Attributes:
        statuses: {row: status} by the last check; empty without a file.
        taught: numbers of the lessons that the student has finished, of those that teach a row of this one.
        assigned: rows that the assignment contains; None without an assignment.
        unchecked: the file was changed since the last check, or never checked.
    """

    lesson: Lesson
    statuses: Mapping[str, str]
    taught: Collection[str] = frozenset()
    assigned: Collection[str] | None = None
    unchecked: bool = False

    @property
    def max_score(self) -> float:
        return sum(item.points for item in self.lesson.items)

    def having(self, *statuses: str) -> list[str]:
        return [item.name for item in self.lesson.items if self.statuses.get(item.name, "missing") in statuses]

    @property
    def right(self) -> list[str]:
        return self.having("passed")

    @property
    def hidden(self) -> list[str]:
        """Rows that are written and that the hidden suite decides, with or without a public example."""
        return self.having(HIDDEN, HERE)

    @property
    def unwritten(self) -> list[str]:
        return self.having(*UNWRITTEN)

    @property
    def broken(self) -> bool:
        return len(self.having(BROKEN_FILE_STATUS)) > 0

    @property
    def wrong(self) -> list[str]:
        fine = {*self.right, *self.hidden, *self.unwritten}
        return [item.name for item in self.lesson.items if item.name not in fine]

    @property
    def reached(self) -> list[str]:
        """Rows that are right as far as this can be checked here: a gradient, or a check with a public example."""
        return self.having("passed", HERE)

    @property
    def points_reached(self) -> float:
        """The points of the rows that are `reached`: on every screen and page, the points that the student has."""
        reached = self.reached
        return sum(item.points for item in self.lesson.items if item.name in reached)

    @property
    def points_hidden(self) -> float:
        """The points of the rows that the hidden suite decides."""
        hidden = self.hidden
        return sum(item.points for item in self.lesson.items if item.name in hidden)

    @property
    def finished(self) -> bool:
        """Whether nothing is known to be wrong or unwritten; the hidden suite may still differ."""
        return not self.unchecked and not self.wrong and not self.unwritten

    @property
    def has_work(self) -> bool:
        """Whether a row can be written or fixed now, or the file has to be checked first to know."""
        return self.unchecked or self.next_row is not None

    @property
    def begun(self) -> bool:
        return self.unchecked or len(self.unwritten) < len(self.lesson.items)

    @property
    def taught_later(self) -> dict[str, str]:
        """{row that is not written: number of the lesson that teaches it}, for lessons that are not finished."""
        rows = {
            item.name: item.taught_in
            for item in self.lesson.items
            if item.taught_in and item.taught_in not in self.taught
        }
        return {name: rows[name] for name in self.unwritten if name in rows}

    @property
    def next_row(self) -> str | None:
        """The wrong row nearest the loss, else the first unwritten one that no later lesson teaches.

        Rows of the assignment come first.
        """
        return self._first([*self.wrong, *self.unwritten])

    @property
    def stops(self) -> list[str]:
        """The rows that are wrong, and the next one to write."""
        following = self._first(self.unwritten)
        return [*self.wrong, *([following] if following is not None else [])]

    def _first(self, names: Sequence[str]) -> str | None:
        rows = [name for name in names if name not in self.taught_later]
        return next((name for name in rows if self.is_assigned(name)), next(iter(rows), None))

    def is_assigned(self, row: str | None) -> bool:
        """Whether a row is part of the assignment; without an assignment every row is."""
        return row is not None and (self.assigned is None or row in self.assigned)


def next_lesson(progress: Sequence[Progress], after: str | None = None) -> Progress | None:
    """The first lesson after `after`, cyclically, that has work; without `after`, the first of all.

    Lessons with a row of the assignment come first.
    """
    names = [each.lesson.name for each in progress]
    start = names.index(after) + 1 if after in names else 0
    turned = [*progress[start:], *progress[:start]]
    found = [each for each in turned if each.has_work and each.lesson.name != after]
    return next((each for each in found if each.is_assigned(each.next_row)), next(iter(found), None))
