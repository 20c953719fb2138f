"""`clip` scales the gradients that it was given.

lesson: 16
clip: failed | An argument has been changed in place: `the gradients afterwards.C` is not what it was before the call.
"""

def clip(gradients, most):
    norm = sum(g.pow(2).sum() for g in gradients.values()) ** 0.5
    if norm > most:
        for g in gradients.values():
            g.mul_(most / norm)
    return gradients, norm
