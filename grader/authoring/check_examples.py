"""Checks a lesson's public examples: every right file passes them, the stub passes none, and none quotes an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import ModuleType

from grader.authoring.lesson_sources import solution_text
from grader.authoring.stubs import ANSWER, stub_of
from grader.calling.target import ModuleTarget
from grader.lesson.lesson import Item, Lesson
from grader.reference.course_formulas import LocalStudent
from grader.verdict.judging.check_endings import CheckFailed
from grader.verdict.judging.examples import NAME, PUBLIC_SEED, Example, examples_of, run_example
from grader.verdict.judging.hidden_problems import ProblemBook

LEAST_LINE = 24
"""Characters of the shortest line of an answer that counts as a quotation. (`return a + b` is shorter.)"""


def example_faults(lesson: Lesson, right: Mapping[str, ModuleType]) -> Iterator[str]:
    """Sentences about faults in the examples. `right` are the answer key and its variants, by name."""
    examples = examples_of(lesson)
    rows = {item.name: item for item in lesson.checks}
    for name in sorted(examples.keys() - rows.keys()):
        yield f"{NAME}: test_{name} has no row [checks.{name}] in lesson.toml."
    stub = ModuleType(f"backprop_ninja_stub_{lesson.name}")
    exec(compile(stub_of(lesson), stub.__name__, "exec"), stub.__dict__)
    book = ProblemBook(PUBLIC_SEED)
    for name in examples.keys() & rows.keys():
        for file, module in right.items():
            failed = failure_of_example(lesson, rows[name], module, book)
            if failed is not None:
                reason = failed.__cause__ or failed
                yield f"{NAME}: test_{name} refuses what is right, {file}: it is {failed.status}: {reason}"
        if failure_of_example(lesson, rows[name], stub, book) is None:
            yield f"{NAME}: test_{name} passes the stub, so it asks for nothing."
    yield from leaked_answer_lines(lesson)


def failure_of_example(lesson: Lesson, item: Item, module: ModuleType, book: ProblemBook) -> CheckFailed | None:
    """How `module` fails the public example of `item`; None if it passes."""
    student = LocalStudent(vars(module), [each.name for each in lesson.gradients], lesson.joint)
    check = Example(lesson, item, student, ModuleTarget(module), book, naming=False)
    return run_example(examples_of(lesson)[item.name], check)


def leaked_answer_lines(lesson: Lesson) -> Iterator[str]:
    """Sentences about lines of the answer key that the public examples quote."""
    path = lesson.exercise / NAME
    if not path.is_file():
        return
    public = {collapse_spaces(line) for line in path.read_text(encoding="utf-8").splitlines()}
    answers = ANSWER.finditer(solution_text(lesson))
    for line in {collapse_spaces(line) for answer in answers for line in answer[0].splitlines()}:
        if len(line) >= LEAST_LINE and line in public:
            yield f"{NAME} holds a line of an answer, which students would read there: {line}"


def collapse_spaces(line: str) -> str:
    """The line with single spaces between its words."""
    return " ".join(line.split())
