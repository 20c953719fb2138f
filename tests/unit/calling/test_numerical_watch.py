"""Numerical differentiation is seen while a function runs, however it is written; odd code that is right is not."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from grader.calling.answer import Answer, Seen
from grader.calling.numerical_watch import NumericalWatch, watched
from grader.calling.operators import OperatorWatch
from grader.calling.plain_functions import is_plain
from grader.calling.steps import StepInput, call_step

# {name: (method, text)}: what makes the difference or the complex number is found by no reading of the text
HIDDEN = {
    "complex_in_numpy": (
        "complex numbers",
        """
import numpy as np

def dnorm_logits(dcounts, norm_logits):
    step = 2.0 ** (-len("x" * 60))
    z = norm_logits.numpy() + np.array((-1,), dtype="c" + "16") ** 0.5 * step
    return dcounts * torch.from_numpy(getattr(vars(np)["e" + "xp"](z), "im" + "ag") / step)
""",
    ),
    "helper_of_a_helper": (
        "differences",
        """
class Probe:
    def __init__(self, function, size):
        self.function, self.size = function, size

    def __getitem__(self, moved):
        return self.function(moved)

def walk(probe, start):
    ends = [start * probe.size**k for k in (2, 1, -1, -2)]
    a, b, c, d = map(probe.__getitem__, ends)
    u = len("x" * 7) * probe.size
    return (u * (b - c) - (a - d)) / start

def dprobs(dlogprobs, probs):
    f = getattr(torch, "lo" + "g")
    first = walk(Probe(f, 1 + 2.0 ** -len("x" * 9)), probs)
    scale = walk(Probe(f, 1 + 2.0 ** -len("x" * 9)), torch.ones_like(probs))
    return dlogprobs * first / scale
""",
    ),
    "all_steps_in_one_batch": (
        "differences",
        """
def dhpreact(dh, hpreact):
    size = 1 / len("x" * 400)
    grid = torch.arange(-4, 5, dtype=hpreact.dtype)[:, None, None] * size
    known = torch.tensor([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280], dtype=hpreact.dtype)
    return dh * torch.einsum("k,kij->ij", known, getattr(torch, "ta" + "nh")(hpreact + grid)) / size
""",
    ),
    "one_number_at_a_time": (
        "differences",
        """
import math

def dhpreact(dh, hpreact):
    f, out, size = getattr(math, "ta" + "nh"), torch.zeros_like(hpreact), 1 / len("x" * 1000)
    for i, row in enumerate(hpreact.tolist()):
        for j, p in enumerate(row):
            d = [f(p + k * size) - f(p - k * size) for k in (1, 2, 3)]
            out[i, j] = (45 * d[0] - 9 * d[1] + d[2]) / 60 / size * dh[i, j].item()
    return out
""",
    ),
}

# Right, and not to be recorded.
HONEST = {
    "loop_over_numbers": """
import math

def dprobs(dlogprobs, probs):
    out = torch.zeros_like(probs)
    for i in range(probs.shape[0]):
        for j in range(probs.shape[1]):
            out[i, j] = dlogprobs[i, j] * math.exp(-math.log(probs[i, j].item()))
    return out
""",
    "with_and_without_epsilon": """
def dbnvar(dbnvar_inv, bnvar):
    std, safe = bnvar.sqrt(), (bnvar + 1e-5).sqrt()
    if not torch.isfinite(1 / std).all():
        print("a variance of zero")
    return -0.5 * dbnvar_inv / (safe * safe * safe)
""",
    "comparison_is_printed": """
import numpy as np

def dprobs(dlogprobs, probs):
    z = probs.numpy() + 1e-20j
    print("by a complex step", np.abs(np.log(z).imag / 1e-20 - (1 / probs).numpy()).max())
    h = 1e-4
    near = (torch.log(probs + h) - torch.log(probs - h)) / (2 * h)
    print("by differences", (near - 1 / probs).abs().max().item())
    return dlogprobs / probs
""",
    "dual_numbers_as_blocks_of_large_values": """
def dW2(dlogits, h, W2):
    g, zero, row = torch.zeros_like(W2), torch.zeros_like(W2), torch.cat([h, torch.zeros_like(h)], 1)
    for place in ((i, j) for i in range(W2.shape[0]) for j in range(W2.shape[1])):
        unit = torch.zeros_like(W2)
        unit[place] = 1
        both = row @ torch.cat([torch.cat([100 * W2, unit], 1), torch.cat([zero, 100 * W2], 1)])
        g[place] = (dlogits * both[:, W2.shape[1] :]).sum()
    return g
""",
    "forward_pass_in_every_row": """
def dlogits(dnorm_logits, dlogit_maxes, logits):
    out = torch.zeros_like(logits)
    for i in range(len(logits)):
        p = (logits - logits.max(1, keepdim=True).values).exp()
        p = p * p.sum(1, keepdim=True) ** -1
        onehot = F.one_hot(logits.max(1).indices, num_classes=logits.shape[1])
        out[i] = (dnorm_logits + onehot * dlogit_maxes + 0 * p)[i]
    return out
""",
}


def tensors(*names: str) -> dict[str, torch.Tensor]:
    """Numbers from 0.05 to 0.95: the logarithm of each is finite."""
    generator = torch.Generator().manual_seed(1)
    return {name: torch.rand(8, 6, generator=generator, dtype=torch.float64) * 0.9 + 0.05 for name in names}


VALUES: dict[str, Any] = tensors("hpreact", "probs", "norm_logits", "bnvar", "counts_sum", "h", "W2", "logits")
VALUES |= {"Yb": torch.arange(8) % 6, "W2": VALUES["W2"][:6]}
UPSTREAM = tensors("h", "logprobs", "counts", "bnvar_inv", "counts_sum_inv", "logits", "norm_logits", "logit_maxes")


def seen_in(text: str) -> Seen | None:
    names: dict[str, Any] = {"torch": torch, "F": F}
    exec(text, names)
    step = [name for name in names if name[1:] in VALUES and callable(names[name])][-1]
    given = VALUES | {"logit_maxes": VALUES["logits"].max(1, keepdim=True).values}
    upstream = UPSTREAM | {"logit_maxes": UPSTREAM["logit_maxes"][:, :1]}

    def call(watch: OperatorWatch) -> dict[str, Answer]:
        return {step: call_step(names[step], step, StepInput(given, upstream, torch.float64, watch=watch))}

    answer = watched(call, NumericalWatch(100_000, names))[step]
    assert answer.outcome == "returned", answer.message
    return answer.seen


def test_what_the_text_hides_is_seen():
    for name, (method, text) in HIDDEN.items():
        seen = seen_in(text)
        assert seen is not None and seen.method == method, name
        assert (seen.operator in ("tanh", "log")) == (method == "differences") and seen.times > 0, name


def test_a_curved_function_that_is_evaluated_once_needs_no_watch():
    def under_another_name(x, n):
        exp = torch.exp
        return (exp(x + 1 / n**4) - exp(x)) * n**4

    def of_a_filled_tensor(x, n):
        steps = x.new_zeros(2)
        steps[0] = 1 / n**4
        return torch.exp(x[..., None] + steps).diff() * n**4

    plain = [
        lambda dcounts, norm_logits: dcounts * norm_logits.exp(),
        lambda x, n: -0.5 * (x + 1e-5).rsqrt() ** 3 / n,
    ]
    others = [
        lambda x, n: (torch.exp(x + 1 / n**4) - torch.exp(x)) * n**4,
        lambda x, n: torch.stack([x, x + 1 / n**4]).exp().diff(),
        lambda x: (x + 1e-6).log(),
        lambda x, f: f(x).tanh().backward(),
        under_another_name,
        of_a_filled_tensor,
    ]
    assert all(map(is_plain, plain))
    assert not any(map(is_plain, others))


def test_a_loop_over_a_curved_function_is_watched():
    def walks(x, n):
        total = 0.0
        for i in range(n):
            total = total + torch.tanh(x + i)
        return total

    assert not is_plain(walks)


def test_right_code_is_not_recorded():
    assert {name: seen for name, text in HONEST.items() if (seen := seen_in(text)) is not None} == {}
