"""Numerical differentiation: writes into a student's rows what was found in the file, and takes the points where the
course gives none for it.

The reading (grader/sandbox/policy/numerical.py) is of the text alone and happens on the trusted side, so nothing that
the file does when it runs can change it. What it misses may be seen when a step that is right is run again under
observation (grader/calling/numerical_watch.py), in the student's own process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.calling.numerical_watch import Seen
from grader.intake.submissions.lesson_files import LessonFiles
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.results import NumericalUse, Row
from grader.sandbox.policy.numerical import Observation, code_words, may_differentiate_numerically, sentence
from grader.sandbox.policy.reading import numerical_observations

CONSEQUENCE = {
    True: ". This course gives points for it.",
    False: ", so this gradient is not counted. Write it by the chain rule: upstream gradient times local derivative.",
}
REPEATED = "repeated forward pass"
"""A method that takes no points: slow code that is right may repeat the forward pass, too."""
WITH_VALUE = ("passed", "failed", "here", "hidden")
"""Statuses of rows that have a value; `here` and `hidden` are those of a student's own check."""
LONG_FILE = 100_000
"""In bytes. A longer file is always read, by the process that has time limits."""


def observations(lesson: Lesson, submitted: LessonFiles) -> list[Observation]:
    """What of the lesson's rows depends on numerical differentiation. Raises ReadingStopped, ReadingFailed."""
    rows = functions_by_row(lesson)
    suspects = written_by_student(lesson, submitted).values()
    if not rows or not any(len(text) > LONG_FILE or may_differentiate_numerically(text) for text in suspects):
        return []
    neighbours = {name: text for name, text in submitted.files.items() if name != BACKWARD_FILE}
    return numerical_observations(submitted.files[BACKWARD_FILE], BACKWARD_FILE, rows, neighbours)


def written_by_student(lesson: Lesson, submitted: LessonFiles) -> dict[str, bytes]:
    """The submitted files, without the lesson's own that are unchanged and that no other submitted file uses.

    Most lessons' own forward passes contain words that numerical differentiation needs, too.
    """
    given = {name for name, text in submitted.files.items() if name != BACKWARD_FILE and is_given(lesson, name, text)}
    own = {name: text for name, text in submitted.files.items() if name not in given}
    words = set().union(*(code_words(text) for text in own.values()))
    return own | {name: submitted.files[name] for name in given if name.removesuffix(".py") in words}


def is_given(lesson: Lesson, name: str, text: bytes) -> bool:
    try:
        return (lesson.exercise / name).read_bytes() == text
    except OSError:
        return False


def functions_by_row(lesson: Lesson) -> dict[str, tuple[str, Sequence[str]]]:
    """{row: (the function or method whose result it is about, the gradients that this returns together)}.

    Of rows that are not gradients, those about the function of a gradient, and those about a function that lesson.toml
    names for this row or for another one.
    """
    joint = lesson.joint
    functions = {item.function for item in lesson.gradients} | {item.differentiates for item in lesson.items}
    rows: dict[str, tuple[str, Sequence[str]]] = {}
    for item in lesson.items:
        function = item.differentiates or (item.function if item.function in functions else "")
        together = joint.returns if joint is not None and function == joint.name else ()
        if function and (not together or item.name in together):
            rows[item.name] = function, list(together)
    return rows


def what_was_seen(seen: Seen) -> str:
    """What a step did while it ran, in the words of a report."""
    if seen.method == REPEATED:
        return (
            f"While it ran, it evaluated `{seen.operator}` and other operators of the forward pass again at the same "
            f"values, {seen.times:,} times"
        )
    if seen.operator:
        return f"While it ran, it evaluated `{seen.operator}` {seen.times:,} times, at inputs a small step apart"
    results = "1 complex result" if seen.times == 1 else f"{seen.times:,} complex results"
    return f"While it ran, it computed with complex numbers ({results})"


def mark_rows(
    lesson: Lesson,
    submitted: LessonFiles,
    rows: Sequence[Row],
    by_row_list: Sequence[Observation],
    seen_while_running: Mapping[str, Seen],
) -> None:
    """Write into the rows what was read in the file and what was seen while it ran.

    Where the course gives no points for it, a judged row is `forbidden`.
    """
    counts = lesson.settings.numerical_differentiation == "points"
    by_row: Mapping[str, Observation] = {each.row: each for each in by_row_list}
    functions = functions_by_row(lesson) if seen_while_running else {}
    for row in rows:
        observation = by_row.get(row.name)
        seen = seen_while_running.get(row.name) or seen_while_running.get(functions.get(row.name, ("",))[0])
        line = None
        if observation is not None:
            use = use_in_file(observation, seen, submitted, counts)
            line = observation.line if observation.filename == BACKWARD_FILE else None
        elif seen is not None:
            use = use_while_running(seen, submitted, counts)
        else:
            continue
        row.numerical_differentiation = use
        message = use.message
        if observation is None and use.method == REPEATED:
            continue  # a forward pass that is repeated is a remark
        if counts:
            if row.status == "passed":
                row.message = f"{row.message} {message}" if row.message else message
        elif row.status in WITH_VALUE:
            row.status, row.points, row.message, row.line, row.mistake = "forbidden", 0, message, line, None


def use_in_file(observation: Observation, seen: Seen | None, submitted: LessonFiles, counts: bool) -> NumericalUse:
    """What was read in the file, at its place in what was submitted: a notebook's cell, or a line."""
    message = sentence(observation, BACKWARD_FILE, counts)
    is_main = observation.filename == BACKWARD_FILE
    file, line = submitted.shown if is_main else observation.filename, observation.line
    if submitted.origin is not None:
        message = submitted.origin.translate(message)
        place = submitted.origin.place(line if is_main else None)
        file, line = place if place else (file, line)
    return NumericalUse(observation.method, message, file, line, None if seen is None else what_was_seen(seen))


def use_while_running(seen: Seen, submitted: LessonFiles, counts: bool) -> NumericalUse:
    observed = what_was_seen(seen)
    is_remark = seen.method == REPEATED
    message = f"{observed}." if is_remark else f"{observed} (numerical differentiation){CONSEQUENCE[counts]}"
    return NumericalUse(seen.method, message, submitted.shown, None, observed)
