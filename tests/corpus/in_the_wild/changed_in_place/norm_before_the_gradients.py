"""The two results of `clip` in the other order.

lesson: 16
clip: shape | = `clip` returned a tuple of 2 (5.77985164, a dict); expected a tuple of 2 (a dict, a number).
"""

def clip(gradients, most):
    norm = torch.sqrt(sum((g ** 2).sum() for g in gradients.values()))
    scale = min(1, most / (norm + 1e-6))
    return norm, {n: g * scale for n, g in gradients.items()}
