"""Functions in every form: closures, decorators, lambdas, partial ones, recursive ones, a table, defaults and stars."""

import functools
import operator

import torch

POWER = -2.0
BRANCHES = {"sum": lambda g, like: torch.ones_like(like) * g}
BRANCHES["product"] = lambda g, other: g * other


def make_reduce(axis):
    def reduce(gradient):
        return gradient.sum(axis, keepdim=True)

    return reduce


over_columns = make_reduce(1)


def same_shape_as(name):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            result = function(*args, **kwargs)
            assert result.shape == kwargs[name].shape, f"{function.__name__}: {result.shape} is not {kwargs[name].shape}"
            return result

        return wrapper

    return decorate


@functools.lru_cache(maxsize=None)
def minus_one_over(n):
    return -1.0 / n


@same_shape_as("logprobs")
@torch.no_grad()
def dlogprobs(logprobs, Yb, n):
    out = torch.zeros_like(logprobs)
    out[range(n), Yb] = minus_one_over(n)
    return out


dprobs = lambda dlogprobs, probs: dlogprobs / probs


def dcounts_sum_inv(dprobs, counts):
    return over_columns(counts * dprobs)


def dcounts_sum(dcounts_sum_inv, counts_sum, power=POWER):
    return -(counts_sum**power) * dcounts_sum_inv


def dcounts(dprobs, dcounts_sum, *, counts_sum_inv, counts):
    branches = []

    def add(branch):
        nonlocal branches
        branches = [*branches, branch]

    add(BRANCHES["product"](dprobs, counts_sum_inv))
    add(BRANCHES["sum"](dcounts_sum, counts))
    return sum(branches)


def dlogits(dnorm_logits, dlogit_maxes, logits):
    first, *rest = dnorm_logits.clone(), (logits == (biggest := logits.max(1, keepdim=True).values)).to(logits.dtype)
    assert biggest.shape == dlogit_maxes.shape
    return first + [one * dlogit_maxes for one in rest][0]


def _matmul(dlogits, h):
    return operator.matmul(h.T, dlogits)


dW2 = functools.partial(_matmul)


def tree_sum(rows):
    if len(rows) == 1:
        return rows[0]
    middle = len(rows) // 2
    return tree_sum(rows[:middle]) + tree_sum(rows[middle:])


def db2(dlogits):
    return tree_sum(list(dlogits.unbind(0)))


def dbngain(dhpreact, bnraw, bngain):
    return of_product(dhpreact, bnraw, bngain.shape)


def of_product(upstream, other, shape):
    return unbroadcast(upstream * other, shape)


def unbroadcast(gradient, shape):
    """Sum over the axes that broadcasting stretched."""
    for axis, size in enumerate(shape):
        if size == 1:
            gradient = gradient.sum(axis, keepdim=True)
    return gradient
