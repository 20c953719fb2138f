"""What is looked at before the first submission is graded: the course, this machine's isolation, the limits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.commands.console import fail
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.probe import Isolation, at_least, probe

if TYPE_CHECKING:
    from grader.lesson.lesson import Lesson

MOST_FAULTS = 20
LIMIT_NAMES = tuple(Limits().to_dict())


def check_lessons(lessons: Sequence[Lesson]) -> None:
    """Refuse to grade with a lesson that is broken, before any submission would fail because of it."""
    from grader.lesson.validation import lesson_faults

    faults = [f"{lesson.name}: {sentence}" for lesson in lessons for sentence in lesson_faults(lesson)]
    if faults:
        numbers = " ".join(dict.fromkeys(fault.partition("_")[0] for fault in faults))
        shown = "\n".join(faults[:MOST_FAULTS])
        fail(f"the course is broken, and nothing was graded. Fix it, then run `grade verify {numbers}`.\n{shown}")


def checked_isolation(require: str) -> Isolation:
    """This machine's isolation. Refuses to grade with less than required. Workers of a cluster check their own."""
    isolation = probe()
    if not at_least(isolation.level, require):
        fail(
            f"this machine isolates student code at level {isolation.level!r} only, and {require!r} is required. "
            f"{' '.join(isolation.missing)} Grade on a machine that offers more (see docs/isolation.md), or accept "
            f"less with --require {isolation.level} if you trust the submissions."
        )
    if isolation.level in ("weak", "none"):
        click.echo(f"grade: warning: isolation is {isolation.level!r}. {' '.join(isolation.missing)}", err=True)
    return isolation


def existing(folders: Iterable[Path | None]) -> list[str]:
    """The whole paths of those that exist."""
    return [str(folder.resolve()) for folder in folders if folder is not None and folder.is_dir()]


def limits_from(timeout: float, chosen: tuple[str, ...]) -> Limits:
    """Limits with `timeout` for the file and for each step, and what --limit names. Bad ones end with a sentence."""
    values: dict[str, Any] = {"import_seconds": timeout, "step_seconds": timeout, "total_seconds": 6 * timeout}
    try:
        for entry in chosen:
            name, _, number = entry.partition("=")
            values[name] = float(number) if "." in number else int(number)
        return Limits.from_dict(values)
    except (ValueError, TypeError) as error:
        fail(f"--limit: {error}. Give NAME=NUMBER with one of {', '.join(LIMIT_NAMES)}.")
