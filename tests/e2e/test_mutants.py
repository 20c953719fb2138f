"""Solutions with one slip in each are rejected: a small sample here, all of them in `bench mutants` (slow)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from support import ROOT, SHORT_LIMITS, sampled

from bench.mutants.edits import Mutant, mutants
from bench.mutants.judge import Bench
from bench.mutants.run import Listed, Tally, judge_lesson
from grader.lesson.lesson import Course

SOLUTION = '''
def dW(dh, x, n):
    """The gradient."""
    total = x.T @ dh
    return total / n


class Layer:
    def forward(self, x, training=True):
        return x.sum(0) if training else x
'''


@pytest.fixture(scope="module")
def changes() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for mutant in mutants(SOLUTION):
        found.setdefault(mutant.where, []).append(mutant.change)
    return found


def test_slips_of_a_step(changes):
    assert {
        "total = x.T @ dh → total = dh @ x.T",
        "total = x.T @ dh → total = x.T @ dh.T",
        "total = x.T @ dh → total = x.T * dh",
        "total = x.T @ dh → total = n.T @ dh",
        "total = x.T @ dh → total = -(x.T @ dh)",
        "total = x.T @ dh → (gone)",
        "return total / n → return total * n",
        "return total / n → return total / (n - 1)",
        "return total / n → (gone)",
    } <= set(changes["dW"])
    assert "return x.sum(0) if training else x → return x if training else x.sum(0)" in changes["Layer.forward"]


@pytest.fixture(scope="module")
def cross_entropy() -> Iterator[Bench]:
    with closing(Bench(Course(ROOT).find("04"), 1, SHORT_LIMITS)) as bench:
        yield bench


def wrong(body: str) -> Mutant:
    return Mutant("dlogits", "old → new", "operator", f"def dlogits(logits, Yb, n):\n    {body}")


@pytest.mark.full
@pytest.mark.parametrize("body", ["while True: pass", "import os; os.kill(os.getpid(), 9)"])
def test_one_that_never_ends_and_one_that_kills_its_process_cost_only_their_row(cross_entropy, body):
    assert cross_entropy.judge(wrong(body)).specific


def test_what_is_accepted_and_not_listed_is_a_fault(cross_entropy):
    mutant = wrong("return logits")
    accepted = [(mutant, cross_entropy.judge(Mutant("dlogits", "", "", "")))]
    unlisted = Tally("04_cross_entropy", accepted, 1, 0.0, Listed(frozenset(), frozenset()))
    assert list(unlisted.faults) == ["accepted: 04_cross_entropy dlogits: old → new"]
    known = Listed(frozenset({("04_cross_entropy", "dlogits", "old → new")}), frozenset())
    assert not list(Tally("04_cross_entropy", accepted, 1, 0.0, known).faults)


def test_an_error_that_is_read_is_another_kind_than_one_that_is_not(cross_entropy):
    undefined, own = cross_entropy.judge(wrong("return probs")), cross_entropy.judge(wrong("raise ValueError('no')"))
    assert (undefined.kind, own.kind) == ("meaning", "raised")


@sampled("lesson, budget", [("02", 4), ("03", 2), ("04", 20)], keep=1)
def test_a_sample_is_rejected(course, lesson, budget):
    tally = judge_lesson(1, budget, False, course.find(lesson))
    assert list(tally.faults) == []
    assert tally.counts()["rejected"] >= 10
