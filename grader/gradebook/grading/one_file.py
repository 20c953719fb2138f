"""One student's file for one lesson: read for what is not allowed, run in workers, its rows judged, its chain run.

Which problems it is judged on is for the caller to say: a hidden suite (session) or public problems (dojo/check).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from grader.calling.autograd_used import SWITCHED_ON
from grader.calling.numerical_watch import Seen
from grader.gradebook.grading import numerical
from grader.gradebook.grading.recall import Recall
from grader.gradebook.grading.trials import FileTrials
from grader.gradebook.grading.wrong_functions import name_wrong_functions
from grader.intake.submissions.lesson_files import MAIN, LessonFiles
from grader.lesson.lesson import Lesson
from grader.reference.problem import Problem
from grader.results import Row
from grader.sandbox.policy.names import may_hold_acts
from grader.sandbox.policy.reading import static_findings
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.printed import cut, label_lines
from grader.sandbox.workers.student import Student
from grader.source.reader import ReadingFailed, ReadingStopped, source_reader
from grader.source.similar_names import close_names
from grader.source.student_lines import assignment_lines, lines_of_changes, nested_definitions
from grader.verdict.judging.chain import chain_verdicts
from grader.verdict.judging.own_sizes import is_published, terms_of
from grader.verdict.judging.verdicts import STATUS_OF

MAX_PRINTED = 4_000
LONG_FILE = 100_000
"""In bytes. A longer file is read by the process that reads source text under time limits."""

Suite = Callable[[Student], tuple[list[Row], dict[str, Any]]]
"""Judges a student's rows: returns rows in the lesson's order, and {row's name: picture of its error}."""


@dataclass
class JudgedFile:
    """The verdict on a file.

    `message` is about the file as a whole: why it does not run, or stopped early. `printed` is the beginning of what it
    printed; `shown` are lines of that, each labelled with the function that printed it.
    """

    rows: list[Row]
    message: str | None = None
    pictures: dict[str, Any] = field(default_factory=dict)
    printed: str = ""
    shown: list[str] = field(default_factory=list)
    runs: bool = True  # False when the file itself fails, and all rows with it


def judge_file(
    lesson: Lesson,
    submitted: LessonFiles,
    zygote: ZygoteProcess,
    suite: Suite,
    interrupt: int | None = None,
    problems: Sequence[Problem] = (),
    recall: Recall | None = None,
) -> JudgedFile:
    """Judge a submitted file. Once the descriptor `interrupt` is readable, Interrupted is raised instead of waiting.

    `problems` are some that the zygote's worker may have been sent already, see student.send_ahead. `recall` is what is
    known of the file from a cache; `suite` knows it as well.

    Raises Interrupted, RecallDoubtful, and for faults of the grader ZygoteDied and what `suite` raises.
    """
    steps = [item.name for item in lesson.gradients]
    neighbours = {name: source for name, source in submitted.files.items() if name != MAIN}
    remark = None
    try:
        sources = submitted.files.values()
        may_act = any(len(source) > LONG_FILE or may_hold_acts(source) for source in sources)
        found = static_findings(submitted.files[MAIN], MAIN, lesson.functions, neighbours) if may_act else []
    except ReadingStopped as reason:  # the check names what the sandbox stops anyway
        found, remark = (
            [],
            f"{submitted.shown} could not be read before it was run: {reason}. It was graded all the same.",
        )
    findings = {finding.step: finding for finding in reversed(found)}
    origin = submitted.origin
    terms = terms_of(lesson, origin.sizes, origin.numbers) if origin else terms_of(lesson, None)
    at_own_sizes = None if is_published(lesson, terms.sizes) else lesson.published_at(terms.sizes or {})
    public, whole = at_own_sizes or (None, lesson.public_chain if lesson.gradients else None)
    chain = with_steps_above(lesson, whole) if whole is not None else None
    student = Student(
        zygote, submitted.files, MAIN, steps, findings, lesson.joint, interrupt, problems, chain, terms, public
    )
    seen: Mapping[str, Seen] = {}
    student.trials = trials = FileTrials(student, submitted.files[MAIN])
    if recall is not None:
        student.recall(recall.rows, recall.chain, recall.shared)
    try:
        if recall is not None and recall.is_whole:
            rows, pictures = suite(student)
            return JudgedFile(rows, pictures=pictures)
        failure = None if recall is not None and recall.is_complete else student.load_failure
        if failure is not None:
            place = f"{submitted.shown}, line {failure.line}" if failure.line else submitted.shown
            if submitted.origin is not None:
                place = submitted.origin.in_words(failure.line, submitted.shown)
            judged = JudgedFile([], f"{place}: {failure.message}", runs=False)
            for item in lesson.items:
                row = Row(item.name, STATUS_OF[failure.outcome], 0, item.points)
                row.expected_shape = lesson.expected_shape(item)
                row.message, row.line = judged.message, failure.line
                judged.rows.append(row)
        else:
            rows, pictures = suite(student)
            judged = JudgedFile(rows, submitted.message, pictures)
            if lesson.gradients:
                add_chain(lesson, student, rows, whole or lesson.public_chain)
            if student.note:
                judged.message = (
                    f"{submitted.shown} stopped before its end; the functions above were graded. {student.note}"
                )
            explain_missing(lesson, rows, student, submitted)
            known = recall.rows if recall is not None else {}
            locate_changes(lesson, [row for row in rows if row.name not in known], student, submitted)
            locate_gradients(lesson, rows, submitted)
            name_wrong_functions(lesson, rows, [row for row in rows if row.name not in known], submitted)
            seen = student.observe([row.name for row in rows if row.status == "passed"])
            if recall is not None:
                recall.own_chain = student.chain() if recall.chain is None else None
                if recall.unproved and all(row.status == "passed" for row in rows):
                    student.prefetch(recall.proof)
                    answers = [student.answers(problem) for problem in recall.proof]
                    recall.proof_answers = [{step: each[step] for step in recall.unproved} for each in answers]
    finally:
        trials.close()
        student.close()
    if judged.runs and any(row.status in numerical.WITH_VALUE for row in judged.rows):
        try:
            read = numerical.observations(lesson, submitted)
        except (ReadingStopped, ReadingFailed) as reason:  # the verdicts do not depend on this reading
            read = []
            remark = f"{submitted.shown} could not be read for numerical differentiation: {reason}."
        numerical.mark_rows(lesson, submitted, judged.rows, read, seen)
    if student.switched_on:
        forbid_all(judged)
    for row in judged.rows:
        row.file = submitted.shown
        if submitted.origin is not None:
            submitted.origin.tell(row)
    if remark:
        judged.message = f"{judged.message} {remark}" if judged.message else remark
    if recall is not None:
        in_time = not (student.allowance.is_spent or trials.ran_out)
        recall.finish(judged.rows, judged.pictures, student, in_time)
    if student.printed_bytes:
        judged.printed = printed_text(student.printed, student.printed_bytes)
        judged.shown = label_lines(student.printed, cut(student.spans, 0, len(student.printed)), MAIN)
        if student.printed_bytes > zygote.limits.output_bytes:
            kept = (
                f"It printed {student.printed_bytes:,} bytes; the first {zygote.limits.output_bytes:,} were kept, "
                "the rest was dropped."
            )
            judged.message = f"{judged.message} {kept}" if judged.message else kept
    return judged


def forbid_all(judged: JudgedFile) -> None:
    """Give every row no points: a worker in which autograd was switched on may have used it for any of them."""
    judged.message, judged.pictures = SWITCHED_ON, {}
    judged.rows = [
        Row(row.name, "forbidden", 0, row.max_points, message=SWITCHED_ON, expected_shape=row.expected_shape)
        for row in judged.rows
    ]


def with_steps_above(lesson: Lesson, problem: Problem) -> tuple[Problem, dict[str, set[str]]]:
    """The problem on which a student's own chain is run, and for each step the steps above it."""
    steps = {item.name for item in lesson.gradients}
    above = {item.name: problem.graph.above(item.name[1:]) for item in lesson.gradients}
    return problem, {step: {"d" + name for name in above[step]} & steps for step in above}


def add_chain(lesson: Lesson, student: Student, rows: list[Row], problem: Problem) -> None:
    targets = {item.name: item.target for item in lesson.gradients if item.target is not None}
    lines = {row.name: row.status == "passed" for row in rows}
    other_shape = {row.name for row in rows if lines[row.name] and row.shape not in (None, row.expected_shape)}
    verdicts = chain_verdicts(problem, targets, student.chain(), lines, student.low_precision_steps, other_shape)
    for row in rows:
        if row.name in verdicts:
            row.chain, row.because_of = verdicts[row.name]


def locate_changes(lesson: Lesson, rows: list[Row], student: Student, submitted: LessonFiles) -> None:
    """Add the line that changed an argument in place to the rows that failed because of it."""
    found: list[tuple[Row, tuple[str, Sequence[str]]]] = []
    for row in rows:
        item = lesson.item_for(row.name)
        if row.status == "failed" and row.mistake is not None and item.target is not None:
            changed = student.answers(student.public or lesson.public)[row.name].changed
            if changed:
                found.append((row, (item.function, tuple(changed))))
    if not found:
        return
    source = submitted.files[MAIN]
    try:
        text = source.decode("utf-8", errors="replace")
        numbers = source_reader().call(lines_of_changes, text, [change for _, change in found])
    except ReadingStopped:
        return
    lines = re.split(r"\r\n|\r|\n", text) if any(numbers) else []
    for (row, _), line in zip(found, numbers, strict=True):
        if line is not None and row.mistake is not None:
            quoted = lines[line - 1].strip().replace("`", "'")[:80]
            row.line = line
            row.message = f"{row.mistake.message} Line {line} does it: `{quoted}`."
            row.mistake = row.mistake._replace(message=row.message)


def locate_gradients(lesson: Lesson, rows: list[Row], submitted: LessonFiles) -> None:
    """Move wrong rows of a function that returns all gradients from its first line to where they are assigned last.

    Rows with the same message stay on one line, that of the first of them: one mistake has spoiled them all.
    """
    joint = lesson.joint
    wrong = [
        row
        for row in rows
        if row.status in ("failed", "shape") and joint is not None and lesson.item_for(row.name).function == joint.name
    ]
    if not wrong or joint is None:
        return
    text = submitted.files[MAIN].decode("utf-8", errors="replace")
    try:
        found = source_reader().call(assignment_lines, text, joint.name, list(joint.returns))
    except (ReadingStopped, ReadingFailed):
        return
    if found is None:
        return
    first, lines = found
    places: dict[str | None, int | None] = {}
    for row in wrong:
        if row.line == first:
            row.line = places.setdefault(row.message, lines.get(row.name, first))
        else:
            places.setdefault(row.message, row.line)


def explain_missing(lesson: Lesson, rows: list[Row], student: Student, submitted: LessonFiles) -> None:
    """Write into a missing row where its function is instead, a similar name, or why the file stopped before it."""
    allowed = set(lesson.functions)
    missing = [row for row in rows if row.status == "missing" and row.message is None]
    names = list(dict.fromkeys(lesson.item_for(row.name).function for row in missing))
    near = close_names(names, (name for name in student.functions if name not in allowed)) if names else {}
    inside: Mapping[str, tuple[int, str]] = {}
    if names:
        with suppress(ReadingStopped):
            inside = source_reader().call(
                nested_definitions, submitted.files[MAIN].decode("utf-8", errors="replace"), names
            )
    for row in missing:
        name = lesson.item_for(row.name).function
        what = "class" if name[:1].isupper() and row.name != name else "function"
        if student.note:
            row.message = f"There is no {what} `{name}`: the file stopped before it. {student.note}"
            continue
        if name in inside:
            row.line, where = inside[name]
            row.message = (
                f"`{name}` is defined inside {where}, so the file has no function of that name. Move it to the top "
                "level, without indentation."
            )
            continue
        guess = f"; did you mean `{near[name]}`? Rename it." if name in near else " in the file."
        row.message = f"There is no {what} `{name}`{guess}"


def printed_text(printed: bytes, total: int) -> str:
    text = printed[:MAX_PRINTED].decode("utf-8", errors="replace")
    return text + (f"\n... ({total:,} bytes in all)" if total > MAX_PRINTED else "")
