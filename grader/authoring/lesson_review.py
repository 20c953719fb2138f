"""A review of a lesson's files before anything is graded: faults that its author must fix, and recommendations.

Of the public examples: every right file passes them, and the stub passes none.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from grader.authoring.lesson_sources import stub_of, suite_of, variant_files
from grader.authoring.model_answers import answer_faults
from grader.calling.target import ModuleTarget
from grader.lesson.lesson import Item, Lesson, LessonError
from grader.lesson.mistakes import Mistake
from grader.reference.course_formulas import LocalStudent
from grader.reference.problem import place_of_input
from grader.results import Row
from grader.results.wording import count_text
from grader.verdict.judge.checks import CheckFailed, run_check, tests_of
from grader.verdict.judge.examples import EXAMPLES_FILE, PUBLIC_SEED, Example, examples_of
from grader.verdict.judge.line import TRIVIAL
from grader.verdict.judge.problems import ProblemBook

HINTS_PER_ROW, MIN_DRAWS, MIN_VARIANTS = 3, 3, 3


def faults_of(lesson: Lesson) -> Iterator[str]:
    """Sentences about faults because of which the lesson would be graded wrongly. Raises LessonError for a file that
    does not run.
    """
    for item in lesson.items:
        if len(item.hints) != HINTS_PER_ROW:
            hints = count_text(len(item.hints), "hint")
            yield f"lesson.toml: {item.name} has {hints}; expected {HINTS_PER_ROW}, the first a nudge."
        if item.taught_in and not any(lesson.exercise.parent.glob(f"{item.taught_in}_*")):
            yield f"lesson.toml: {item.name} has taught_in = {item.taught_in!r}, and the course has no such lesson."
    unusable = [*forward_faults(lesson), *random_faults(lesson)]
    yield from size_faults(lesson)
    yield from unusable or vanishing_faults(lesson)
    tests, rows = set(tests_of(suite_of(lesson))), [item.name for item in lesson.checks]
    for name in (row for row in rows if row not in tests):
        yield f"{lesson.suite.name}: no test_{name}(check) for the row [checks.{name}] of lesson.toml."
    for name in sorted(tests.difference(rows)):
        yield f"{lesson.suite.name}: test_{name} has no row [checks.{name}] in lesson.toml."
    yield from mistake_faults(lesson, lesson.mistakes)
    yield from answer_faults(lesson)


def forward_faults(lesson: Lesson) -> Iterator[str]:
    """Gradients that forward.py or the draws of the hidden suite do not allow, in sentences. Raises LessonError."""
    if not lesson.gradients:
        return
    try:
        graph = lesson.public.graph
    except LessonError:
        raise
    except (RuntimeError, TypeError, ValueError, KeyError, AttributeError) as error:
        raise LessonError(f"{lesson.exercise / 'forward.py'}: {type(error).__name__}: {error}") from error
    seen, targets = set[str](), {each.target for each in lesson.gradients}
    for item in lesson.gradients:
        assert item.target is not None
        if item.target in graph.fused:
            yield f"lesson.toml asks for {item.name}, but `{item.target}` is fused: no gradient stops there."
        elif not graph.consumers.get(item.target):
            yield f"lesson.toml asks for {item.name}, but nothing in forward.py reads `t.{item.target}`."
        else:
            below = sorted(("d" + name for name in graph.above(item.target) & targets - seen), key=str)
            if below and lesson.joint is None:
                yield f"lesson.toml: {item.name} needs {', '.join(below)}, which must stand above it."
            seen.add(item.target)
    for draw in lesson.draws:
        try:
            lesson.problem(draw, seed=1)
        except (LessonError, RuntimeError, TypeError, ValueError, KeyError) as error:
            yield f"{lesson.suite.name}, the draw with {draw.describe()}: {type(error).__name__}: {error}"


def unwritten_places(lesson: Lesson) -> Iterator[str]:
    """Sentences about what the author of README.md has not written yet: each line in which the scaffold says TODO."""
    path = lesson.exercise / "README.md"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    numbers = [str(number) for number, line in enumerate(lines, 1) if re.search(r"\bTODO\b", line)]
    if numbers:
        where = f"line {numbers[0]}" if len(numbers) == 1 else f"lines {', '.join(numbers)}"
        yield f"exercises/{lesson.name}/README.md still says TODO in {where}: write what belongs there."


def random_faults(lesson: Lesson) -> Iterator[str]:
    """A sentence about an input or a value that is drawn from a global generator: no gradient of it could be judged."""
    if not lesson.gradients:
        return
    module, problem, runs, drawn = lesson.module, lesson.public, [], []
    with torch.random.fork_rng(devices=[]):
        for seed in (1, 2):
            torch.manual_seed(seed)
            drawn.append(module.inputs(torch.Generator().manual_seed(lesson.seed)))
            runs.append(problem.recorded_again())
    path = lesson.exercise / "forward.py"
    if name := other_in_second(*drawn):
        yield (
            f"{path}:{place_of_input(module.inputs, name).line}: the input `{name}` is another one in every run: draw "
            "it from `generator`, which `inputs` gets (generator=generator)."
        )
    elif name := other_in_second(*(run.values for run in runs)):
        yield (
            f"{path}:{runs[0].places[name].line}: `t.{name}` is another value in every run with the same inputs, so "
            "something random is drawn in `forward` (F.dropout, torch.rand): draw it in `inputs`, from `generator`, "
            "and read it as an input."
        )


def other_in_second(one: Mapping[str, Any], other: Mapping[str, Any]) -> str | None:
    """The first name with another value in the second table."""
    return next((name for name, value in one.items() if not is_equal_or_nan(value, other.get(name))), None)


def size_faults(lesson: Lesson) -> Iterator[str]:
    """A sentence where every hidden problem has the same sizes: a file with these sizes written in would pass."""
    draws = [draw for draw in lesson.draws if not draw.note]
    if lesson.gradients and len(draws) > 1 and all(draw.sizes == draws[0].sizes for draw in draws):
        yield (
            f"{lesson.suite.name}: all {len(draws)} draws have the same sizes ({draws[0].describe()}), so an answer "
            "with these sizes written into it would be right: give each draw other ones, as in `Draw({'batch': 5})`."
        )


def is_equal_or_nan(one: Any, other: Any) -> bool:
    """Whether two values are equal; NaN is equal to itself."""
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return one.shape == other.shape and bool(((one == other) | ((one != one) & (other != other))).all())
    return type(one) is type(other) and (one == other or one != one)


def vanishing_faults(lesson: Lesson) -> Iterator[str]:
    """Gradients for which zeros would get full points: they are zero on every hidden problem, and `with` is not set."""
    names = {item.name for item in lesson.gradients}
    alone = {item.name for item in lesson.gradients if not item.earned_with}
    for item in lesson.gradients:
        for other in item.earned_with:
            if other == item.name or other not in alone:
                what = "is earned with another one itself" if other in names else "is no gradient of this lesson"
                yield f"lesson.toml: [gradients.{item.name}] has `with = {list(item.earned_with)}`, but {other} {what}."
    problems = [lesson.problem(draw, seed=1) for draw in lesson.draws if not draw.note]
    for item in lesson.gradients:
        name = item.target
        if name is None or item.earned_with or not all(problem.graph.consumers.get(name) for problem in problems):
            continue
        if problems and all(problem.size(name) < TRIVIAL * problem.scale(name) for problem in problems):
            yield (
                f"lesson.toml: {item.name} is zero on every hidden problem, so zeros would earn its points. Name a "
                f'gradient from the same upstream gradient, `with = ["dW"]` under [gradients.{item.name}], say.'
            )


def mistake_faults(lesson: Lesson, mistakes: tuple[Mistake, ...]) -> Iterator[str]:
    """Known mistakes that cannot be used, in sentences. Raises LessonError for one that does not run."""
    known: set[tuple[str, str]] = set()
    for name in assigned_twice(lesson.solution / "mistakes.py"):
        yield f"mistakes.py assigns `{name}` twice, so the mistakes of the first are lost. Use another name."
    for mistake in mistakes:
        name = mistake.name
        if (mistake.gradient, mistake.id) in known:
            yield f"mistakes.py: {name} is there twice."
        known.add((mistake.gradient, mistake.id))
        if mistake.gradient not in (*lesson.functions, *(item.name for item in lesson.gradients)):
            yield f"mistakes.py: {name}: lesson.toml asks for no function `{mistake.gradient}`."
        else:
            lesson.wrong(mistake)  # raises LessonError when it does not fit or does not run


def assigned_twice(path: Path) -> list[str]:
    """Names that a Python file assigns or defines twice at its top level."""
    names: Counter[str] = Counter()
    for node in ast.parse(path.read_text(encoding="utf-8")).body if path.is_file() else ():
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names[node.name] += 1
        elif isinstance(node, ast.Assign):
            targets = [each for target in node.targets for each in ast.walk(target)]
            names.update(each.id for each in targets if isinstance(each, ast.Name))
    return [name for name, times in names.items() if times > 1]


def recommendations(lesson: Lesson) -> Iterator[str]:
    """Sentences about what is allowed and rarely intended."""
    count = len(variant_files(lesson))
    if count < MIN_VARIANTS:
        yield f"{count_text(count, 'variant')}; {MIN_VARIANTS} or more show that other styles pass."
    draws = [draw for draw in lesson.draws if not draw.note]
    if lesson.gradients and len(draws) < MIN_DRAWS:
        decide = count_text(len(draws), "hidden draw decides", "hidden draws decide")
        yield f"{decide}; {MIN_DRAWS} or more of different sizes leave nothing to luck."
    for draw in draws:
        sizes = [size for size in draw.sizes.values() if isinstance(size, int)]
        if len(set(sizes)) < len(sizes):
            yield f"the draw with {draw.describe()}: with equal sizes, a transpose or a wrong axis can look right."


def inexact_gradients(lesson: Lesson, rows: Sequence[Row]) -> list[str]:
    """Gradients of the answer key that are right, but not equal to autograd's in every bit. `rows` are its results."""
    names = {item.name for item in lesson.gradients}
    return [str(row.name) for row in rows if row.name in names and not row.exact]


def example_faults(lesson: Lesson, right: Mapping[str, ModuleType]) -> Iterator[str]:
    """Sentences about faults in the examples. `right` are the answer key and its variants, by name."""
    examples = examples_of(lesson)
    rows = {item.name: item for item in lesson.checks}
    for name in sorted(examples.keys() - rows.keys()):
        yield f"{EXAMPLES_FILE}: test_{name} has no row [checks.{name}] in lesson.toml."
    stub = ModuleType(f"backprop_ninja_stub_{lesson.name}")
    exec(compile(stub_of(lesson), stub.__name__, "exec"), stub.__dict__)
    book = ProblemBook(PUBLIC_SEED)
    for name in examples.keys() & rows.keys():
        for file, module in right.items():
            failed = failure_of_example(lesson, rows[name], module, book)
            if failed is not None:
                reason = failed.__cause__ or failed
                yield f"{EXAMPLES_FILE}: test_{name} refuses what is right, {file}: it is {failed.status}: {reason}"
        if failure_of_example(lesson, rows[name], stub, book) is None:
            yield f"{EXAMPLES_FILE}: test_{name} passes the stub, so it asks for nothing."


def failure_of_example(lesson: Lesson, item: Item, module: ModuleType, book: ProblemBook) -> CheckFailed | None:
    """How `module` fails the public example of `item`; None if it passes."""
    student = LocalStudent(vars(module), [each.name for each in lesson.gradients], lesson.joint)
    check = Example(lesson, item, student, ModuleTarget(module), book)
    return run_check(examples_of(lesson)[item.name], check)
