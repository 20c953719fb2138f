"""The public examples that `dojo check 01` runs: small numbers that you can check by hand, and autograd's answers.

The hidden test suite uses other numbers and more cases.
"""

import torch
import torch.nn.functional as F


def numbers(values):
    return torch.tensor(values, dtype=torch.float64)


def slopes(function, *values, upstream=None):
    """Autograd's gradient of `function` with respect to each of `values`."""
    with torch.enable_grad():
        leaves = [value.clone().requires_grad_() for value in values]
        return torch.autograd.grad(function(*leaves), leaves, upstream)


def test_backward(check):
    x, W, b = numbers([[1.0, -2.0], [0.5, 0.0], [2.0, 1.0]]), numbers([[0.3], [-0.6]]), numbers([0.2])
    expected = slopes(lambda x, W, b: torch.tanh(x @ W + b).sum(), x, W, b)
    z = x @ W + b
    answer = check.on.call("backward", x, W, b, torch.tanh(z), z)
    if isinstance(answer, (tuple, list)) and len(answer) == 3:
        answer = dict(zip(("dW", "db", "dx"), answer, strict=True))
    dx, dW, db = expected
    check.equals(answer, {"dW": dW, "db": db, "dx": dx})


def through(check, name, operation):
    a, b, dy = 2.0, -3.0, 7.0
    da, db = check.entries(("da", "db"), name, a, b, dy)
    expected = slopes(operation, numbers(a), numbers(b), upstream=numbers(dy))
    check.equals({"da": da, "db": db}, dict(zip(("da", "db"), expected, strict=True)))


def test_through_add(check):
    through(check, "through_add", torch.add)


def test_through_multiply(check):
    through(check, "through_multiply", torch.mul)


def test_nonzero_places(check):
    labels = torch.tensor([2, 0, 2])
    (gradient,) = slopes(lambda logprobs: F.nll_loss(logprobs, labels), numbers([[-1.0] * 4] * 3))
    found = check.on.call("nonzero_places", labels, 4)
    check.equals(found, gradient != 0)


def test_closed_share(check):
    h = numbers([[0.99, -0.95, 0.5, 0.1], [-0.5, 0.0, 0.6, -0.2]])
    shares = {0.9: 0.25, 0.5: 0.375, 0.25: 0.625}  # above 0.9 are two of eight; at the threshold a gate is open
    found = {f"the share above {threshold}": check.on.call("closed_share", h, threshold) for threshold in shares}
    check.equals(found, dict(zip(found, shares.values(), strict=True)))


def test_mean_gate(check):
    found, expected = {}, {}
    for name, z in {"of three": numbers([[0.0, 1.0, -2.0]]), "of four": numbers([[0.3, -0.1], [4.0, 0.5]])}.items():
        (gates,) = slopes(lambda z: torch.tanh(z).sum(), z)
        found[name], expected[name] = check.on.call("mean_gate", torch.tanh(z)), float(gates.mean())
    check.equals(found, expected)


def test_push_and_pull(check):
    labels = torch.tensor([1, 2])  # the last class is the label of none
    push, pull = check.entries(("push", "pull"), "push_and_pull", numbers([[0.0] * 4] * 2), labels)
    check.equals({"push, for equal logits": push}, {"push, for equal logits": numbers([[0.25] * 4] * 2)})
    check.equals({"pull": pull.double()}, {"pull": numbers([[0, 1, 0, 0], [0, 0, 1, 0]])})
    logits = numbers([[1.0, 0.0, -2.0, 3.0], [0.5, 0.5, 1.0, -1.0]])
    push, pull = check.on.call("push_and_pull", logits, labels)
    (gradient,) = slopes(lambda logits: F.cross_entropy(logits, labels, reduction="sum"), logits)
    check.equals({"push - pull": push - pull}, {"push - pull": gradient})


def test_accumulation_factor(check):
    tokens = torch.tensor([[5, 2, 5], [1, 5, 0], [5, 5, 4]])
    found = {f"the factor of token {token}": check.on.call("accumulation_factor", tokens, token) for token in (5, 1, 3)}
    check.equals(found, dict(zip(found, (5, 1, 0), strict=True)))
