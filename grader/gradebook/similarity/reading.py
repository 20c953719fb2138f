"""What a comparison reads: files of a class and of the course in their canonical form, verdicts, and groups."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.intake.submissions.roster import Roster
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course, Lesson
from grader.questions.judging import is_drawn
from grader.questions.question import answer_keys_of, questions_of
from grader.results import UNWRITTEN, Row, SubmissionResult
from grader.source.code_forms import FunctionForm, forms_of, forms_of_files
from grader.source.reader import ReadingFailed, ReadingStopped, SourceReader, one_submission

Rows = Mapping[tuple[str, str], Row]
"""{(lesson, function): the verdict on it}"""
FILES_AT_ONCE = 24
"""Files per call of a reader: together they take a tenth of its time limit."""
FilesByStudent = Mapping[str, Mapping[str, bytes]]
"""{student: {"03_makemore_steps/backward.py": its content}}"""


@dataclass
class ReadClass:
    """All files of a class. `unreadable` are the (student, path) of files that are not Python, or took too long."""

    files: dict[str, dict[str, list[FunctionForm]]] = field(default_factory=dict)
    unreadable: list[tuple[str, str]] = field(default_factory=list)


def read_class(
    files: FilesByStudent, steps: Collection[str], progress: Callable[[int], object] = lambda _: None
) -> ReadClass:
    """The files of all students; the same content is read once. `progress` is called with 1 per student.

    The parameters of the functions `steps` keep their names.
    """
    students = list(files.values())
    count = max(1, min(os.cpu_count() or 1, len(students)))
    readers = [SourceReader() for _ in range(count)]
    read: dict[bytes, list[FunctionForm] | None] = {}

    def work(reader: SourceReader, some: Iterable[Mapping[str, bytes]]) -> None:
        for own in some:
            # what could not be read in another student's time is read again
            new = [content for content in dict.fromkeys(own.values()) if read.get(content) is None]
            with one_submission():
                for at in range(0, len(new), FILES_AT_ONCE):
                    batch = new[at : at + FILES_AT_ONCE]
                    read.update(zip(batch, read_batch(reader, batch, steps), strict=True))
            progress(1)

    try:
        with ThreadPoolExecutor(count) as pool:
            for done in [pool.submit(work, reader, students[at::count]) for at, reader in enumerate(readers)]:
                done.result()
    finally:
        for reader in readers:
            reader.close()
    found = ReadClass()
    for student, own in files.items():
        found.files[student] = {path: file for path, content in own.items() if (file := read[content]) is not None}
        found.unreadable += [(student, path) for path, content in own.items() if read[content] is None]
    return found


def read_batch(reader: SourceReader, batch: Sequence[bytes], steps: Collection[str]) -> list[list[FunctionForm] | None]:
    """One call for several files; where a limit is reached, one call for each of them."""
    try:
        return [as_read(data) for data in reader.call(forms_of_files, list(batch), sorted(steps))]
    except (ReadingStopped, ReadingFailed):
        if len(batch) == 1:
            return [None]
        return [file for content in batch for file in read_batch(reader, [content], steps)]


def as_read(data: list[dict[str, Any]] | None) -> list[FunctionForm] | None:
    """What a reader sent: it comes from a process that read a student's text."""
    return None if data is None else [FunctionForm(**function) for function in data]


@dataclass
class KnownCode:
    """The stub, the answer key and the variants of a lesson, in their canonical form.

    Attributes:
        untouched: {function: its form in the stub}.
        right: (function, form) of the right answers.
        tokens: {function: the tokens of each right answer}.
        whole: {function: form} of each right file.
        mistakes: words of mistakes.py, among them the ids of the known mistakes.
        drawn: rows of questions whose right answer is not the same for all students.
    """

    untouched: dict[str, str] = field(default_factory=dict)
    right: set[tuple[str, str]] = field(default_factory=set)
    tokens: dict[str, list[Counter[str]]] = field(default_factory=dict)
    whole: list[dict[str, str]] = field(default_factory=list)
    mistakes: frozenset[str] = frozenset()
    drawn: frozenset[str] = frozenset()

    def add_right(self, functions: Sequence[FunctionForm]) -> None:
        self.whole.append({function.name: function.form for function in functions})
        for function in functions:
            self.right.add((function.name, function.form))
            self.tokens.setdefault(function.name, []).append(Counter(function.tokens))


def known_code(lesson: Lesson, steps: frozenset[str]) -> KnownCode:
    """What the files of a lesson contain. A student's kit has no solutions: then only the stub is known.

    Raises LessonError for questions that cannot be used.
    """
    questions = questions_of(lesson)
    drawn = (questions[name] for name, key in answer_keys_of(lesson).items() if is_drawn(questions[name], key))
    found = KnownCode(drawn=frozenset(each.row for each in drawn))
    stub = read_forms(lesson.pristine, steps) or []
    found.untouched = {function.name: function.form for function in stub}
    for path in (lesson.solution / "backward.py", *sorted((lesson.solution / "variants").glob("*.py"))):
        right = read_forms(path, steps)
        if right is not None:
            found.add_right(right)
    mistakes = lesson.solution / "mistakes.py"
    if mistakes.is_file():
        text = mistakes.read_text(encoding="utf-8", errors="replace")
        found.mistakes = frozenset(part for word in re.findall(r"\w+", text) for part in (word, *word.split("__")))
    return found


def read_forms(path: Path, steps: frozenset[str]) -> list[FunctionForm] | None:
    return forms_of(path.read_bytes(), steps) if path.is_file() else None


def distance(function: FunctionForm, others: Iterable[Counter[str]]) -> int:
    """How many tokens a function has more or less often than the closest of `others`; all of them without any."""
    own = Counter(function.tokens)
    return min((max((own - other).total(), (other - own).total()) for other in others), default=own.total())


GROUP_COLUMNS = ("group", "group name", "team")


def graded_texts(submission: Submission) -> dict[str, bytes]:
    """{"03_makemore_steps/backward.py": its content} of every file that is graded."""
    return {
        f"{lesson}/{name}": content
        for lesson, submitted in submission.lessons.items()
        for name, content in submitted.files.items()
    }


def stored_texts(out: Path, lessons: Collection[str]) -> dict[str, dict[str, bytes]]:
    """{student: files as of `graded_texts`}, from OUT's gradebook.

    The files of a lesson are those of the attempt that counts.
    """
    found: dict[str, dict[str, bytes]] = {}
    with closing(Gradebook(out / GRADEBOOK, read_only=True)) as book:
        for results in book.current():
            sources = {
                lesson.name: lesson.from_attempt for lesson in results.lessons if lesson.from_attempt is not None
            }
            if sources:
                found[results.student] = {}
            loaded: dict[int, dict[str, bytes]] = {}
            for name, attempt in sources.items():
                if name not in lessons:
                    continue
                if attempt not in loaded:
                    submission = book.blobs.load_value(Submission, book.stored(attempt).submission)
                    loaded[attempt] = graded_texts(submission)
                texts = loaded[attempt].items()
                found[results.student] |= {path: text for path, text in texts if path.startswith(f"{name}/")}
    return found


def steps_of_course(course: Course) -> frozenset[str]:
    """The functions whose parameters the grader passes by name."""
    return frozenset(
        item.name for lesson in course.lessons.values() if not lesson.config.function for item in lesson.gradients
    )


def verdicts_in(out: Path, course: Course, students: Collection[str]) -> tuple[dict[str, Rows], list[str]]:
    """(the current verdicts of these students in a gradebook, sentences about what is missing)."""
    found: dict[str, Rows] = {}
    if (out / GRADEBOOK).is_file():
        with closing(Gradebook(out / GRADEBOOK, read_only=True)) as book:
            found = {each.student: rows_by_function(each, course) for each in book.current()}
    missing = [student for student in students if not found.get(student)]
    if not missing:
        return found, []
    who = (
        "no submission"
        if len(missing) == len(students)
        else f"{len(students) - len(missing)} of {len(students)} submissions"
    )
    sentence = (
        f"{out} has verdicts for {who}. Which of the other answers are wrong is not known, and shared wrong answers "
        f"say most. Grade first: grade run SUBMISSIONS -o {out}"
    )
    return found, [sentence]


def rows_by_function(results: SubmissionResult, course: Course) -> Rows:
    """{(lesson, function): the verdict on it}; of several rows about one function, the first that is wrong."""
    found: dict[tuple[str, str], Row] = {}
    for lesson in results.lessons:
        own = course.lessons.get(lesson.name)
        for row in lesson.rows:
            key = lesson.name, function_of_row(row, own)
            if key not in found or (found[key].status in ("passed", *UNWRITTEN) and row.status != "passed"):
                found[key] = row
    return found


def function_of_row(row: Row, lesson: Lesson | None) -> str:
    return next((item.function for item in lesson.items if item.name == row.name), row.name) if lesson else row.name


def groups_of(roster: Roster | None) -> dict[str, str]:
    """{student: group} of a roster with a column `group`."""
    found = {}
    for member in roster.members if roster else ():
        cells = {column.strip().casefold(): cell.strip() for column, cell in member.line.items()}
        group = next((cells[name] for name in GROUP_COLUMNS if cells.get(name)), "")
        if group:
            found[member.student] = group
    return found
