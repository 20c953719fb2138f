"""Problems on their way to workers: packed once, as a class is asked the same ones, in the same order."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from weakref import WeakKeyDictionary

from grader.problem import Problem
from grader.sandbox.requests import PackedProblem, pack_problem
from grader.sandbox.worker_process import WorkerProcess

PACKED: WeakKeyDictionary[Problem, dict[object, PackedProblem]] = WeakKeyDictionary()
"""Problems as they were sent: a class is asked the same ones, in the same order."""


def packed(key: int, problem: Problem) -> PackedProblem:
    """The problem under that number, with its own upstream gradients."""
    known = PACKED.setdefault(problem, {})
    if key not in known:
        known[key] = pack_problem(key, problem.dtype, problem.values, problem.upstream, problem.groups)
    return known[key]


def send(worker: WorkerProcess, key: int, problem: Problem) -> None:
    worker.send_packed(packed(key, problem))


def send_chain(worker: WorkerProcess, key: int, problem: Problem, steps: Collection[str]) -> None:
    """With upstream gradients only where no step of the student's gives them."""
    own = frozenset("d" + name for name in problem.graph.names) & frozenset(steps)
    known = PACKED.setdefault(problem, {})
    if (key, own) not in known:
        upstream = {name: gradient for name, gradient in problem.chain.items() if "d" + name not in own}
        known[key, own] = pack_problem(key, problem.dtype, problem.values, upstream, problem.groups)
    worker.send_packed(known[key, own])


def send_ahead(worker: WorkerProcess, problems: Sequence[Problem], chain: Problem, steps: Collection[str]) -> None:
    """Sends a worker that waits what it will be asked about, under the numbers that a Student will use.

    `chain` is one of the `problems`, the one on which the student's own chain will be run.
    """
    for number, problem in enumerate(problems):
        if problem is chain:
            send_chain(worker, -1 - number, problem, steps)
            worker.ahead[-1 - number] = problem
        else:
            send(worker, number, problem)
            worker.ahead[number] = problem
