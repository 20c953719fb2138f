"""Rendering that no student can stop: where it fails for one, theirs is plain, and what all others get is as ever.

Results contain text that a student wrote and numbers that their code returned. A page that cannot show them is a fault
of the grader: it costs no points, and the exit status does not change. Only an error that the user can fix is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from grader.errors import UserError
from grader.results import Row, SubmissionResult
from grader.results.wording import first_names

Subject = TypeVar("Subject")  # a result, or a sheet of a defence
Rendered = TypeVar("Rendered")

NO_REPORT: Final = (
    "The full report could not be made. That is a fault of the grader, not of the student, and it costs no points."
)
"""Takes the place of what a student's results say; the points stay."""

ROW_FIELDS: Final = ("name", "status", "points", "max_points", "counted", "adjustment", "excused")
"""What a plain row has."""


def guarded_pages(sentence: str, make: Callable[[], Mapping[str, str]]) -> tuple[Mapping[str, str], str]:
    """(the pages {file name: text} that `make` gives, or else plain ones with `sentence`; "" or why they are plain).

    The sentence is the grader's own: a plain page has nothing that a student wrote.
    """
    try:
        return make(), ""
    except UserError:
        raise
    except Exception as error:
        head = '<html lang="en">\n<head><meta charset="utf-8"><title>Report · Backprop Ninja</title></head>'
        page = f"<!doctype html>\n{head}\n<body><main><p>{sentence}</p></main></body>\n</html>\n"
        return {"report.html": page, "report.md": f"{sentence}\n"}, fault_text(error)


def plain_results(results: SubmissionResult) -> SubmissionResult:
    """The same points, without what the student wrote or computed and without what the grader says about it."""
    lessons = [
        replace(
            lesson,
            message=NO_REPORT,
            rows=[Row(**{name: getattr(row, name) for name in ROW_FIELDS}) for row in lesson.rows],
        )
        for lesson in results.lessons
    ]
    return replace(results, message=NO_REPORT, lessons=lessons, intake=None)


def rendered(
    render: Callable[[Sequence[Subject]], Rendered],
    items: Sequence[Subject],
    plain: Callable[[Subject], Subject | None] = lambda item: None,
    on_fault: Callable[[Subject, str], object] = lambda item, why: None,
) -> Rendered:
    """`render(items)`. Where that raises, an item for which it raises alone is replaced by its `plain` form.

    The item is left out if there is none, or if that raises as well. `on_fault` is called with each such item and the
    reason, before everything is rendered again.
    """
    try:
        return render(items)
    except UserError:
        raise
    except Exception:
        faults = [fault_of(render, item) for item in items]
    kept = list[Subject]()
    for item, why in zip(items, faults, strict=True):
        shown = plain(item) if why else item
        if why:
            on_fault(item, why)
        if shown is not None and not (why and fault_of(render, shown)):
            kept.append(shown)
    return render(kept)


def fault_of(render: Callable[[Sequence[Subject]], object], item: Subject) -> str:
    """Why `render` raises for this item alone; "" where it does not."""
    try:
        render([item])
    except Exception as error:
        return fault_text(error)
    return ""


def fault_text(error: Exception) -> str:
    """The error's type and text, for a person who reports it."""
    return f"{type(error).__name__}: {error}"


def fault_sentence(students: Iterable[str]) -> str:
    """For an instructor: whose report is plain."""
    names = sorted(students)
    return (
        f"The full report of {first_names(names, 10)} could not be made: a fault of the grader, not of the student. "
        "Points are not affected."
    )
