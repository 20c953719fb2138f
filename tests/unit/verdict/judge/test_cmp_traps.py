"""Answers that a comparison of tensors calls right though they are wrong, or wrong though they are right.

Each goes the whole way: a real worker, lesson 03's hidden suite, and the sentence that the student reads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from support import IMPORTS, Rows

from grader.verdict.judge.messages import IN_FLOAT32

HELPERS = (
    IMPORTS
    + """
class AlwaysEqual:
    def __eq__(self, other):
        return True

    def __getattr__(self, name):
        return lambda *arguments, **keywords: self


class Lying(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, arguments=(), keywords=None):
        return True

    def __eq__(self, other):
        return torch.ones(other.shape, dtype=torch.bool)

    def __getattribute__(self, name):
        return torch.Size((1,)) if name == "shape" else super().__getattribute__(name)


class WithoutOpinions(torch.Tensor):
    pass
"""
)


class Trap(NamedTuple):
    """What is odd, a function as a student writes it, and words that they read: "" where it is right, unremarked."""

    name: str
    step: str
    status: str
    words: str = ""

    @property
    def gradient(self) -> str:
        return self.step.removeprefix("def ").partition("(")[0]


ZERO = "In the whole network this gradient is zero, up to rounding, since"
ONE_NAN = "def dhpreact(dh, h):\n    g = (1 - h**2) * dh\n    g[1, 2] = float('nan')\n    return g"
INFINITY = "    g = counts_sum_inv * dprobs + dcounts_sum\n    g[0, 1] = -float('inf')\n    return g"
SPARSE = "    i = torch.stack([torch.arange(n), Yb])\n    return torch.sparse_coo_tensor(i, torch.full((n,), -1 / n), "
GAIN = "def dbngain(dhpreact, bnraw): return (bnraw * dhpreact).sum(0, keepdim=True).as_subclass(Lying)"
COPY = "Your result has shape (1, {hidden}) and the right numbers. But `bndiff2` is ({batch}, {hidden}), and"

TRAPS = [
    # shapes that broadcast
    Trap(
        "a flat vector", "def dbnmeani(dbndiff): return -dbndiff.sum(0)", "shape", "is (1, {hidden}); sum with `keepdim"
    ),
    Trap(
        "a dimension in front", "def dh(dlogits, W2): return (dlogits @ W2.T)[None]", "shape", "(1, {batch}, {hidden})"
    ),
    Trap("one copy of equal rows", "def dbndiff2(dbnvar, n): return dbnvar / (n - 1)", "shape", COPY),
    # nothing at all
    Trap(
        "empty and broadcast", "def dlogit_maxes(logit_maxes): return logit_maxes[:, :0]", "shape", "is ({batch}, 0);"
    ),
    Trap("None", "def dhprebn(dbndiff): dbndiff * 2", "shape", "Is the last line `return ...`, and is there a value?"),
    # numbers that are none
    Trap("NaN", "def dprobs(dlogprobs, probs): return dlogprobs / probs * float('nan')", "failed", "not belong there"),
    Trap("one NaN", ONE_NAN, "failed", "Element [1, 2] is nan, not a finite number: look for 0/0"),
    Trap(
        "one infinity",
        f"def dcounts(dprobs, counts_sum_inv, dcounts_sum):\n{INFINITY}",
        "failed",
        "[0, 1] is -inf, not",
    ),
    # zeros where the lecture's gradient is zero
    Trap("zeros for db1", "def db1(b1): return torch.zeros_like(b1)", "failed", f"{ZERO} batch norm removes"),
    # objects with opinions
    Trap("an equal object", "def dbnraw(dhpreact): return AlwaysEqual()", "shape", "returned backward.AlwaysEqual;"),
    Trap("wrong", "def dbnbias(dhpreact): return (1.5 * dhpreact.sum(0, True)).as_subclass(Lying)", "failed", "`1.5`"),
    Trap("right and equal to everything", GAIN, "passed"),
    Trap("a class", "def dbnraw(dhpreact, bngain): return (bngain * dhpreact).as_subclass(WithoutOpinions)", "passed"),
    Trap("a sparse tensor", f"def dlogprobs(logprobs, Yb, n):\n{SPARSE}logprobs.shape)", "passed"),
    # other kinds of things, and of numbers
    Trap("a number", "def dbnvar(dbnvar_inv): return 0", "shape", "`dbnvar` returned int; expected a torch.Tensor of"),
    Trap("numpy's", "def dembcat(dhprebn, W1): return dhprebn.numpy() @ W1.numpy().T", "shape", "Stay in torch"),
    Trap("a tuple of one", "def db2(dlogits): return dlogits.sum(0),", "shape", "Did a comma slip in"),
    Trap("a tuple of eleven", "def db2(dlogits): return (*dlogits.sum(0)[:1],) * 11", "shape", "tuple of 11; expected"),
    Trap(
        "whole numbers", "def dW2(dlogits, h): return (h.T @ dlogits * 1000).long()", "shape", "The numbers are int64;"
    ),
    Trap("float32", "def dnorm_logits(dcounts, counts): return counts.float() * dcounts.float()", "passed", IN_FLOAT32),
    Trap(
        "off",
        "def db2(dlogits):\n    g = dlogits.sum(0).float()\n    g[0] *= 1.0003\n    return g",
        "failed",
        "one too many",
    ),
]


def sheets() -> list[dict[str, Trap]]:
    """The traps on as few submissions as possible: one for each gradient on each."""
    dealt: list[dict[str, Trap]] = []
    for trap in TRAPS:
        sheet = next((sheet for sheet in dealt if trap.gradient not in sheet), None)
        if sheet is None:
            dealt.append(sheet := {})
        sheet[trap.gradient] = trap
    return dealt


@pytest.fixture(scope="module")
def trapped(grade) -> Rows:
    """{trap's name: its row}."""
    found = {}
    for sheet in sheets():
        rows = grade("03", HELPERS + "".join(f"\n\n{trap.step}\n" for trap in sheet.values()))
        found |= {trap.name: rows[gradient] for gradient, trap in sheet.items()}
        assert all(row["status"] == "missing" for gradient, row in rows.items() if gradient not in sheet)
    return found


@pytest.fixture(scope="module")
def sizes(lesson) -> dict[str, Any]:
    """Of the first hidden problem: sentences name its shapes."""
    drawn = dict(lesson.draws[0].sizes)
    return drawn | {"fan_in": drawn["embedding"] * drawn["block"]}


def test_the_verdict_and_its_sentence(trapped, sizes):
    for trap in TRAPS:
        row = trapped[trap.name]
        assert row["status"] == trap.status, (trap.name, row["message"])
        assert row["points"] == (row["max_points"] if trap.status == "passed" else 0), trap.name
        assert trap.words.format(**sizes) in (row["message"] or "") and bool(trap.words) == bool(row["message"]), (
            trap.name
        )
        if trap.status == "shape":
            assert row["relative_error"] is None, trap.name


def test_no_figures_where_nothing_can_be_compared(trapped):
    """`exact` and its like are of tensors of the same shape: what broadcasts is not compared."""
    for name in ("a flat vector", "empty and broadcast", "None", "a number"):
        row = trapped[name]
        assert [row[figure] for figure in ("exact", "approximate", "maxdiff", "ulps")] == [None] * 4, name
    for name in ("NaN", "one NaN", "one infinity"):
        row = trapped[name]
        assert [row[figure] for figure in ("exact", "approximate", "maxdiff", "ulps")] == [False, False, None, None]


def test_a_float32_answer_has_the_error_that_float32_has(trapped):
    assert 1e-9 < trapped["float32"]["relative_error"] < 1e-6
    assert 1e-6 < trapped["off"]["relative_error"] < 1e-2


def test_zeros_for_db1_are_approximate_which_decides_nothing(trapped, lesson, grade):
    """Batch norm takes the bias out: what is left is rounding, which random upstream gradients tell from zeros."""
    noise, row = float(lesson.public.reference("b1").abs().max()), trapped["zeros for db1"]
    assert 0 < noise < 1e-7 and row["approximate"] is True and row["maxdiff"] == noise and row["exact"] is False
    assert row["status"] == "failed" and row["relative_error"] == pytest.approx(1)
    assert grade("03", "def db1(dhprebn): return dhprebn.flip(0).cumsum(0)[-1]")["db1"]["status"] == "passed"
