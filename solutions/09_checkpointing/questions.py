"""Proofs of the keys in questions.toml: each number again, by trying all spacings or by simulating the two passes."""

import math


def kept(d, k):
    return d / k + k


def best(r, d):
    return min(range(1, d + 1), key=lambda k: kept(d, k))


def fewest(r, d):
    return min(kept(d, k) for k in range(1, d + 1))


def with_spacing(k, s, d):
    checkpoints = list(range(0, d, k))
    segment = range(checkpoints[-1], d)
    return len(checkpoints) + len(segment)


def second_runs(d):
    evaluations = [1] * d
    for layer in range(d):
        evaluations[layer] += 1
    return sum(evaluations)


def saved_layers(k, s, e, n):
    return math.ceil(n / k)


def two_levels(r):
    outer, inner, innermost = range(0, r**3, r * r), range(0, r * r, r), range(r)
    return len(outer) + len(inner) + len(innermost)
