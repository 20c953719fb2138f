"""Answers to rows without looking at what is asked."""

# === claims_by_eps: Looks only at eps: a usual step comes with a right gradient.
# lesson: 08
# fails: factors, one_element, shapes, scales, zero_gradients, kinks, bad_eps

def gradient_check(f, x, dx, eps=1e-5):
    return 1e-8 < eps < 1e-2, 0.0

# === claims_by_memory: Remembers all claims: the first one about a point is right, and so is one that it called right
#     before.
# lesson: 08
# fails: factors, one_element, shapes, scales, zero_gradients, kinks, bad_eps

known, points = {}, set()


def gradient_check(f, x, dx, eps=1e-5):
    claim, point = (x.tobytes(), dx.tobytes()), x.tobytes()
    if claim not in known:
        known[claim] = point not in points
        points.add(point)
    return known[claim], 0.0

# === claims_by_multiples: Remembers all claims about a point, and calls right the one of which the others are
#     multiples.
# lesson: 08
# fails: factors, one_element, shapes, scales, zero_gradients, kinks, bad_eps

import numpy as np

claims = {}


def gradient_check(f, x, dx, eps=1e-5):
    if dx.shape != x.shape or not np.isfinite(dx).all():
        return False, 1.0
    seen = claims.setdefault(x.tobytes(), [])
    seen.append(np.linalg.norm(dx))
    return bool(np.median(seen) == seen[-1]), 0.0

# === dead_units_by_habit: Calls the units dead that were dead once, 0 and 3, without looking.
# lesson: 10
# fails: dead_units

import torch

calls = []


def dead_units(h):
    calls.append(0)
    dead = torch.zeros(h.shape[1], dtype=torch.bool)
    kind = len(calls) % 3
    dead[[0, 3]] = kind == 1
    return dead if kind else ~dead

# === diagnoses_by_twins: Remembers all networks: of two with the same shapes and data, the second is healthy.
# lesson: 10
# fails: saturated, dead, vanishing, exploding, not_zeroed, not_averaged, forgotten_branch, ward

ILLNESSES = ["saturated", "dead", "vanishing", "exploding", "not zeroed", "not averaged", "forgotten branch"]

seen, calls = {}, []


def diagnose(report):
    calls.append(0)
    key = tuple(tuple(value.shape) for value in report["parameters"].values())
    seen[key] = seen.get(key, 0) + 1
    return "healthy" if seen[key] > 1 else ILLNESSES[len(calls) // 15 % 7]

# === numbers_by_a_counter: Every number and every gradient is how often one was asked for.
# lesson: 18
# fails: value_forward, value_gradients, value_graphs, value_detach, value_again, unbroadcast, tensor_elementwise,
#     tensor_broadcasting, tensor_sum, tensor_reshape, tensor_maximum, tensor_matmul, tensor_getitem, tensor_permute,
#     tensor_graphs, network, tensor_deep, value_deep, value_numbers, value_reflected, value_negation,
#     value_subtraction, value_division, value_power, value_tanh, value_exp, value_relu, value_zero_grad,
#     tensor_numbers, tensor_reflected, tensor_negation, tensor_subtraction, tensor_division, tensor_power,
#     tensor_tanh, tensor_exp, tensor_log, tensor_detach, tensor_again, tensor_zero_grad

import itertools

import torch

asked = itertools.count(1)


class Value:
    def __init__(self, data):
        self.shape = getattr(data, "shape", None)

    def next(self):
        number = float(next(asked))
        return number if self.shape is None else torch.full(self.shape, number, dtype=torch.float64)

    data = grad = property(next, lambda self, value: None)

    def same(self, *arguments, **keywords):
        return self

    __add__ = __radd__ = __mul__ = __rmul__ = __sub__ = __rsub__ = __truediv__ = __rtruediv__ = same
    __pow__ = __neg__ = __getitem__ = __matmul__ = tanh = exp = log = relu = detach = same
    reshape = permute = maximum = zero_grad = backward = same

    def sum(self, *arguments, **keywords):
        return type(self)(0.0)


class Tensor(Value):
    pass


def unbroadcast(gradient, shape):
    return torch.full(shape, float(next(asked)), dtype=gradient.dtype)

# === rates_by_the_step_alone: Looks only at the step, and knows the runs of 10, 100 and 200,000 steps.
# lesson: 07
# fails: learning_rate

LOW = {5, 9, 50, 60, 99, 100_000, 150_000}


def learning_rate(step, max_steps):
    return 0.01 if step in LOW else 0.1
