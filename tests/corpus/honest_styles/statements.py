"""Every kind of statement: with, while, match, loops, generators, try, assert, print, warnings, global counters."""

import contextlib
import sys
import traceback
import warnings

import torch

calls = 0


@contextlib.contextmanager
def counted():
    global calls
    calls += 1
    yield calls


class Rules:
    negative = staticmethod(lambda g: -g)
    table = {"neg": negative}

    @classmethod
    def of(cls, name):
        return cls.table[name].__func__

    @property
    def grad(self):
        return 1.0


def rows(*tensors):
    i = 0
    while i < tensors[0].shape[0]:
        yield tuple(t[i] for t in tensors)
        i += 1


def rule(operation, upstream, *values):
    match (operation, values):
        case ("log", [x]):
            return upstream / x
        case ("tanh", [h]) if h.dim() == 2:
            return upstream * (1 - h**2)
        case {"grad": grad, **backward}:
            return grad, backward
        case _:
            raise ValueError(operation)


def dprobs(dlogprobs, probs):
    try:
        result = rule("log", dlogprobs, probs)
    except Exception:
        traceback.print_exc()
        raise
    finally:
        print("dprobs", dlogprobs.shape, probs[:1], probs.mean().item(), file=sys.stderr)
    assert torch.isfinite(result).all(), "log of zero?"
    return result


def dcounts_sum_inv(dprobs, counts):
    return torch.stack([(a * b).sum().reshape(1) for a, b in rows(dprobs, counts)])


def dlogit_maxes(dnorm_logits):
    with counted() as count:
        assert count > 0
        return Rules.of("neg")(dnorm_logits.sum(1, keepdim=True)) * Rules().grad


def dh(dlogits, W2):
    try:
        return dlogits @ W2
    except RuntimeError as error:
        warnings.warn(f"shapes: {error}", stacklevel=2)
        return dlogits @ W2.T


def dW2(dlogits, h):
    out = torch.zeros(h.shape[1], dlogits.shape[1], dtype=dlogits.dtype)
    for i in range(h.shape[0]):
        for j in range(h.shape[1]):
            for k in range(dlogits.shape[1]):
                out[j, k] += h[i, j] * dlogits[i, k]
    return out


def db2(dlogits):
    columns = iter(dlogits.T)
    return torch.stack([next(columns).sum() if dlogits.numel() else torch.zeros(()) for _ in range(dlogits.shape[1])])


def dhpreact(dh, h):
    return rule("tanh", dh, h)


def dC(demb, C, Xb):
    dC = torch.zeros_like(C)
    for k in range(Xb.shape[0]):
        for j in range(Xb.shape[1]):
            ix = Xb[k, j]
            dC[ix] += demb[k, j]
    return dC
