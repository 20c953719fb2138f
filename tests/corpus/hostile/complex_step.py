"""A derivative from the imaginary part of a complex forward pass: exact, and not the chain rule."""
# group: derivatives by other means
# rows: forbidden
# rows of in_one_go: forbidden
# message: (numerical differentiation), so this gradient is not counted
# stopped from: none
# unlocked: safe

import torch


def dlogits(logits, Yb, n):
    gradient, step = torch.zeros_like(logits), 1e-20 if logits.dtype == torch.float64 else 1e-10
    for place in range(logits.numel()):
        moved = logits.to(torch.complex128).clone()
        moved.view(-1)[place] += 1j * step
        largest = moved.real.max(1, keepdim=True).values
        logprobs = moved - largest - (moved - largest).exp().sum(1, keepdim=True).log()
        gradient.view(-1)[place] = -logprobs[range(n), Yb].mean().imag / step
    return gradient
