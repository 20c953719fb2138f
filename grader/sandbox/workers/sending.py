"""What a worker is sent about a problem, packed once for a whole class.

* Hidden problems are sent with random upstream gradients, each drawn on its own: none is the gradient of another.
* One function for all gradients (`Joint`) is sent forward values only: what is above a row is another row.
* The published problem is sent with the true upstream gradients, which are the references of the rows above. It is sent
  after the student's own chain has run on it, and decides no points: only its bits are reported.
* The student's own chain is sent upstream gradients only where no step of the student's returns them.

`python -m bench attacks sent` compares every tensor that is sent with every reference.
"""

from __future__ import annotations

from collections.abc import Collection
from weakref import WeakKeyDictionary

from grader.reference.problem import Problem
from grader.sandbox.workers.messages import PackedProblem, pack_problem

PACKED_PROBLEMS: WeakKeyDictionary[Problem, dict[frozenset[str], PackedProblem]] = WeakKeyDictionary()
"""Problems as they were sent, by the names whose upstream gradients were left out."""


def pack_once(problem: Problem, left_out: Collection[str] = ()) -> PackedProblem:
    """The problem without the upstream gradients of the names in `left_out`."""
    known, key = PACKED_PROBLEMS.setdefault(problem, {}), frozenset(left_out)
    if key not in known:
        upstream = {name: gradient for name, gradient in problem.fed.items() if name not in key}
        known[key] = pack_problem(problem.dtype, problem.values, upstream, problem.groups)
    return known[key]
