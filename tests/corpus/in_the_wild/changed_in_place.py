# === norm_before_the_gradients: The two results of `clip` in the other order.
# lesson: 16
# clip: shape | = `clip` returned a tuple of 2 (5.77985164, a dict); expected a tuple of 2 (a dict, a number).

def clip(gradients, most):
    norm = torch.sqrt(sum((g ** 2).sum() for g in gradients.values()))
    scale = min(1, most / (norm + 1e-6))
    return norm, {n: g * scale for n, g in gradients.items()}

# === state_of_a_tile: The running state of a tile is changed in place.
# lesson: 19
# add_tile: failed | afterwards`: it has been changed. Start from a `.clone()` of it.

def add_tile(m, l, acc, scores, V):
    largest = torch.maximum(m, scores.amax(1))
    shrink = torch.exp(m - largest)
    weights = scores.sub_(largest[:, None]).exp_()
    l *= shrink
    l += weights.sum(1)
    acc *= shrink[:, None]
    acc += weights @ V
    m[:] = largest
    return m, l, acc
