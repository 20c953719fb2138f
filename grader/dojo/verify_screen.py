"""The screen of `dojo verify`: what the student's checker says of each gradient next to the judge's verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from grader.dojo.desk import Checked
from grader.dojo.overview import LIST_INDENT, Paragraph
from grader.dojo.verify import VerifiedRow
from grader.publish.inert import inert
from grader.results import UNWRITTEN
from grader.results.wording import first_names

VERIFY_WORDS = {"passed": "right", "failed": "wrong", "shape": "wrong"}
NAME, SAID = 18, 14


def lesson_part(checked: Checked, rows: Sequence[VerifiedRow]) -> Iterator[RenderableType]:
    """The table of one lesson."""
    yield Text(f"{checked.lesson.number} {checked.lesson.title}", "bold")
    if not checked.judged.runs:
        yield Paragraph(f"The file does not run: {inert(checked.judged.message or '')}", "bold red", LIST_INDENT)
        return
    written = [row for row in rows if row.judged not in UNWRITTEN]
    if written:
        yield Text(f"    {'row':<{NAME}}{'your checker':<{SAID}}{'the judge':<{SAID}}rejects broken copies", "dim")
    for row in written:
        judge = VERIFY_WORDS.get(row.judged, "no value")
        line = Text(f"    {row.name:<{NAME}}").append(
            f"{row.said or 'not asked':<{SAID}}", "bold red" if row.disagrees else ""
        )
        line.append(f"{judge:<{SAID}}", "" if judge == "right" else "bold red")
        rejected = sum(said in ("wrong", "cannot tell") for said in row.broken.values())
        line.append(f"{rejected} of {len(row.broken)}", "" if rejected == len(row.broken) else "bold red")
        yield line
    todo = [row.name for row in rows if row.judged in UNWRITTEN]
    if todo:
        yield Text(f"    {len(todo)} not written yet: {first_names(todo)}", "dim")


def summary(rows: Sequence[VerifiedRow], function: str) -> Iterator[RenderableType]:
    """What the checker misses and what it rejects although it is right; then how often it agrees with the judge."""
    lists = (
        ("What your checker misses:", list(lines_about_missed(rows))),
        ("Right gradients that it does not accept:", list(rejected_wrongly(rows))),
        ("Where it gives no answer:", list(rows_by_reason(rows))),
    )
    for heading, sentences in lists:
        if sentences:
            yield Text(heading, "bold red")
            yield from (Paragraph(sentence, indent=LIST_INDENT) for sentence in sentences)
            yield ""
    compared = [row for row in rows if row.said is not None]
    agree = sum(not row.disagrees for row in compared)
    copies = [said for row in rows for said in row.broken.values()]
    caught = sum(said in ("wrong", "cannot tell") for said in copies)
    yield Paragraph(
        f"`{function}` agrees with the judge on {agree} of {len(compared)} of your gradients, and it rejects "
        f"{caught} of {len(copies)} broken copies.",
        "bold green" if agrees_everywhere(rows) else "bold",
    )
    yield Paragraph(
        "Your checker saw each gradient at one small problem. A broken copy is the right gradient with one mistake put "
        "into it.",
        "dim",
    )


def agrees_everywhere(rows: Sequence[VerifiedRow]) -> bool:
    """Whether the checker gave an answer everywhere, missed nothing and accepted everything that is right."""
    return not any(row.is_missed or row.is_rejected_wrongly or row.message or row.accepted_copies for row in rows)


def lines_about_missed(rows: Sequence[VerifiedRow]) -> Iterator[str]:
    for row in rows:
        if row.is_missed and row.agrees_here:
            yield (
                f"{full_name(row)} is wrong on other problems, but right on the one that your checker sees. "
                "No checker can find this from one problem."
            )
        elif row.is_missed:
            yield f"{full_name(row)} is wrong, and your checker accepts it."
    accepted: dict[str, list[str]] = {}
    for row in rows:
        for what in row.accepted_copies:
            accepted.setdefault(what, []).append(full_name(row))
    for what, names in accepted.items():
        yield f"It accepts the right gradient {what}: {first_names(names)}."


def rows_by_reason(rows: Sequence[VerifiedRow]) -> Iterator[str]:
    """The rows for each reason why the checker gave no answer."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row.message:
            reasons.setdefault(row.message, []).append(full_name(row))
    for reason, names in reasons.items():
        yield f"{first_names(names)}: {inert(reason)}"


def rejected_wrongly(rows: Sequence[VerifiedRow]) -> Iterator[str]:
    for row in rows:
        if row.is_rejected_wrongly:
            said = "cannot tell" if row.said == "cannot tell" else "says that it is wrong"
            zero = " It is zero except for rounding." if row.is_zero else ""
            yield f"{full_name(row)}: your checker {said}.{zero}"


def full_name(row: VerifiedRow) -> str:
    return f"{row.lesson.number}.{row.name}"
