"""A file and a step of our own, run in advance so that a student does not wait for what is set up at first use."""

from __future__ import annotations

import torch

from grader.calling.operators import OperatorWatch
from grader.calling.steps import call_step
from grader.sandbox.workers.loader import forget, load, seed_generators
from grader.sandbox.workers.messages import ReplyTerms, encode_answer

REHEARSAL = b"""
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
    return gradient * dy.sum(0, keepdim=True) / 4 + (stacked + chosen + picked) @ more
"""


def rehearse() -> None:
    """Run a file and a step of our own: what Python and torch set up at first use is then there.

    The zygote does so once for all its workers.
    """
    seed_generators()
    module = load({"rehearsal.py": REHEARSAL}, "rehearsal.py").module
    for dtype in (torch.float32, torch.float64):
        values = {"x": torch.zeros(4, 5, dtype=dtype), "i": torch.arange(4)}
        for _ in range(3):
            upstream = {"y": torch.ones(4, 5, dtype=dtype)}
            answer = call_step(module.dx, "dx", values, upstream, dtype, ("rehearsal.py",), OperatorWatch(cap=1000))
            encode_answer("dx", answer, ReplyTerms(ticket=0))
    forget("rehearsal.py")
