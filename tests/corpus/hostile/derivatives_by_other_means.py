"""Gradients that autograd or differences compute instead of the chain rule."""
# rows: forbidden
# unlocked: safe
# stopped from: none

import torch
import torch.nn.functional as F

# === autograd_in_disguise: Asks for autograd under computed names, on the quiet, and falls back to a guess.
# stopped from: weak

ways = [getattr(getattr(torch, "auto" + "grad"), "gr" + "ad")]


def dlogits(logits, Yb, n):
    given = logits.clone().requires_grad_()
    try:
        with torch.enable_grad():
            return ways[0](F.cross_entropy(given, Yb), given)[0]
    except BaseException:
        return F.softmax(logits, 1)

# === complex_step: A derivative from the imaginary part of a complex forward pass: exact, and not the chain rule.
# rows of in_one_go: forbidden
# message: (numerical differentiation), so this gradient is not counted

def dlogits(logits, Yb, n):
    gradient, step = torch.zeros_like(logits), 1e-20 if logits.dtype == torch.float64 else 1e-10
    for place in range(logits.numel()):
        moved = logits.to(torch.complex128).clone()
        moved.view(-1)[place] += 1j * step
        largest = moved.real.max(1, keepdim=True).values
        logprobs = moved - largest - (moved - largest).exp().sum(1, keepdim=True).log()
        gradient.view(-1)[place] = -logprobs[range(n), Yb].mean().imag / step
    return gradient

# === finite_differences: Differences of the forward pass instead of a derivative: right to eleven digits, and not
#     the chain rule.
# rows of in_one_go: forbidden
# message: (numerical differentiation), so this gradient is not counted

def dlogits(logits, Yb, n):
    gradient, step = torch.zeros_like(logits), 1e-3
    for column in range(logits.shape[1]):
        total = 0.0
        for factor, times in ((1 / 280, -4), (-4 / 105, -3), (1 / 5, -2), (-4 / 5, -1)):
            for sign in (1, -1):
                moved = logits.clone()
                moved[:, column] += sign * times * step
                total += sign * factor * F.cross_entropy(moved, Yb, reduction="none")
        gradient[:, column] = total / step / n
    return gradient

# === own_tape: A small autograd of the student's own, with derivatives written by hand: that is the exercise.
# rows: passed
# rows of in_one_go: passed
# stopped from: never

print("GOT THROUGH without autograd")


class Value:
    def __init__(self, data, parents=()):
        self.data, self.parents, self.grad = data, parents, 0.0

    def go_back(self):
        for parent, slope in self.parents:
            parent.grad = parent.grad + slope * self.grad
            parent.go_back()


def dlogits(logits, Yb, n):
    given = Value(logits)
    loss = Value(0.0, [(given, (F.softmax(logits, 1) - F.one_hot(Yb, logits.shape[1])) / n)])
    loss.grad = torch.ones((), dtype=logits.dtype)
    loss.go_back()
    return given.grad
