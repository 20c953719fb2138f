"""Whether a worker is ever sent a true answer: every tensor that is sent, compared with every reference of its lesson.

    python -m bench attacks sent                     all lessons, 2 seeds
    python -m bench attacks sent --seeds 20          (the figures in docs/measured.md)
    python -m bench attacks sent 06

The answer key of each lesson is graded through real workers, and everything that is written to them is recorded. A
tensor is a disclosure when it is a multiple of a reference, in any shape and order of elements, unless

* the row has been answered by then: the published problem is sent once the student's own chain has answered it (see
  pack_once in grader/sandbox/workers/student.py). Here it is run although every row is right;
* it is what the row's function is called with: an upstream gradient from above the row, or a forward value that enters
  the row's own step. Where a local derivative is constant, or is another factor, the answer is one of its arguments;
* it is a forward value of the published problem: everybody has that problem, and it decides no points (the true
  `dcounts_sum_inv` of lesson 03 is `-counts_sum / n` there; with random upstream gradients it is not);
* it belongs to a check, and the reference gives the same argument back in the call: `dy` of an addition, `x` itself.

Exit status 1 when anything was disclosed.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import functools
import pickle
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import numpy
import torch
from torch import Tensor

from bench.measuring import lessons_named
from grader.calling.answer import Answer
from grader.calling.protocol import CallRequest, leaves
from grader.calling.target import ModuleTarget
from grader.gradebook.grading import one_file
from grader.gradebook.grading.one_file import judge_file
from grader.gradebook.grading.suite import HiddenSuite
from grader.intake.lesson_files import LessonFiles
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.reference.problem import Problem
from grader.sandbox.isolation.lockdown import Plan
from grader.sandbox.isolation.probe import probe
from grader.sandbox.workers import messages
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.student import PACKED_PROBLEMS
from grader.sandbox.workers.worker_process import WorkerProcess
from grader.verdict.judge.problems import ProblemBook

Rows = set[tuple[int, str]]
"""{(pass_of a problem, row)}"""
SAME = 1e-6
"""Relative distance below which two tensors are the same: the published problem is sent in float32."""


@dataclass(frozen=True)
class Reference:
    """The true answer to a row; `problem` is None for a check. `exempt` are names that its function is called with."""

    row: str
    value: Tensor
    problem: Problem | None = None
    exempt: frozenset[str] = frozenset()
    published: bool = False


@dataclass(frozen=True)
class Sent:
    """A tensor on its way to a worker: its name in the problem ("u:probs" is an upstream gradient), or of a call."""

    name: str
    value: Tensor
    problem: Problem | None
    answered: frozenset[tuple[int, str]]  # (pass_of a problem, row) that this worker had answered by then


@dataclass
class Tap:
    """What is written to workers, in order."""

    sent: list[Sent] = field(default_factory=list)
    given_back: list[Tensor] = field(default_factory=list)  # signatures of arguments that the reference gives back

    def note(self, packed: messages.PackedRequest, answered: Rows) -> Rows:
        """Notes the tensors of a request. Returns the rows that it asks for."""
        asked, known, request = Rows(), frozenset(answered), pickle.loads(packed.data)
        if isinstance(request, messages.Run):
            problem = problem_of(request.problem.data)
            asked = {(pass_of(problem), step) for step in request.steps}
            _, forward, upstream, _ = pickle.loads(request.problem.data)
            for kind, values in (("v", forward), ("u", upstream)):
                tensors = {f"{kind}:{name}": value for name, value in values.items() if isinstance(value, Tensor)}
                self.sent += [Sent(name, tensor, problem, known) for name, tensor in tensors.items()]
        elif isinstance(request, CallRequest):
            given = [request.args, request.kwargs]
            bound = [each.keywords for each in leaves(given) if isinstance(each, functools.partial)]
            for tensor in tensors_in([given, bound]):
                self.sent.append(Sent(f"an argument of {request.name}", tensor, None, known))
        return asked


def problem_of(sent: bytes) -> Problem:
    """The problem that is sent as these bytes."""
    return next(problem for problem, packed in PACKED_PROBLEMS.items() if sent in [p.data for p in packed.values()])


def pass_of(problem: Problem) -> int:
    """The same for the published problem in either precision: the student's own chain answers it in float64."""
    return id(problem) if problem.random_upstream else 0


@contextlib.contextmanager
def tapped(tap: Tap) -> Iterator[None]:
    """Listens to everything that the trusted side writes to workers, and to what the course's own functions return."""
    answers, run = WorkerProcess.answers, ModuleTarget.perform
    answered = collections.defaultdict[object, Rows](set)  # of each worker

    def answering(self: WorkerProcess, request: messages.PackedRequest, *of: Any) -> list[Answer]:
        asked = tap.note(request, answered[self])
        answered[self] -= asked  # what is asked again has still to be answered
        found = answers(self, request, *of)
        answered[self] |= asked
        return found

    def running(self: ModuleTarget, request: CallRequest) -> Answer:
        called = run(self, request)
        given = [key for key in map(signature, tensors_in([request.args, request.kwargs])) if key is not None]
        for key in map(signature, tensors_in([called.value, called.arguments])):
            if key is not None and any(matches(key, other) for other in given):
                tap.given_back.append(key)
        return called

    with mock.patch.object(WorkerProcess, "answers", answering), mock.patch.object(ModuleTarget, "perform", running):
        yield


# References -----------------------------------------------------------------------------------------------------------


def references(lesson: Lesson, book: ProblemBook, tap: Tap) -> Iterator[Reference]:
    """Of every gradient on every problem of the run and on the published one, and of every check."""
    published = [lesson.public, lesson.public_chain] if lesson.gradients else []
    for problem in [*book._drawn.values(), *published]:
        for item in lesson.gradients:
            assert item.target is not None
            exempt, public = called_with(problem, item.target), any(problem is one for one in published)
            yield Reference(item.name, problem.reference(item.target), problem, exempt, public)
    for (name, row, *key), value in book._values.items():
        if name == lesson.name and len(key) == 3:  # with two more it is what a known mistake gives
            expected, _ = value
            for tensor in tensors_in(expected):
                own = signature(tensor)
                if own is not None and not any(matches(own, other) for other in tap.given_back):
                    yield Reference(str(row), tensor)


def tensors_in(tree: Any) -> Iterator[Tensor]:
    """Tensors, arrays and floating-point numbers."""
    for leaf in leaves(tree):
        if isinstance(leaf, (Tensor, numpy.ndarray, float)):
            yield torch.as_tensor(leaf)


def called_with(problem: Problem, target: str) -> frozenset[str]:
    """Upstream gradients from above, and the forward values of the steps that read `target`, as they are sent."""
    consumers = problem.graph.consumers[target]
    above = consumers if problem.random_upstream else problem.graph.above(target)
    read = {value for consumer in consumers for value in (consumer, *problem.graph.sources[consumer])}
    return frozenset({f"u:{name}" for name in above} | {f"v:{name}" for name in read})


def signature(value: Tensor) -> Tensor | None:
    """The same for every multiple, shape and order of elements; None for what says nothing: a constant, no number."""
    flat = value.detach().double().flatten().abs()
    norm = float(torch.linalg.vector_norm(flat))
    if not flat.numel() or not 0 < norm < float("inf") or not value.is_floating_point():
        return None
    if int(flat.count_nonzero()) == 1:  # a number is a multiple of every other: only its own value counts, if computed
        return None if norm == float(f"{norm:.4g}") else flat.sort().values
    return None if bool((flat == flat[0]).all()) else (flat / norm).sort().values


def matches(one: Tensor, other: Tensor) -> bool:
    return one.shape == other.shape and float((one - other).norm()) < SAME * float(one.norm())


def disclosures(lesson: Lesson, book: ProblemBook, tap: Tap) -> list[str]:
    found: set[str] = set()
    sent_by_size: dict[int, list[tuple[Sent, Tensor]]] = {}
    for sent in tap.sent:
        key = signature(sent.value)
        if key is not None:
            sent_by_size.setdefault(key.numel(), []).append((sent, key))
    tables = {size: torch.stack([key for _, key in entries]) for size, entries in sent_by_size.items()}
    for reference in references(lesson, book, tap):
        key = signature(reference.value)
        if key is None or key.numel() not in tables:
            continue
        distances = (tables[key.numel()] - key).norm(dim=1) / key.norm()
        for place in (distances < SAME).nonzero().flatten().tolist():
            sent, _ = sent_by_size[key.numel()][place]
            if not allowed(sent, reference):
                found.add(f"{lesson.name}: {sent.name} was sent, and is the answer to {reference.row}")
    return sorted(found)


def allowed(sent: Sent, reference: Reference) -> bool:
    if reference.problem is None or sent.problem is None:
        return False
    # the published problem is one in both precisions
    if pass_of(sent.problem) != pass_of(reference.problem):
        return False
    if sent.name in reference.exempt or (reference.published and sent.name.startswith("v:")):
        return True
    return (pass_of(reference.problem), reference.row) in sent.answered


# Running it -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Count:
    tensors: int
    references: int
    found: tuple[str, ...]


def measure(lesson: Lesson, zygote: ZygoteProcess, seed: int) -> Count:
    """Grades the answer key with that seed. Raises RuntimeError when it does not get full marks."""
    book, tap = ProblemBook(seed), Tap()
    files = {BACKWARD_FILE: (lesson.solution / BACKWARD_FILE).read_bytes()}
    unsure = mock.patch.object(one_file, "is_right_as_a_whole", return_value=False)
    with unsure, tapped(tap), contextlib.closing(HiddenSuite(lesson, book)) as suite:
        judged = judge_file(lesson, LessonFiles(lesson.name, files), zygote, suite.judge)
    if wrong := [row.name for row in judged.rows if row.status != "passed"]:
        raise RuntimeError(f"{lesson.name}, seed {seed}: the answer key fails {', '.join(wrong)}")
    return Count(len(tap.sent), sum(1 for _ in references(lesson, book, tap)), tuple(disclosures(lesson, book, tap)))


def run(lessons: Collection[Lesson], seeds: Sequence[int], show: Callable[[str], None] = print) -> list[str]:
    """A line per lesson; returns what was disclosed."""
    found: list[str] = []
    with contextlib.closing(ZygoteProcess(Plan(probe().layers))) as zygote:
        show(f"{'lesson':24} {'tensors sent':>12} {'references':>10} {'disclosed':>9}")
        for lesson in lessons:
            counts = [measure(lesson, zygote, seed) for seed in seeds]
            mine = sorted({text for count in counts for text in count.found})
            tensors, known = sum(count.tensors for count in counts), sum(count.references for count in counts)
            show(f"{lesson.name:24} {tensors:12,} {known:10,} {len(mine):9}")
            for text in mine:
                show(f"    {text}")
            found += mine
    return found


def main(parser: argparse.ArgumentParser) -> int:
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="by number or name (all)")
    parser.add_argument("--seeds", type=int, default=2)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    found = run(lessons_named(chosen.lessons), range(1, chosen.seeds + 1))
    print(f"{chosen.seeds} seeds: {len(found)} disclosed")
    return 1 if found else 0
