"""Answers that take no work, for every gradient row of every lesson: which of them earn points?

    python -m bench no_points [LESSON]... [--seeds 3]

A table: row × (upstream left out, ones, zeros) × verdict. *Upstream left out* is several answers: for each value
between the row's value and the end of the graph, the gradient of the whole pass with ones in place of that value's
upstream gradient; and, where several values are computed from the row's value, the right step with ones in place of one
upstream gradient. (In some rows of lesson 01 the right answer is the upstream gradient, unchanged, because the local
derivative is one.)

The verdict is the status of the row, and "-" where there is nothing to leave out: only the loss is computed from the
row's value, and the upstream gradient of the loss is one by definition. Exit status 1 if an answer earns points.
"""

from __future__ import annotations

import argparse
import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from bench.measuring import aligned
from bench.no_points.checks import Idle, Make, lessons_and_seeds, ones, zeros
from grader.lesson.course_modules import load_module
from grader.lesson.lesson import Lesson
from grader.reference.problem import Draw, Problem
from grader.reference.tape import LOSS, Graph, total
from grader.verdict.judge.gradient import GradientCheck
from grader.verdict.judge.problems import ProblemBook

NOTHING = "-"


@dataclass(frozen=True)
class Row:
    """What came of a row's answers: {kind of answer: "failed", "passed: which", ...}."""

    lesson: str
    name: str
    verdicts: Mapping[str, str]
    note: str = ""

    @property
    def earned(self) -> bool:
        return any(verdict.startswith("passed") for verdict in self.verdicts.values())


class Draws:
    """Stands for the `gradient` fixture, and keeps the draws that the suite checks."""

    draws: Sequence[Draw] = ()

    def check(self, draws: Sequence[Draw]) -> None:
        self.draws = draws


@dataclass(frozen=True)
class NoWork:
    """An answer to every step; `uses` are the upstream gradients that its code would request."""

    kind: str
    name: str
    make: Make
    uses: frozenset[str] = frozenset()


def graph_of(problem: Problem) -> Graph:
    """The forward pass step by step; that of a lesson with one function for all gradients is one step otherwise."""
    return problem.graph if problem.random_upstream else problem.finer


@functools.lru_cache(maxsize=10_000)
def with_constant(problem: Problem, target: str, left_out: str, constant: float) -> Tensor:
    """The gradient of the whole pass with respect to `target`, with a constant upstream gradient of `left_out`."""
    graph, shares = graph_of(problem), []
    for consumer in graph.consumers[target]:
        if consumer == left_out:
            upstream = torch.full_like(graph.values[consumer], constant)
        elif graph.consumers[consumer]:
            upstream = with_constant(problem, consumer, left_out, constant)
        elif consumer in problem.ends:
            upstream = problem.ends[consumer]
        else:  # only handed to students (`probs`): the loss is not computed from it
            continue
        shares.append(graph.vjp(consumer, upstream)[target])
    return total(shares)


def one_missing(problem: Problem, target: str, left_out: str) -> Tensor:
    """The right step, called with its upstream gradients, with ones in place of one of them."""
    return total(
        problem.graph.vjp(c, torch.ones_like(problem.values[c]) if c == left_out else problem.upstream[c])[target]
        for c in problem.graph.consumers[target]
    )


def answers_without_work(lesson: Lesson, target: str) -> Iterator[NoWork]:
    yield NoWork("ones", "ones", ones)
    yield NoWork("zeros", "zeros", zeros)
    kind = "upstream left out"
    graph = lesson.public.graph if lesson.joint is None else lesson.public.finer
    for left_out in sorted(graph.above(target) - {LOSS}):
        if not graph.consumers[left_out] and left_out not in lesson.public.ends:
            continue  # the loss is not computed from it
        if left_out in graph.consumers[target] and len(graph.consumers[target]) > 1 and lesson.joint is None:
            others = frozenset("d" + consumer for consumer in graph.consumers[target] if consumer != left_out)
            yield NoWork(kind, f"d{left_out}", functools.partial(one_missing, left_out=left_out), others)
        yield NoWork(kind, f"d{left_out}", functools.partial(with_constant, left_out=left_out, constant=1.0))


def has_no_share(problems: Sequence[Problem], target: str, left_out: str) -> bool:
    """Whether the gradient of the whole pass is the same for every constant upstream gradient of `left_out`.

    Then nothing is left out: that branch is zero. (The sum over the batch of x - x.mean(0) is, behind a batch norm.)
    """
    pairs = ((with_constant(p, target, left_out, 1.0), with_constant(p, target, left_out, 2.0)) for p in problems)
    return all(torch.allclose(one, two, rtol=1e-9, atol=1e-12) for one, two in pairs)


def rows(lesson: Lesson, seeds: Sequence[int]) -> Iterator[Row]:
    """Each gradient row with what came of its answers under all seeds."""
    if not lesson.gradients:
        return
    fixture = Draws()
    load_module(lesson.suite, f"backprop_ninja_suite_{lesson.name}_no_work").test_gradient(fixture)
    books = [ProblemBook(seed) for seed in seeds]
    for item in lesson.gradients:
        assert item.target is not None
        verdicts = {"upstream left out": NOTHING, "ones": NOTHING, "zeros": NOTHING}
        note = ""
        for answer in answers_without_work(lesson, item.target):
            student = Idle(answer.make, answer.uses)
            found = [verdict(lesson, item.name, student, book, fixture.draws) for book in books]
            status = f"passed: {answer.name}" if "passed" in found else found[0]
            if "passed" in found and answer.kind == "upstream left out":
                problems = [p for book in books for p in book.problems(lesson, fixture.draws)]
                if has_no_share(problems, item.target, answer.name[1:]):
                    note = f"right without {answer.name}, whose branch is zero"
                    continue
            if not verdicts[answer.kind].startswith("passed"):
                verdicts[answer.kind] = status
        yield Row(lesson.number, item.name, verdicts, note)


def verdict(lesson: Lesson, row: str, student: Idle, book: ProblemBook, draws: Sequence[Draw]) -> str:
    return GradientCheck(lesson, lesson.item_for(row), student, book).judge(draws).status


def table(found: Sequence[Row]) -> str:
    kinds = ("upstream left out", "ones", "zeros")
    lines: list[tuple[str, ...]] = [("row", *kinds, "")]
    lines += [(f"{row.lesson}.{row.name}", *(row.verdicts[kind] for kind in kinds), row.note) for row in found]
    return aligned(lines)


def main(parser: argparse.ArgumentParser) -> int:
    lessons, seeds = lessons_and_seeds(parser)
    found = [row for lesson in lessons for row in rows(lesson, seeds)]
    print(table(found))
    earned = [row for row in found if row.earned]
    print(f"\n{len(earned)} of {len(found)} gradient rows award points for no work, over {len(seeds)} seeds.")
    return 1 if earned else 0
