"""Each gradient is clipped by its own norm, and some stay as they are.

lesson: 16
clip: failed | = `b` is `gradients['b']` just as it was given: nothing has been done to it.
"""

def clip(gradients, most):
    out = {}
    for n, g in gradients.items():
        norm = g.norm()
        out[n] = g * most / norm if norm > most else g
    return out, norm
