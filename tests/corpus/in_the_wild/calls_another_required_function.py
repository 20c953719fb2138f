# === always_in_clipping: Short gradients are made longer, and zeros are divided by zero.
# lesson: 10
# clip_by_norm: failed | = Short gradients are made longer here. If the norm is below the limit, nothing changes.

def gradient_norms(gradients):
    """How large each layer's gradient is: the root of the sum of the squares of all its elements.

    gradients: a list of tensors of any shapes. Returns a list of numbers, in the same order.
    """
    return [gradient.pow(2).sum().sqrt().item() for gradient in gradients]


def clip_by_norm(gradients, limit):
    norm = torch.cat([g.flatten() for g in gradients]).norm()
    return [g * limit / norm for g in gradients]
