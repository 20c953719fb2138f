"""A review of a lesson's files before anything is graded: faults that its author must fix.

Of the public examples: every right file passes them, and the stub passes none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from types import ModuleType

import torch

from grader.authoring.lesson_sources import suite_of
from grader.calling.target import ModuleTarget
from grader.lesson.lesson import MAX_EPSILON, Item, Lesson, LessonError
from grader.lesson.stub import stub_of
from grader.reference.problem import Draw
from grader.reference.runner import LocalStudent
from grader.results.wording import count_text
from grader.verdict.judge.checks import CheckFailed, run_check, tests_of
from grader.verdict.judge.examples import EXAMPLES_FILE, PUBLIC_SEED, Example, examples_of
from grader.verdict.judge.problems import ProblemBook

HINTS_PER_ROW, MIN_DRAWS, MIN_VARIANTS = 3, 3, 2


def faults_of(lesson: Lesson) -> Iterator[str]:
    """Sentences about faults because of which the lesson would be graded wrongly. Raises LessonError for a file that
    does not run.
    """
    for item in lesson.items:
        if len(item.hints) != HINTS_PER_ROW:
            hints = count_text(len(item.hints), "hint")
            yield f"lesson.toml: {item.name} has {hints}; expected {HINTS_PER_ROW}, the first a nudge."
    if lesson.gradients:
        unusable = [*forward_faults(lesson), *random_faults(lesson)]
        yield from unusable or draw_faults(lesson)
    tests, rows = set(tests_of(suite_of(lesson))), {item.name for item in lesson.checks}
    for name in sorted(rows - tests):
        yield f"{lesson.suite.name}: no test_{name}(check) for the row [checks.{name}] of lesson.toml."
    for name in sorted(tests - rows):
        yield f"{lesson.suite.name}: test_{name} has no row [checks.{name}] in lesson.toml."
    for mistake in lesson.mistakes:
        lesson.wrong(mistake)  # raises LessonError when it does not fit or does not run
    for name, times in Counter(mistake.name for mistake in lesson.mistakes).items():
        if times > 1:
            yield f"mistakes.py: {name} is there twice."


def unwritten_places(lesson: Lesson) -> Iterator[str]:
    """Sentences about what the author of README.md has not written yet: each line in which the scaffold says TODO."""
    lines = enumerate(lesson.public_text("README.md").splitlines(), 1)
    numbers = [str(number) for number, line in lines if re.search(r"\bTODO\b", line)]
    if numbers:
        where = f"line{'s' * (len(numbers) > 1)} {', '.join(numbers)}"
        yield f"exercises/{lesson.name}/README.md still says TODO in {where}: write what belongs there."


def forward_faults(lesson: Lesson) -> Iterator[str]:
    """Gradients that forward.py or the draws of the hidden suite do not allow, in sentences. Raises LessonError."""
    try:
        graph = lesson.public.graph
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
            below = sorted("d" + name for name in graph.above(item.target) & targets - seen if name is not None)
            if below and lesson.joint is None:
                yield f"lesson.toml: {item.name} needs {', '.join(below)}, which must stand above it."
            seen.add(item.target)
    for draw in lesson.draws:
        try:
            lesson.problem(draw, seed=1)
        except (LessonError, RuntimeError, TypeError, ValueError, KeyError) as error:
            yield f"{lesson.suite.name}, the draw with {draw.describe()}: {type(error).__name__}: {error}"


def random_faults(lesson: Lesson) -> Iterator[str]:
    """A sentence about a value that is drawn from the global generator: no gradient of it could be judged."""
    runs = list[dict[str, str]]()
    for seed in (1, 2):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            values = lesson.problem(Draw(), lesson.seed).graph.values
        texts = {name: value.tolist() if hasattr(value, "tolist") else value for name, value in values.items()}
        runs.append({name: repr(value) for name, value in texts.items()})  # as text, NaN equals itself
    if name := next((name for name, text in runs[0].items() if text != runs[1].get(name)), None):
        yield (
            f"{lesson.exercise / 'forward.py'}: `{name}` is another value in every run: draw everything that is random "
            "(F.dropout, torch.rand) in `inputs`, from the `generator` that it gets, and read it as an input."
        )


def draw_faults(lesson: Lesson) -> Iterator[str]:
    """Answers that would get points without being right: with a size or a constant of all hidden problems written in,
    or zeros for a gradient that is zero on all of them, unless `with` is set. Everybody writes an epsilon as a number.
    """
    draws = [draw for draw in lesson.draws if not draw.note]  # those that decide about right and wrong
    if len(draws) > 1 and all(draw.sizes == draws[0].sizes for draw in draws):
        yield (
            f"{lesson.suite.name}: all {len(draws)} draws have the same sizes ({draws[0].describe()}), so an answer "
            "with these sizes written into it would be right: give each draw other ones, as in `Draw({'batch': 5})`."
        )
    names = {item.name for item in lesson.gradients}
    alone = {item.name for item in lesson.gradients if not item.earned_with}
    problems = [lesson.problem(draw, seed=1) for draw in draws]
    for constant, value in problems[0].inputs.items() if len(draws) > 1 else ():
        is_number = type(value) in (int, float) and value >= MAX_EPSILON
        if is_number and all(problem.inputs[constant] == value for problem in problems):
            yield (
                f"{lesson.suite.name}: `{constant}` is {value} in all {len(draws)} draws, so an answer with it "
                f"would be right: let `inputs` have the parameter `{constant}`, and give each draw another one."
            )
    for item in lesson.gradients:
        for other in item.earned_with:
            if other == item.name or other not in alone:
                what = "is earned with another one itself" if other in names else "is no gradient of this lesson"
                yield f"lesson.toml: [gradients.{item.name}] has `with = {list(item.earned_with)}`, but {other} {what}."
        name = item.target
        if name is None or item.earned_with or not all(problem.graph.consumers.get(name) for problem in problems):
            continue
        if problems and all(problem.is_zero(name) for problem in problems):
            yield (
                f"lesson.toml: {item.name} is zero on every hidden problem, so zeros would earn its points. Name a "
                f'gradient from the same upstream gradient, `with = ["dW"]` under [gradients.{item.name}], say.'
            )


def example_faults(lesson: Lesson, right: Mapping[str, ModuleType]) -> Iterator[str]:
    """Sentences about faults in the examples. `right` are the answer key and its variants, by name."""
    examples, rows = examples_of(lesson), {item.name: item for item in lesson.checks}
    for name in sorted(examples.keys() - rows.keys()):
        yield f"{EXAMPLES_FILE}: test_{name} has no row [checks.{name}] in lesson.toml."
    stub, book = ModuleType(f"backprop_ninja_stub_{lesson.name}"), ProblemBook(PUBLIC_SEED)
    exec(compile(stub_of(lesson), stub.__name__, "exec"), stub.__dict__)

    def failure(item: Item, module: ModuleType) -> CheckFailed | None:
        student = LocalStudent(vars(module), [each.name for each in lesson.gradients], lesson.joint)
        return run_check(examples[item.name], Example(lesson, item, student, ModuleTarget(module), book))

    for name in examples.keys() & rows.keys():
        for file, module in right.items():
            if (failed := failure(rows[name], module)) is not None:
                reason = failed.__cause__ or failed
                yield f"{EXAMPLES_FILE}: test_{name} refuses what is right, {file}: it is {failed.status}: {reason}"
        if failure(rows[name], stub) is None:
            yield f"{EXAMPLES_FILE}: test_{name} passes the stub, so it asks for nothing."
