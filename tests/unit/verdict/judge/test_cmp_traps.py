"""Answers that a comparison of tensors calls right though they are wrong, or wrong though they are right.

Each goes the whole way: a real worker, lesson 03's hidden suite, and the sentence that the student reads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
import torch
from support import IMPORTS, Rows

from grader.results.wording import format_shape
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


@dataclass(frozen=True)
class Trap:
    """What is odd, a function as a student writes it, and what they read: None where it is right and unremarked."""

    name: str
    step: str
    status: str
    sentence: str | None
    begins: bool = False  # the sentence goes on with figures

    @property
    def gradient(self) -> str:
        return self.step.removeprefix("def ").partition("(")[0]


FINITE = "not a finite number: look for a division by zero, log(0) or an overflow."
WHOLE = "a gradient needs floating point: start from `zeros_like(...)`, say."
BROADCASTING = "Broadcasting hides this in a comparison, and hurts later."

TRAPS = [
    # shapes that broadcast
    Trap(
        "a flat vector for a row",
        "def dbnmeani(dbndiff): return -dbndiff.sum(0)",
        "shape",
        "The numbers are right, the shape is not: ({hidden},) where `bnmeani` is (1, {hidden}); sum with "
        "`keepdim=True`. Broadcasting hides this in a comparison, and hurts later.",
    ),
    Trap(
        "a row for a flat vector",
        "def db1(dhprebn): return dhprebn.sum(0, keepdim=True)",
        "shape",
        "The numbers are right, the shape is not: (1, {hidden}) where `b1` is ({hidden},); `.view(b1.shape)` makes "
        "it right. Broadcasting hides this in a comparison, and hurts later.",
    ),
    Trap(
        "a dimension in front",
        "def dh(dlogits, W2): return (dlogits @ W2.T)[None]",
        "shape",
        "The numbers are right, the shape is not: (1, {batch}, {hidden}) where `h` is ({batch}, {hidden}); "
        "`.view(h.shape)` makes it right. " + BROADCASTING,
    ),
    Trap(
        "a number for a column",
        "def dcounts_sum(dcounts_sum_inv): return torch.zeros(()) + 5",
        "shape",
        "The shape is (); expected ({batch}, 1), the shape of the value itself.",
    ),
    Trap(
        "one copy of equal rows",
        "def dbndiff2(dbnvar, n): return dbnvar / (n - 1)",
        "shape",
        "Your result has shape (1, {hidden}) and the right numbers. But `bndiff2` is ({batch}, {hidden}), and each of "
        "its elements has a gradient of its own: a sum forward is a broadcast backward (multiply by "
        "`torch.ones_like(...)`, or use `.expand_as(...)`).",
    ),
    # nothing at all
    Trap(
        "an empty tensor that broadcasts",
        "def dlogit_maxes(logit_maxes): return logit_maxes[:, :0]",
        "shape",
        "The shape is ({batch}, 0); expected ({batch}, 1), the shape of the value itself.",
    ),
    Trap(
        "an empty tensor",
        "def dW1(W1): return torch.zeros(0)",
        "shape",
        "The shape is (0,); expected ({fan_in}, {hidden}), the shape of the value itself.",
    ),
    Trap(
        "None",
        "def dhprebn(dbndiff): dbndiff * 2",
        "shape",
        "`dhprebn` returned None; expected a tensor. Is the last line `return ...`?",
    ),
    # numbers that are none
    Trap(
        "NaN everywhere",
        "def dprobs(dlogprobs, probs): return dlogprobs / probs * float('nan')",
        "failed",
        "In `dlogprobs / probs * float('nan')`, `float('nan')` is one too many. Without it, your `dprobs` "
        "is right. What is the local derivative of the forward line?",
    ),
    Trap(
        "one NaN",
        "def dhpreact(dh, h):\n    g = (1 - h**2) * dh\n    g[1, 2] = float('nan')\n    return g",
        "failed",
        "Element [1, 2] is nan, not a finite number: look for 0/0, inf - inf, or the log or root of a negative number.",
    ),
    Trap(
        "one infinity",
        "def dcounts(dprobs, counts_sum_inv, dcounts_sum):\n    g = counts_sum_inv * dprobs + dcounts_sum\n"
        "    g[0, 1] = -float('inf')\n    return g",
        "failed",
        f"Element [0, 1] is -inf, {FINITE}",
    ),
    # zeros where the lecture's gradient is zero
    Trap(
        "zeros for db1",
        "def db1(b1): return torch.zeros_like(b1)",
        "failed",
        "In the whole network this gradient is zero, up to rounding, since batch norm removes whatever a bias adds. "
        "But this function has to work for any upstream gradient: compute it from `dhprebn`.",
    ),
    Trap(
        "zeros for db1, with its neighbour asked for",
        "def db1(dhprebn): return 0 * dhprebn.sum(0)",
        "failed",
        "In the whole network this gradient is zero, up to rounding, since batch norm removes whatever a bias adds. "
        "But this function has to work for any upstream gradient: compute it from `dhprebn`.",
    ),
    Trap(
        "zeros for dlogit_maxes",
        "def dlogit_maxes(logit_maxes): return torch.zeros_like(logit_maxes)",
        "failed",
        "In the whole network this gradient is zero, up to rounding, since shifting a row does not change its softmax. "
        "But this function has to work for any upstream gradient: compute it from `dnorm_logits`.",
    ),
    Trap(
        "no branch through the maximum",
        "def dlogits(dnorm_logits): return dnorm_logits.clone()",
        "failed",
        "In your `dlogits`, the part that comes through `logit_maxes` is missing. Gradients of all paths add up. "
        "The rest is right.",
    ),
    # objects with opinions
    Trap(
        "an object that is equal to everything",
        "def dbnraw(dhpreact): return AlwaysEqual()",
        "shape",
        "`dbnraw` returned backward.AlwaysEqual; expected a torch.Tensor of bnraw's shape.",
    ),
    Trap(
        "a wrong tensor that is equal to everything",
        "def dbnbias(dhpreact): return (1.5 * dhpreact.sum(0, keepdim=True)).as_subclass(Lying)",
        "failed",
        "In `1.5 * dhpreact.sum(0, keepdim=True)`, `1.5` is one too many. Without it, your `dbnbias` is "
        "right. What is the local derivative of the forward line?",
    ),
    Trap(
        "a right tensor that is equal to everything",
        "def dbngain(dhpreact, bnraw): return (bnraw * dhpreact).sum(0, keepdim=True).as_subclass(Lying)",
        "passed",
        None,
    ),
    Trap(
        "a right tensor of a class of its own",
        "def dbnraw(dhpreact, bngain): return (bngain * dhpreact).as_subclass(WithoutOpinions)",
        "passed",
        None,
    ),
    Trap(
        "a Parameter",
        "def dbnvar_inv(dbnraw, bndiff): return torch.nn.Parameter((bndiff * dbnraw).sum(0, keepdim=True))",
        "passed",
        None,
    ),
    Trap(
        "a sparse tensor",
        "def dlogprobs(logprobs, Yb, n):\n    i = torch.stack([torch.arange(n), Yb])\n"
        "    return torch.sparse_coo_tensor(i, torch.full((n,), -1 / n), logprobs.shape)",
        "passed",
        None,
    ),
    # other kinds of things
    Trap(
        "a number",
        "def dbnvar(dbnvar_inv): return 0",
        "shape",
        "`dbnvar` returned int; expected a torch.Tensor of bnvar's shape.",
    ),
    Trap(
        "True",
        "def dcounts_sum_inv(dprobs): return True",
        "shape",
        "`dcounts_sum_inv` returned bool; expected a torch.Tensor of counts_sum_inv's shape.",
    ),
    Trap(
        "an array of numpy's",
        "def dembcat(dhprebn, W1): return dhprebn.numpy() @ W1.numpy().T",
        "shape",
        "`dembcat` returned numpy.ndarray; expected a torch.Tensor. Stay in torch, or return `torch.from_numpy(...)`.",
    ),
    Trap(
        "a tuple of one",
        "def db2(dlogits): return dlogits.sum(0),",
        "shape",
        "`db2` returned a tuple of 1; expected a tensor. Did a comma slip in at the end of the line?",
    ),
    Trap(
        "a list",
        "def demb(dembcat, emb): return [dembcat.view(emb.shape)]",
        "shape",
        "`demb` returned list of 1; expected a torch.Tensor of emb's shape.",
    ),
    # other kinds of numbers
    Trap(
        "whole numbers",
        "def dW2(dlogits, h): return (h.T @ dlogits * 1000).long()",
        "shape",
        f"The numbers are int64; {WHOLE}",
    ),
    Trap(
        "truth values",
        "def dC(demb, C): return C > 0",
        "shape",
        f"The numbers are bool; {WHOLE}",
    ),
    Trap(
        "half precision",
        "def demb(dembcat, emb): return dembcat.view(emb.shape).half()",
        "shape",
        "`dembcat.view(emb.shape).half()` rounds. Without the rounding, your `demb` is right.",
    ),
    Trap(
        "half precision of the other kind",
        "def dbnvar(dbnvar_inv, bnvar): return (-0.5 * (bnvar + 1e-5) ** -1.5 * dbnvar_inv).bfloat16()",
        "shape",
        "`(-0.5 * (bnvar + 1e-5) ** -1.5 * dbnvar_inv).bfloat16()` rounds. Without the rounding, your "
        "`dbnvar` is right.",
    ),
    Trap(
        "complex numbers",
        "def dh(dlogits, W2): return (dlogits @ W2.T).to(torch.complex128)",
        "shape",
        "`dh` returned a tensor of complex128; expected a torch.Tensor of h's shape.",
    ),
    Trap(
        "float32, and right",
        "def dnorm_logits(dcounts, counts): return counts.float() * dcounts.float()",
        "passed",
        IN_FLOAT32,
    ),
    Trap(
        "float32 inside, and right",
        "def dW2(dlogits, h): return (h.float().T @ dlogits.float()).double()",
        "passed",
        IN_FLOAT32,
    ),
    Trap(
        "float32, and wrong in the fourth place",
        "def db2(dlogits):\n    g = dlogits.sum(0).float()\n    g[0] *= 1.0003\n    return g",
        "failed",
        "The line `g[0] *= 1.0003` is one too many. Without it, your `db2` is right.",
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
        if trap.begins:
            assert row["message"].startswith(trap.sentence), trap.name
        else:
            assert row["message"] == (trap.sentence.format(**sizes) if trap.sentence else None), trap.name
        if trap.status == "shape":
            assert row["relative_error"] is None, trap.name


def test_no_figures_where_nothing_can_be_compared(trapped):
    """`exact` and its like are of tensors of the same shape: what broadcasts is not compared."""
    for name in (
        "a flat vector for a row",
        "a row for a flat vector",
        "an empty tensor that broadcasts",
        "None",
        "a number",
    ):
        row = trapped[name]
        assert [row[figure] for figure in ("exact", "approximate", "maxdiff", "ulps")] == [None] * 4, name
    for name in ("NaN everywhere", "one NaN", "one infinity"):
        row = trapped[name]
        assert [row[figure] for figure in ("exact", "approximate", "maxdiff", "ulps")] == [False, False, None, None]


def test_a_float32_answer_has_the_error_that_float32_has(trapped):
    for name in ("float32, and right", "float32 inside, and right"):
        assert 1e-9 < trapped[name]["relative_error"] < 1e-6
    assert 1e-6 < trapped["float32, and wrong in the fourth place"]["relative_error"] < 1e-2


def test_approximate_is_told_of_zeros_for_db1_and_decides_nothing(trapped, lesson, grade):
    reference = lesson.public.reference("b1")
    noise = float(reference.abs().max())
    assert 0 < noise < 1e-7  # batch norm takes the bias out: what is left is rounding
    assert noise < 1e-6 * float(lesson.public.reference("W1").abs().max())
    row = trapped["zeros for db1"]
    assert row["approximate"] is True and row["maxdiff"] == noise and row["exact"] is False
    assert row["status"] == "failed" and row["points"] == 0
    assert row["relative_error"] == pytest.approx(1)  # under random upstream gradients
    right = grade("03", "def db1(dhprebn): return dhprebn.flip(0).cumsum(0)[-1]")["db1"]
    assert right["status"] == "passed"  # whatever its last bits are


# Why they are traps --------------------------------------------------------------------------------------------------


def cmp(dt: Any, t: torch.Tensor) -> tuple[bool, bool]:
    """The lecture's: (exact, approximate)."""
    return bool(torch.all(dt == t)), torch.allclose(dt, t)


def test_the_lecture_s_cmp_falls_into_them(lesson):
    d, v = lesson.public.chain, lesson.public.values
    assert cmp(-d["bndiff"].sum(0), d["bnmeani"]) == (True, True)  # (64,) for (1, 64)
    assert cmp(d["hprebn"].sum(0, keepdim=True), d["b1"]) == (True, True)
    assert cmp(v["logit_maxes"][:, :0], d["logit_maxes"]) == (True, True)  # nothing is all equal to anything
    assert cmp(torch.zeros_like(v["b1"]), d["b1"])[1]
    assert cmp(torch.zeros_like(v["logit_maxes"]), d["logit_maxes"])[1]
    assert cmp(d["norm_logits"], d["logits"])[1]  # no branch through the maximum
    assert not float((d["probs"] * float("nan") - d["probs"]).abs().max()) > 1e-6  # as a tolerance is often tested
    assert format_shape(d["bnmeani"].shape) == "(1, 64)"
