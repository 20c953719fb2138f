"""The operator count: the same for all sizes, with autograd or without, and a cap that cannot be waited out."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from grader.calling.operators import OperatorWatch, TooManyOperators

SIZES = [(2, 3), (4, 5), (32, 27), (100, 7)]


def fused(logits: Tensor, Yb: Tensor, n: int) -> Tensor:
    """The gradient of cross-entropy in one go."""
    dlogits = F.softmax(logits, 1)
    dlogits[range(n), Yb] -= 1
    dlogits /= n
    return dlogits


def step_by_step(logits: Tensor, Yb: Tensor, n: int) -> Tensor:
    """The same through every intermediate value, written as tersely as it goes, the forward pass not counted."""
    with torch._C._DisableTorchDispatch():
        norm_logits = logits - logits.max(1, keepdim=True).values
        counts = norm_logits.exp()
        counts_sum_inv = counts.sum(1, keepdim=True) ** -1
        probs = counts * counts_sum_inv
        index = (torch.arange(n), Yb)
    dlogprobs = torch.zeros_like(probs)
    dlogprobs[index] = -1.0 / n
    dprobs = dlogprobs / probs
    dcounts_sum_inv = (counts * dprobs).sum(1, keepdim=True)
    dcounts_sum = -(counts_sum_inv**2) * dcounts_sum_inv
    dcounts = counts_sum_inv * dprobs + dcounts_sum
    dnorm_logits = counts * dcounts
    dlogit_maxes = -dnorm_logits.sum(1, keepdim=True)
    return dnorm_logits + F.one_hot(logits.argmax(1), logits.shape[1]) * dlogit_maxes


STEPS: dict[str, Callable[[Tensor, Tensor, int], Tensor]] = {
    "fused": fused,
    "step_by_step": step_by_step,
}


def counts() -> dict[str, list[int]]:
    """Operators of each step for each size in SIZES; run here and in the subprocess."""
    found: dict[str, list[int]] = {}
    for name, step in STEPS.items():
        for n, classes in SIZES:
            logits = torch.randn(n, classes, dtype=torch.float64)
            Yb = torch.randint(0, classes, (n,))
            with OperatorWatch(cap=1000) as watch:
                result = step(logits, Yb, n)
            assert torch.allclose(result, fused(logits, Yb, n))
            found.setdefault(name, []).append(watch.operators)
    return found


def test_a_count_tells_the_fused_formula_from_step_by_step_at_all_sizes() -> None:
    found = counts()
    assert max(found["fused"]) <= 12 and min(found["step_by_step"]) >= 16
    assert all(len(set(of_sizes)) == 1 for of_sizes in found.values())


def test_looking_is_free(capsys: pytest.CaptureFixture[str]) -> None:
    x = torch.randn(3, 4)
    with OperatorWatch(cap=0) as watch:
        print(x, x.shape, x.dtype, x.requires_grad, x.is_contiguous(), x.tolist(), len(x), x.numel())
    assert watch.operators == 0
    assert "tensor" in capsys.readouterr().out


def test_the_cap_is_the_last_number_allowed_and_except_exception_does_not_catch_it() -> None:
    x = torch.ones(3)
    with OperatorWatch(cap=3) as watch:
        for _ in range(3):
            x = x + x
        with pytest.raises(TooManyOperators, match=r"more than 3 tensor operations") as caught:
            x = x + x
    assert (caught.value.cap, watch.operators) == (3, 4)
    with pytest.raises(TooManyOperators), OperatorWatch(cap=100):
        while True:
            with contextlib.suppress(Exception):
                x.add_(1)


LOW: list[tuple[Callable[[Tensor], object], bool]] = [
    (lambda x: x.exp() @ x.T, False),
    (lambda x: x + 1.5, False),
    (lambda x: F.one_hot(x.argmax(1), 5) * x[:5].sum(), False),
    (lambda x: x.to(torch.complex128).real, False),
    (lambda x: x.half().double(), True),
    (lambda x: x.bfloat16(), True),
    (lambda x: torch.zeros(3) + x[0, 0], True),
    (lambda x: torch.tensor(1 / 3) * x, True),
    (lambda x: F.one_hot(x.argmax(1), 5).float(), True),
    (lambda x: x.to(torch.complex64), True),
    (lambda x: torch.stack([x, x]).float().unbind(0), True),
]


def test_lower_precision_is_seen() -> None:
    for place, (compute, low) in enumerate(LOW):
        with OperatorWatch(cap=100) as watch:
            compute(torch.randn(6, 5, dtype=torch.float64))
        assert watch.saw_float32 is low, place
