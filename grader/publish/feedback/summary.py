"""A student's results in one line, for a comment column or a mail."""

from __future__ import annotations

from grader.publish.inert import inert
from grader.results import WORDS, SubmissionResult, number

MOST_NAMED = 8


def one_line_summary(results: SubmissionResult) -> str:
    """The points, what is not right yet, and what people wrote about the submission."""
    sentences = [f"{number(results.score)} of {number(results.max_score)} points ({number(results.percent):g} %)."]
    if results.status != "graded":
        sentences.append(results.message or f"The submission was {results.status}.")
    else:
        absent = [lesson.name for lesson in results.lessons if lesson.status != "graded"]
        wrong = [
            f"{row.name} ({WORDS[row.status]})"
            for lesson in results.lessons
            if lesson.status == "graded"
            for row in lesson.rows
            if row.counted and row.status != "passed"
        ]
        if absent:
            sentences.append(f"Not submitted, or not readable: {listed(absent)}.")
        if wrong:
            sentences.append(f"Not right yet: {listed(wrong)}.")
    return " ".join(inert(" ".join(sentences)).split())


def listed(names: list[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
