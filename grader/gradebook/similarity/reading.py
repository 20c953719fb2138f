"""What a comparison reads: files of a class and of the course in their canonical form, verdicts, and groups."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from grader.gradebook.database import Gradebook
from grader.lesson.lesson import Course, Lesson
from grader.results import UNWRITTEN, Row, SubmissionResult
from grader.source.code_forms import FunctionForm, forms_of
from grader.source.reader import ReadingFailed, ReadingStopped, one_submission, source_reader

Rows = Mapping[tuple[str, str], Row]
"""{(lesson, function): the verdict on it}"""
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
    found, named, read = ReadClass(), frozenset(steps), dict[bytes, list[FunctionForm]]()
    for student, own in files.items():
        found.files[student] = {}
        with one_submission():
            for path, content in own.items():
                try:
                    if content not in read:  # what could not be read in another student's time is read again
                        forms = source_reader().call(forms_of, content, named)
                        read[content] = [FunctionForm(**each) for each in forms]
                    found.files[student][path] = read[content]
                except (ReadingStopped, ReadingFailed, TypeError):  # TypeError: there are no forms
                    found.unreadable.append((student, path))
        progress(1)
    return found


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
        if path.is_file() and (functions := forms_of(path.read_bytes(), steps)) is not None:
            found.whole.append({each.name: each.form for each in functions})
            found.right |= {(each.name, each.form) for each in functions}
            for each in functions:
                found.tokens.setdefault(each.name, []).append(Counter(each.tokens))
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


def stored_class(
    gradebook: Gradebook, course: Course, lessons: Collection[str]
) -> tuple[dict[str, dict[str, bytes]], dict[str, Rows]]:
    """({student: {"03_makemore_steps/backward.py": its content}}, {student: the verdicts}) of a gradebook.

    Of each lesson, the files are those of the attempt that counts.
    """
    files, rows = dict[str, dict[str, bytes]](), dict[str, Rows]()
    for results in gradebook.current():
        counting = {each.name: each.from_attempt for each in results.lessons if each.from_attempt is not None}
        for attempt in set(counting.values()):
            own, submitted = files.setdefault(results.student, {}), gradebook.submission(gradebook.attempt(attempt))
            for name in lessons:
                if counting.get(name) == attempt and name in submitted.lessons:
                    own |= {f"{name}/{file}": text for file, text in submitted.lessons[name].files.items()}
        rows[results.student] = rows_by_function(results, course)
    return files, rows


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
