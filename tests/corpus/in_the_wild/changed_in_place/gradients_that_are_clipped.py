"""`clip` scales the gradients that it was given.

lesson: 16
clip: failed | = The gradients that you were given have changed. Return new tensors.
"""

def clip(gradients, most):
    norm = sum(g.pow(2).sum() for g in gradients.values()) ** 0.5
    if norm > most:
        for g in gradients.values():
            g.mul_(most / norm)
    return gradients, norm
