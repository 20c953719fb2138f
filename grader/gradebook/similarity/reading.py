"""What a comparison reads: files of a class and of the course in their canonical form, verdicts, and groups."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.intake.submissions.roster import Roster
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course, Lesson
from grader.results import UNWRITTEN, Row, SubmissionResult
from grader.source.code_forms import FunctionForm, forms_of
from grader.source.reader import ReadingFailed, ReadingStopped, one_submission, source_reader

Rows = Mapping[tuple[str, str], Row]
"""{(lesson, function): the verdict on it}"""
FilesByStudent = Mapping[str, Mapping[str, bytes]]
"""{student: {"03_makemore_steps/backward.py": its content}}"""
GROUP_COLUMNS = ("group", "group name", "team")


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
    found, named = ReadClass(), frozenset(steps)
    read: dict[bytes, list[FunctionForm] | None] = {}
    for student, own in files.items():
        found.files[student] = {}
        with one_submission():
            for path, content in own.items():
                if read.get(content) is None:  # what could not be read in another student's time is read again
                    read[content] = forms_read_from(content, named)
                forms = read[content]
                if forms is None:
                    found.unreadable.append((student, path))
                else:
                    found.files[student][path] = forms
        progress(1)
    return found


def forms_read_from(content: bytes, steps: frozenset[str]) -> list[FunctionForm] | None:
    try:
        forms = source_reader().call(forms_of, content, steps)
    except (ReadingStopped, ReadingFailed):
        return None
    return None if forms is None else [FunctionForm(**each) for each in forms]


@dataclass
class KnownCode:
    """The stub, the answer key and the variants of a lesson, in their canonical form.

    Attributes:
        untouched: {function: its form in the stub}.
        right: (function, form) of the right answers.
        tokens: {function: the tokens of each right answer}.
        whole: {function: form} of each right file.
        mistakes: words of mistakes.py, among them the ids of the known mistakes.
    """

    untouched: dict[str, str] = field(default_factory=dict)
    right: set[tuple[str, str]] = field(default_factory=set)
    tokens: dict[str, list[Counter[str]]] = field(default_factory=dict)
    whole: list[dict[str, str]] = field(default_factory=list)
    mistakes: frozenset[str] = frozenset()

    def add_right(self, functions: Sequence[FunctionForm]) -> None:
        """Add a file of right answers."""
        self.whole.append({function.name: function.form for function in functions})
        for function in functions:
            self.right.add((function.name, function.form))
            self.tokens.setdefault(function.name, []).append(Counter(function.tokens))

    def novelty(self, function: FunctionForm) -> int:
        """How many tokens it has more or less often than the closest right answer; all of them without any."""
        own, right = Counter(function.tokens), self.tokens.get(function.name, ())
        return min((max((own - other).total(), (other - own).total()) for other in right), default=own.total())


def known_code(lesson: Lesson, steps: frozenset[str]) -> KnownCode:
    """What the files of a lesson contain. A student's kit has no solutions: then only the stub is known."""
    found = KnownCode()
    if lesson.pristine.is_file():
        found.untouched = {each.name: each.form for each in forms_of(lesson.pristine.read_bytes(), steps) or ()}
    for path in (lesson.solution / "backward.py", *sorted((lesson.solution / "variants").glob("*.py"))):
        if path.is_file() and (right := forms_of(path.read_bytes(), steps)) is not None:
            found.add_right(right)
    mistakes = lesson.solution / "mistakes.py"
    if mistakes.is_file():
        text = mistakes.read_text(encoding="utf-8", errors="replace")
        found.mistakes = frozenset(part for word in re.findall(r"\w+", text) for part in (word, *word.split("__")))
    return found


def steps_of_course(course: Course) -> frozenset[str]:
    """The functions whose parameters the grader passes by name."""
    return frozenset(
        item.name for lesson in course.lessons.values() if not lesson.config.function for item in lesson.gradients
    )


def graded_texts(submission: Submission) -> dict[str, bytes]:
    """{"03_makemore_steps/backward.py": its content} of every file that is graded."""
    return {
        f"{lesson}/{name}": content
        for lesson, submitted in submission.lessons.items()
        for name, content in submitted.files.items()
    }


def stored_texts(out: Path, lessons: Collection[str]) -> dict[str, dict[str, bytes]]:
    """{student: files as of `graded_texts`} of OUT's gradebook: of each lesson, those of the attempt that counts."""
    found: dict[str, dict[str, bytes]] = {}
    with closing(Gradebook(out / GRADEBOOK, read_only=True)) as book:
        for results in book.current():
            counting: dict[int, list[str]] = {}
            for lesson in results.lessons:
                if lesson.from_attempt is not None:
                    counting.setdefault(lesson.from_attempt, []).append(lesson.name)
            if not counting:
                continue
            own = found[results.student] = {}
            for attempt, names in counting.items():
                texts = graded_texts(book.submission(book.stored(attempt)))
                own |= {
                    path: text
                    for path, text in texts.items()
                    if (name := path.partition("/")[0]) in names and name in lessons
                }
    return found


def verdicts_in(out: Path, course: Course, students: Collection[str]) -> tuple[dict[str, Rows], list[str]]:
    """(the current verdicts of these students in a gradebook, sentences about what is missing)."""
    found: dict[str, Rows] = {}
    if (out / GRADEBOOK).is_file():
        with closing(Gradebook(out / GRADEBOOK, read_only=True)) as book:
            found = {each.student: rows_by_function(each, course) for each in book.current()}
    graded = sum(bool(found.get(student)) for student in students)
    if graded == len(students):
        return found, []
    sentence = (
        f"{out} has verdicts for {f'{graded} of {len(students)} submissions' if graded else 'no submission'}. Which of "
        "the other answers are wrong is not known, and shared wrong answers say most. Grade first: grade run "
        f"SUBMISSIONS -o {out}"
    )
    return found, [sentence]


def rows_by_function(results: SubmissionResult, course: Course) -> Rows:
    """{(lesson, function): the verdict on it}; of several rows about one function, the first that is wrong."""
    found: dict[tuple[str, str], Row] = {}
    for lesson in results.lessons:
        own = course.lessons.get(lesson.name)
        functions = {item.name: item.function for item in own.items} if own else {}
        for row in lesson.rows:
            key = lesson.name, functions.get(row.name, row.name)
            if key not in found or (found[key].status in ("passed", *UNWRITTEN) and row.status != "passed"):
                found[key] = row
    return found


def groups_of(roster: Roster | None) -> dict[str, str]:
    """{student: group} of a roster with a column `group`."""
    found = {}
    for member in roster.members if roster else ():
        cells = {column.strip().casefold(): cell.strip() for column, cell in member.line.items()}
        group = next((cells[name] for name in GROUP_COLUMNS if cells.get(name)), "")
        if group:
            found[member.student] = group
    return found
