"""What a worker is sent about a problem, packed once for a whole class.

The invariant: a worker never receives the reference of a row that it has still to answer, or a multiple of it.

* Hidden problems travel with random upstream gradients, each drawn on its own: none is the gradient of another.
* One function for all gradients (`Joint`) is sent forward values only: what is above a row is another row.
* On the published problem steps are fed the true upstream gradients, which are the references of the rows above. They
  are disclosed stage by stage: a gradient only when the rows above it, and its own row, have been answered. Most are
  never sent: a worker feeds each stage what the stages before it answered, and where that is the true gradient bit for
  bit, the stage was fed what it should have been (see stage_guesses.py). The student's own chain, judged on the same
  problem, is run before the first stage.

What is exempt follows from the exercise: a step is given the upstream gradients of what comes after it, and where its
local derivative is one, its answer is what it was given. `python -m bench.sent` compares every tensor that is sent with
every reference.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

from grader.reference.problem import Problem
from grader.sandbox.workers.requests import PackedProblem, PackedUpstream, pack_problem, pack_upstream
from grader.sandbox.workers.worker_process import WorkerProcess

PACKED_PROBLEMS: WeakKeyDictionary[Problem, dict[object, PackedProblem]] = WeakKeyDictionary()
"""Problems as they were sent: a whole class gets the same ones, in the same order."""

STAGES_OF_PROBLEM: WeakKeyDictionary[Problem, dict[object, tuple[Stage, ...]]] = WeakKeyDictionary()

DISCLOSED: WeakKeyDictionary[Problem, dict[object, PackedUpstream]] = WeakKeyDictionary()


class Stage(NamedTuple):
    """Steps that can be run together, and the upstream gradients that they need beyond those of earlier stages."""

    steps: tuple[str, ...]
    upstream: PackedUpstream


def pack_once(key: int, problem: Problem) -> PackedProblem:
    """The problem under that number, with its random upstream gradients; true ones are left to `stages`."""
    known = PACKED_PROBLEMS.setdefault(problem, {})
    if key not in known:
        upstream = problem.fed if problem.random_upstream else problem.ends
        known[key] = pack_problem(key, problem.dtype, problem.values, upstream, problem.groups)
    return known[key]


def packed_chain(key: int, problem: Problem, steps: Collection[str], joint: bool = False) -> PackedProblem:
    """With upstream gradients only where no step of the student's gives them; a `joint` function needs none."""
    if joint:
        return pack_once(key, problem)
    own = frozenset("d" + name for name in problem.graph.names) & frozenset(steps)
    known = PACKED_PROBLEMS.setdefault(problem, {})
    if (key, own) not in known:
        upstream = {name: gradient for name, gradient in problem.chain.items() if "d" + name not in own}
        known[key, own] = pack_problem(key, problem.dtype, problem.values, upstream, problem.groups)
    return known[key, own]


def stages(key: int, problem: Problem, steps: Sequence[str]) -> tuple[Stage, ...]:
    """All steps, in an order in which no gradient is disclosed before its row is answered."""
    known = STAGES_OF_PROBLEM.setdefault(problem, {})
    if (key, tuple(steps)) not in known:
        known[key, tuple(steps)] = _stages(key, problem, steps)
    return known[key, tuple(steps)]


def _stages(key: int, problem: Problem, steps: Sequence[str]) -> tuple[Stage, ...]:
    above = {step[1:]: problem.graph.above(step[1:]) for step in steps}
    depths: dict[str, int] = {}
    for name in sorted(above, key=lambda name: len(above[name])):  # what is above a name has less above it
        depths[name] = 1 + max((depths[other] for other in above[name] if other in depths), default=-1)
    found, sent, fed = [], set(problem.ends), problem.fed
    for depth in range(max(depths.values(), default=-1) + 1):
        names = [name for name in above if depths[name] == depth]
        needed = {other for name in names for other in above[name]} - sent
        sent |= needed
        gradients = {name: fed[name] for name in problem.graph.names if name in needed}
        found.append(Stage(tuple("d" + name for name in names), pack_upstream(key, gradients)))
    return tuple(found)


def pack_upstream_once(key: int, problem: Problem, steps: Sequence[str], first: int, last: int) -> PackedUpstream:
    """The upstream gradients of the stages from number `first` up to and with `last`."""
    known = DISCLOSED.setdefault(problem, {})
    if (key, tuple(steps), first, last) not in known:
        names = {name for stage in stages(key, problem, steps)[first : last + 1] for name in stage.upstream.names}
        fed = problem.fed
        gradients = {name: fed[name] for name in problem.graph.names if name in names}
        known[key, tuple(steps), first, last] = pack_upstream(key, gradients)
    return known[key, tuple(steps), first, last]


def send_ahead(
    worker: WorkerProcess, problems: Sequence[Problem], chain: Problem, steps: Collection[str], joint: bool
) -> None:
    """Send a waiting worker the problems of the coming requests, under the numbers that a Student will use.

    `chain` is one of the `problems`, the one on which the student's own chain will be run.
    """
    for number, problem in enumerate(problems):
        key = -1 - number if problem is chain else number
        worker.send_packed(packed_chain(key, problem, steps, joint) if problem is chain else pack_once(key, problem))
        worker.ahead[key] = problem
