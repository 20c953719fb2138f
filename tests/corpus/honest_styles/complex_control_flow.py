"""with, while, generators, conditional expressions, class attributes, global counters."""

import contextlib

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


def dlogit_maxes(dnorm_logits):
    with counted() as count:
        assert count > 0
        return Rules.of("neg")(dnorm_logits.sum(1, keepdim=True)) * Rules().grad


def dcounts_sum_inv(dprobs, counts):
    return torch.stack([(a * b).sum().reshape(1) for a, b in rows(dprobs, counts)])


def db2(dlogits):
    columns = iter(dlogits.T)
    return torch.stack([next(columns).sum() if dlogits.numel() else torch.zeros(()) for _ in range(dlogits.shape[1])])
