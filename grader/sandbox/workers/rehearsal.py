"""What honest code does, done in advance: what Python and torch load and set up at first use is then there.

A worker can load nothing of torch (loader.py) and read no file such as cpuinfo, and a student would wait for it.
"""

from __future__ import annotations

import contextlib
from types import ModuleType
from typing import Any

import torch

from grader.calling.operators import OperatorWatch
from grader.calling.steps import StepInput, call_step
from grader.sandbox.workers.loader import run_source, seed_generators
from grader.sandbox.workers.messages import encode_reply

REHEARSAL = b"""
import copy
import pickle
import numpy
import torch
import torch.nn.functional as F


def dx(x, dy, i):
    n, m = x.shape
    gradient = F.softmax(x, 1)
    gradient[range(n), i] -= 1
    shifted = x - x.max(1, keepdim=True).values
    counts = shifted.exp()
    probs = counts / counts.sum(1, keepdim=True)
    logs = (probs + 1e-5).log()
    picked = torch.zeros_like(logs)
    picked[torch.arange(n), i] = -1.0 / n
    picked.index_put_((i,), picked, accumulate=True)
    centred = x - x.mean(0, keepdim=True)
    scaled = centred * (centred.var(0, keepdim=True) + 1e-5) ** -0.5
    hidden = torch.tanh(scaled @ x.T @ x + dy)
    slope = (1.0 - hidden**2) * dy
    rows = torch.zeros(n, m).index_add_(0, i, slope)
    chosen = F.one_hot(x.max(1).indices, num_classes=m) * slope.sum(1, keepdim=True)
    parts = slope.view(1, n, m).permute(0, 2, 1).reshape(m, n).T.clone()
    masked = torch.where(x > 0, slope, torch.zeros_like(x)).masked_fill(torch.tril(torch.ones(n, m)) == 0, 0.0)
    more = torch.einsum("ij,ik->jk", x, slope) + x.T @ slope + slope.sum() * torch.ones(m, m)
    stacked = torch.cat([parts, masked], 1)[:, :m] - (-rows).sqrt().nan_to_num() * 2.0 / n
    F.cross_entropy(x, i), x.log_softmax(1), x.numpy(), torch.allclose(x, x), x.norm(), torch.vmap(torch.tanh)(x)
    return gradient * dy.sum(0, keepdim=True) / 4 + (stacked + chosen + picked) @ more


def prints(x):
    repr(x), f"{x[0, 0]:.2f}", copy.deepcopy(x), pickle.loads(pickle.dumps(x)), torch.testing.assert_close(x, x)


def trains(x):
    layer = torch.nn.Linear(5, 5, dtype=x.dtype)
    layer(x), repr(layer), copy.deepcopy(layer), layer.state_dict()
    for parameter in layer.parameters():
        parameter.grad = torch.zeros_like(parameter)
    torch.optim.SGD(layer.parameters()).step()
    torch.optim.Adam(layer.parameters()).step()


def draws(x):
    torch.distributions.Normal(x, 1.0), torch.randn(8, 8), torch.use_deterministic_algorithms(False)


def asks(x):
    with torch.device("cpu"):
        torch.zeros(1)


def runs_again(x):
    torch.utils.checkpoint.checkpoint(torch.tanh, x, use_reentrant=False)
"""


def rehearse() -> None:
    """Run a file of our own as a student's is run. Call it in the zygote before and after anything is taken away."""
    seed_generators()
    module: Any = ModuleType("rehearsal")
    run_source(module, "rehearsal.py", REHEARSAL)
    for dtype in (torch.float32, torch.float64):
        values = {"x": torch.zeros(4, 5, dtype=dtype), "i": torch.arange(4)}
        for _ in range(3):
            upstream = {"y": torch.ones(4, 5, dtype=dtype)}
            given = StepInput(values, upstream, dtype, ("rehearsal.py",), OperatorWatch(cap=1000))
            answer = call_step(module.dx, "dx", given)
            encode_reply([("dx", answer)], 0)
        for use in (module.prints, module.trains, module.draws, module.asks, module.runs_again):
            for watch in (contextlib.nullcontext(), OperatorWatch(cap=10_000)):
                with contextlib.suppress(Exception), watch:  # another version of torch
                    use(values["x"])
