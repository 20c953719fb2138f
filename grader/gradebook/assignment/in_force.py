"""The decisions about a student that are in force: without what was undone, and the latest where several compete."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from grader.gradebook.assignment.attempts import end_of_due_time
from grader.gradebook.records import Decision, DecisionKind
from grader.results import Adjustment, Comment, Excuse, number


def undone(decisions: Iterable[Decision]) -> dict[int, int]:
    """{a decision's id: the id of the undoing that has taken it back}. An undone undoing has no effect."""
    found = dict[int, int]()
    for each in sorted(decisions, key=lambda each: each.id, reverse=True):
        if each.undoes is not None and each.id not in found:
            found[each.undoes] = each.id
    return found


def in_force(decisions: Iterable[Decision]) -> list[Decision]:
    """The decisions that nobody has undone, oldest first, without the undoings."""
    every = sorted(decisions, key=lambda each: each.id)
    taken_back = undone(every)
    return [each for each in every if each.kind != "undo" and each.id not in taken_back]


class DecisionsInForce:
    """What was decided about one student, by what it is about: None, a lesson, or "lesson.row"."""

    def __init__(self, decisions: Iterable[Decision]) -> None:
        self._all = in_force(decisions)

    def __bool__(self) -> bool:
        return bool(self._all)

    def _made(self, about: str | None, *kinds: DecisionKind) -> list[Decision]:
        return [each for each in self._all if each.row == about and each.kind in kinds]

    def concern(self, about: str | None) -> bool:
        """Whether anything but an extension was decided about it."""
        return bool(self._made(about, "points", "excuse", "comment"))

    def points(self, about: str | None, before: float, most: float) -> Adjustment | None:
        """The adjustment in force, within 0 and `most`; `before` are the points without it."""
        for found in reversed(self._made(about, "points")):
            if found.points is not None:
                points = number(min(max(found.points, 0), most))
                return Adjustment(points, number(before), found.author, found.made.isoformat(), found.text)
        return None

    def defence(self, about: str | None) -> Decision | None:
        """The result of the latest defence: `points` is the share of right answers, `text` says which."""
        return next(reversed(self._made(about, "defence")), None)

    def excuse(self, about: str | None) -> Excuse | None:
        found = next(reversed(self._made(about, "excuse")), None)
        return None if found is None else Excuse(found.author, found.made.isoformat(), found.text)

    def settles(self, lesson: str) -> bool:
        """Whether a lesson's points are decided, whatever its attempts are worth."""
        return bool(self._made(lesson, "points", "excuse") or self._made(None, "excuse"))

    def comments(self, about: str | None) -> list[Comment] | None:
        found = [Comment(each.text, each.author, each.made.isoformat()) for each in self._made(about, "comment")]
        return found or None

    def extensions(self, lesson: str) -> list[datetime]:
        """The due dates that extensions of the lesson, one of its rows, or the whole assignment give."""
        extensions = (each for each in self._all if each.kind == "extension")
        return [
            each.until
            for each in extensions
            if each.until is not None and (each.row is None or each.row.partition(".")[0] == lesson)
        ]

    def last_extension(self) -> datetime | None:
        """The latest due date that any extension gives."""
        return max((each.until for each in self._all if each.until is not None), key=end_of_due_time, default=None)


def not_yet_made(decisions: Sequence[Decision], made: Iterable[Decision]) -> list[Decision]:
    """Those of `decisions` that are not in force: the same file, read again, adds nothing."""
    present = {what_is_decided(decision) for decision in in_force(made)}
    return [decision for decision in decisions if what_is_decided(decision) not in present]


def what_is_decided(decision: Decision) -> tuple[object, ...]:
    """A decision without its author and time."""
    return decision.student, decision.kind, decision.row, decision.points, decision.until, decision.text
