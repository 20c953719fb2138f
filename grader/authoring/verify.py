"""`grade verify`: grades a course's own answers, stubs and known mistakes like students' submissions."""

from __future__ import annotations

import multiprocessing
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest
from pathlib import Path

from grader.authoring.lesson_review import example_faults, faults_of, unwritten_places
from grader.authoring.lesson_sources import is_formula, right_files
from grader.authoring.release.kit import stub_text
from grader.authoring.release.leaks import leaks, secrets_of
from grader.authoring.verify_questions import STUDENTS, question_faults
from grader.dojo.start import lesson_files
from grader.gradebook.grading.graded import GradedSubmission
from grader.gradebook.grading.session import Session
from grader.intake.lesson_files import LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course, Lesson
from grader.lesson.mistakes import Mistake
from grader.lesson.stub import published_stub
from grader.lesson.toml_tables import read_lesson_text
from grader.questions.question import questions_of
from grader.results import Row, points_text
from grader.results.wording import count_text
from grader.sandbox.isolation.limits import Limits
from grader.verdict.explain.known import known_file

PATIENT = Limits(step_seconds=40.0, total_seconds=240.0)
"""Also on a slow machine, a mistake that computes far too much gets its own message, not that of a timeout."""


@dataclass
class VerifyReport:
    """What `grade verify` found out about one lesson; `problems` must be fixed."""

    summary: str
    problems: list[str] = field(default_factory=list)


def submission_of(lesson: Lesson, name: str, source: str) -> Submission:
    """A submission of one lesson by the student `name`: `source` as backward.py."""
    return Submission(name, Path(name), {lesson.name: LessonFiles(lesson.name, {"backward.py": source.encode()})})


def rows_in(graded: GradedSubmission) -> list[Row]:
    """The rows of the only lesson of a graded submission."""
    return graded.results.lessons[0].rows


def verify_course(
    course: Path, names: Sequence[str], jobs: int, only_questions: bool = False
) -> Iterator[tuple[str, VerifyReport]]:
    """(lesson, its report) in the order of `names`, with `jobs` processes. Raises LessonError and UserError.

    With `only_questions`, one process looks at the questions and the leaks. Lines of code run in it: they are the
    course's own. `grade release` compares each file of the kit with the secrets of all lessons.
    """
    loaded = Course(course)
    secrets = secrets_of(loaded, [loaded.lessons[name] for name in names])
    verify = partial(verify_by_name, course, only_questions)
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        is_long = len(names) > 1 and not only_questions
        for name, report in zip(names, (pool.map if is_long else map)(verify, names), strict=True):
            report.problems += leaks(lesson_files(loaded.lessons[name], stub_text(loaded.lessons[name])), secrets)
            yield name, report


def verify_by_name(course: Path, only_questions: bool, name: str) -> VerifyReport:
    """The report about one lesson of `course`; the arguments can be pickled. Raises LessonError."""
    lesson = Lesson(course, name)
    if not only_questions:
        return verify_lesson(lesson, seed=0)
    faults = list(question_faults(lesson))
    right = f"{count_text(len(questions_of(lesson)), 'question')}, drawn for {count_text(STUDENTS, 'student')}"
    return VerifyReport("its questions have faults" if faults else right, faults)


def verify_lesson(lesson: Lesson, seed: int, every: int = 1) -> VerifyReport:
    """Grade the solution, the stub, the variants and the known mistakes in workers, with the hidden suite.

    Mistakes in one gradient's formula share submissions, and all are graded; of the others, each `every`-th is.
    """
    report, variants = VerifyReport("", list(faults_of(lesson))), lesson.variants
    if report.problems:
        return report
    with closing(Session([lesson], seed, PATIENT)) as session:

        def graded_rows(name: str, source: str, only: Collection[str] = ()) -> list[Row]:
            session.only_rows = only
            return rows_in(session.grade(submission_of(lesson, name, source)))

        right = graded_rows("solution", lesson.answer_key)
        for row in right:
            if row.status != "passed" or row.chain == "failed":
                report.problems.append(f"solution: {row.name} is {row.status}, chain {row.chain}: {row.message}")
        if report.problems:  # everything else rests on it
            return report
        report.problems += example_faults(lesson, right_files(lesson))
        stale = [path.name for path, text in known_file(lesson).items() if lesson.public_text(path.name) != text]
        report.problems += [f"{name} is not what `grade stubs {lesson.number}` writes: run it." for name in stale]
        for row in graded_rows("stub", published_stub(lesson)):
            if row.points or row.status not in ("todo", "failed"):
                report.problems.append(f"stub: {row.name} is {row.status} with {row.points} points")
        for path in variants:
            for row in graded_rows(path.stem, read_lesson_text(path)):
                if row.status != "passed":
                    report.problems.append(f"variant {path.stem}: {row.name} is {row.status}: {row.message}")
        for mistakes, text in wrong_files(lesson, every):
            own = {mistake: own_rows(lesson, mistake) for mistake in mistakes}
            rows = graded_rows("mistakes", text, [name for names in own.values() for name in names])
            for mistake, names in own.items():
                faults = list(naming_problems(mistake, [row for row in rows if row.name in names], names))
                if faults and not is_formula(lesson, mistake):  # rows of other functions may name it as well
                    faults = list(naming_problems(mistake, graded_rows("mistakes", text), names))
                report.problems += faults
        report.problems += question_faults(lesson, session.run_line)
    report.problems += unwritten_places(lesson)  # last: the README is written when everything else is right
    inexact = [row.name for row in right if row.exact is False]
    but = f" (not bit-exact: {', '.join(inexact)})" if inexact else ""
    score, maximum = points_text(sum(row.points for row in right)), points_text(lesson.max_score)
    counts = f"{count_text(len(variants), 'variant')}, {count_text(len(lesson.mistakes), 'known mistake')}"
    report.summary = f"solution {score} of {maximum}{but}, stub 0, {counts}"
    return report


def wrong_files(lesson: Lesson, every: int = 1) -> Iterator[tuple[list[Mistake], str]]:
    """(known mistakes, the answer key with these mistakes in it), file by file.

    Formulas for different gradients share files. Each other mistake has its own file; each `every`-th is included.
    """
    solution, of_gradient, others = lesson.answer_key, defaultdict[str, list[Mistake]](list), list[Mistake]()
    for mistake in lesson.mistakes:
        (of_gradient[mistake.gradient] if is_formula(lesson, mistake) else others).append(mistake)
    for batch in zip_longest(*of_gradient.values()):
        mistakes = [mistake for mistake in batch if mistake is not None]
        yield mistakes, solution + "\n\n" + "\n\n\n".join(mistake.source() for mistake in mistakes) + "\n"
    for mistake in others[::every]:
        yield [mistake], mistake.applied_to(solution)


def own_rows(lesson: Lesson, mistake: Mistake) -> list[str]:
    """The rows of the function in which a mistake is."""
    return [item.name for item in lesson.items if mistake.gradient in (item.name, item.function)]


def naming_problems(mistake: Mistake, rows: Sequence[Row], own: Collection[str]) -> Iterator[str]:
    """Sentences about a known mistake that no row of `rows` rejects, or whose message no failing row has.

    `own` are the rows of its function. Where others fail as well, a mistake that each of these names is enough.
    """
    failing = [row for row in rows if row.status != "passed"]
    of_function = [row for row in failing if row.name in own]
    is_named = any(row.mistake and row.mistake.id == mistake.id for row in failing)
    is_named_elsewhere = 0 < len(of_function) < len(failing) and all(row.mistake for row in of_function)
    if not failing:
        yield f"mistake {mistake.name} passed"
    elif not is_named and not is_named_elsewhere:
        messages = [f"{row.name}: {row.mistake.id if row.mistake else row.message}" for row in failing]
        yield f"mistake {mistake.name} got {'; '.join(messages)}"
