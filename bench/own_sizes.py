"""Notebooks at their own sizes: right formulas with hard-coded sizes pass, and no wrong one does.

    python -m bench.own_sizes                lessons 03, 04, 05 and 07, several sizes, one seed
    python -m bench.own_sizes 03 --seeds 5

Every size that a lesson's solution takes from its arguments (`n`, `C.shape[0]`, `zeros_like(C)`) is replaced by a
number. That text must pass at these sizes, for each seed. Then the mutants of bench.mutants that are wrong at the
hidden sizes are judged in the same way, as they are and with their sizes replaced: each must be rejected, unless its
text with the sizes replaced is the right one. Shapes are strict here, because another shape is no wrong formula. Some
of the sizes are equal on purpose, or next to each other, or small.
Exit status 1 where one right text is rejected or one wrong one accepted.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from bench.mutants import listed
from bench.mutate import mutants
from grader.comparison.tensors import VANISHING
from grader.lesson.lesson import Course, Lesson
from grader.lesson.notebook_lesson import notebook_table
from grader.reference.course_formulas import LocalStudent
from grader.reference.problem import Draw, Problem, derive
from grader.source.syntax import WrittenNumber
from grader.verdict.judge.gradient import judge_on_terms, judge_step
from grader.verdict.judge.line import Verdict
from grader.verdict.judge.notebook_terms import OwnProblems, own_problems
from grader.verdict.judge.runner import Terms

ROOT = Path(__file__).resolve().parents[1]
LESSONS = ("03", "04", "05", "07")
SIZES: tuple[dict[str, int], ...] = (
    {},  # the lecture's own
    {"batch": 64, "hidden": 100},
    {"batch": 64, "hidden": 64, "embedding": 16},
    {"batch": 27, "hidden": 30, "vocabulary": 27},
    {"batch": 28, "block": 4, "hidden": 27, "vocabulary": 27, "embedding": 7},
    {"batch": 2, "block": 2, "hidden": 4, "vocabulary": 5, "embedding": 3},
    {"batch": 4, "block": 4, "hidden": 4, "vocabulary": 4, "embedding": 4},
)


class HardCoded(ast.NodeTransformer):
    """Puts numbers in the place of `n`, `x.shape[0]`, `x.shape`, and `zeros(...)` in the place of `zeros_like(x)`."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        value = self._values.get(node.id)
        return ast.Constant(value) if isinstance(node.ctx, ast.Load) and type(value) is int else node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        shape = self._shape(node.value)
        try:
            return self.generic_visit(node) if shape is None else ast.Constant(shape[ast.literal_eval(node.slice)])
        except (ValueError, IndexError):  # an index that is computed, or of a mutant
            return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        shape = self._shape(node)
        return tuple_of(shape) if shape is not None else self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        tensor = self._values.get(node.args[0].id) if node.args and isinstance(node.args[0], ast.Name) else None
        if name in ("zeros_like", "ones_like") and isinstance(tensor, torch.Tensor) and not node.keywords:
            function = ast.Attribute(ast.Name("torch", ast.Load()), name.removesuffix("_like"), ast.Load())
            return ast.Call(function, [tuple_of(tensor.shape)], [])
        if isinstance(node.func, ast.Name) and node.func.id == "len" and isinstance(tensor, torch.Tensor):
            return ast.Constant(tensor.shape[0])
        return self.generic_visit(node)

    def _shape(self, node: ast.AST) -> torch.Size | None:
        if isinstance(node, ast.Attribute) and node.attr == "shape" and isinstance(node.value, ast.Name):
            value = self._values.get(node.value.id)
            return value.shape if isinstance(value, torch.Tensor) else None
        return None


def tuple_of(shape: Sequence[int]) -> ast.expr:
    return ast.Tuple([ast.Constant(n) for n in shape], ast.Load())


def hard_coded(source: str, problem: Problem) -> str:
    """The text with the problem's sizes as numbers. Function parameters keep their names."""
    values = {**problem.values, **{"d" + name: problem.values[name] for name in problem.graph.names}}
    return ast.unparse(ast.fix_missing_locations(HardCoded(values).visit(ast.parse(source))))


@dataclass
class Run:
    """One lesson at one set of sizes, on one seed."""

    lesson: Lesson
    seed: int
    sizes: Mapping[str, int]
    draws: Sequence[Draw]
    hidden: Sequence[Problem]

    @cached_property
    def own(self) -> OwnProblems:
        return own_problems(self.lesson, self.draws, self.sizes, self.seed)

    def is_accepted(self, source: str, step: str) -> bool:
        """A gradient of zero (a bias before a batch norm) shows nothing of the steps above it, and is left out."""
        problem = self.hidden[0]
        return problem.size(step[1:]) < VANISHING * problem.scale(step[1:]) or self.judge(source, step).passed

    def student(self, source: str, step: str) -> LocalStudent:
        joint = self.lesson.joint
        module = ModuleType("backward")
        exec(self.lesson.solution.joinpath("backward.py").read_text(encoding="utf-8"), module.__dict__)
        exec(compile(source, "notebook.py", "exec"), module.__dict__)
        return LocalStudent(vars(module), [item.name for item in self.lesson.gradients] if joint else [step], joint)

    def judge(self, source: str, step: str) -> Verdict:
        """As a notebook's row is judged: strictly, then on its own terms."""
        student = self.student(source, step)
        verdict = judge_step(student, step, self.hidden)
        if verdict.passed or not self.sizes:
            return verdict
        numbers = [
            WrittenNumber(float(node.value), "notebook", node.lineno)
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.Constant)
            and isinstance(node.value, (int, float))
            and not isinstance(node.value, bool)
            and node.value > 0
        ]
        terms = Terms(False, self.sizes, {step: numbers})
        return judge_on_terms(student, terms, step, verdict, self.hidden, lambda _: self.own, self.lesson)[0]


def judge_lesson(
    lesson: Lesson, seed: int, budget: int | None, sets: Sequence[Mapping[str, int]] = SIZES
) -> Iterator[tuple[str, str, str]]:
    """(kind, sizes, text) for every judgement: right, wrong, "same text", and the two that must not be."""
    wanted = notebook_table(lesson)
    assert wanted is not None
    solution = (lesson.solution / "backward.py").read_text(encoding="utf-8")
    steps = [item.name for item in lesson.gradients if item.name in wanted.names]
    functions = {step: lesson.joint.name if lesson.joint else step for step in steps}
    known = listed()
    kept = {(name, change) for table in (known.right, known.open) for lesson_, name, change in table}
    changed = [m for m in mutants(solution) if m.where in functions.values()]
    changed = [m for m in changed if not {(m.where, m.change), (m.where, m.before)} & kept]
    changed = [m for m in changed if not m.before.startswith("loss =")]  # a row of its own, with right gradients
    draws = lesson.draws
    hidden = [lesson.problem(draw, derive(seed, "hidden", n)) for n, draw in enumerate(draws)]
    whole = {node.name: ast.unparse(node) for node in ast.parse(solution).body if isinstance(node, ast.FunctionDef)}
    chosen_ones = changed[:: max(1, len(changed) // budget) if budget else 1]
    strict = Run(lesson, seed, {}, draws, hidden)
    wrong = []
    for mutant in chosen_ones:  # of a function for all gradients, the rows that are wrong because of it
        rows = [step for step in steps if functions[step] == mutant.where]
        rows = [step for step in rows if not strict.is_accepted(mutant.source, step)]
        if rows:
            wrong.append((mutant, rows))
    for chosen in sets:
        sizes = {**wanted.sizes.published, **{k: v for k, v in chosen.items() if k in wanted.sizes.published}}
        run = Run(lesson, seed, sizes, draws, hidden)
        shown = ", ".join(f"{k} {v}" for k, v in sizes.items())
        right = {}
        for step in steps:
            right[step] = hard_coded(whole[functions[step]], run.own.same[0])
            if any(0 < size <= 2 for size in sizes.values()):  # the text is judged as a stub is
                continue
            passed = run.judge(right[step], step).passed
            yield ("right" if passed else "RIGHT, BUT REJECTED"), shown, f"{step}: {right[step]}"
        for mutant, steps_of_it in wrong:
            texts = {mutant.source, hard_coded(mutant.source, run.own.same[0])}
            for text in texts:
                if text in right.values():
                    yield "same text", shown, mutant.change
                elif (accepted := [step for step in steps_of_it if run.is_accepted(text, step)]) != steps_of_it:
                    yield "wrong", shown, ""
                else:
                    yield "WRONG, BUT ACCEPTED", shown, f"{accepted}: {mutant.change}\n{text}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.own_sizes", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("lessons", nargs="*", metavar="LESSON", default=LESSONS)
    parser.add_argument("--seeds", type=int, default=1, metavar="N")
    parser.add_argument("--budget", type=int, metavar="N", help="mutants of each lesson (all)")
    chosen = parser.parse_args(arguments)
    torch.set_num_threads(1)
    course = Course(ROOT)
    faults = 0
    for name in chosen.lessons:
        lesson, counts = course.find(name), dict[str, int]()
        for seed in range(1, chosen.seeds + 1):
            for kind, sizes, text in judge_lesson(lesson, seed, chosen.budget):
                counts[kind] = counts.get(kind, 0) + 1
                if kind.isupper() or "," in kind:
                    faults += 1
                    print(f"{kind} at {sizes}\n    {text}")
        print(f"{lesson.name}: " + ", ".join(f"{kind} {count:,}" for kind, count in counts.items()), flush=True)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
