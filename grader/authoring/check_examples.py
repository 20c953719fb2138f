"""That a lesson's public examples are what they say: every right file passes them, the stub passes none, none leaks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import ModuleType

from grader.authoring.stubs import ANSWER, stub_of
from grader.calling.in_process import ModuleTarget
from grader.lesson.lesson import Item, Lesson
from grader.reference.course_formulas import LocalStudent
from grader.verdict.judging.check_endings import CheckFailed
from grader.verdict.judging.examples import NAME, PUBLIC_SEED, Example, examples_of, run_example
from grader.verdict.judging.hidden_problems import ProblemBook

LEAST_LINE = 24
"""Characters from which a line of an answer is one that nobody writes by chance (`return a + b` is shorter)."""


def example_faults(lesson: Lesson, right: Mapping[str, ModuleType]) -> Iterator[str]:
    """Slips of their author, in sentences; `right` are the answer key and its variants, by name."""
    examples = examples_of(lesson)
    rows = {item.name: item for item in lesson.checks}
    for name in sorted(examples.keys() - rows.keys()):
        yield f"{NAME}: test_{name} has no row [checks.{name}] in lesson.toml."
    stub = ModuleType(f"backprop_ninja_stub_{lesson.name}")
    exec(compile(stub_of(lesson), stub.__name__, "exec"), stub.__dict__)
    book = ProblemBook(PUBLIC_SEED)
    for name in examples.keys() & rows.keys():
        for file, module in right.items():
            failed = example_failure(lesson, rows[name], module, book)
            if failed is not None:
                yield f"{NAME}: test_{name} refuses what is right, {file}: it is {failed.status}: {failed}"
        if example_failure(lesson, rows[name], stub, book) is None:
            yield f"{NAME}: test_{name} passes the stub, so it asks for nothing."
    yield from leaked_answer_lines(lesson)


def example_failure(lesson: Lesson, item: Item, module: ModuleType, book: ProblemBook) -> CheckFailed | None:
    steps = [each.name for each in lesson.gradients]
    student = LocalStudent(vars(module), steps, lesson.joint)
    check = Example(lesson, item, student, ModuleTarget(module), book, naming=False)
    return run_example(examples_of(lesson)[item.name], check)


def leaked_answer_lines(lesson: Lesson) -> Iterator[str]:
    path = lesson.exercise / NAME
    if not path.is_file():
        return
    public = {collapse_spaces(line) for line in path.read_text(encoding="utf-8").splitlines()}
    answers = ANSWER.finditer((lesson.solution / "backward.py").read_text(encoding="utf-8"))
    for line in {collapse_spaces(line) for answer in answers for line in answer[0].splitlines()}:
        if len(line) >= LEAST_LINE and line in public:
            yield f"{NAME} holds a line of an answer, which students would read there: {line}"


def collapse_spaces(line: str) -> str:
    return re.sub(r"\s+", " ", line).strip()
