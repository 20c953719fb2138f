"""A right answer with a numerical check beside it, whose result is only printed.

lesson: 03
"""


def dhpreact(dh, h, hpreact):
    gradient = (1 - h**2) * dh
    eps = 1e-6
    numerical = (torch.tanh(hpreact + eps) - torch.tanh(hpreact - eps)) / (2 * eps) * dh
    print("numerical check:", (gradient - numerical).abs().max().item() < 1e-6)
    return gradient
