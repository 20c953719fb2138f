"""The norm of the largest tensor.

lesson: 10
clip_by_norm: failed | = You use the norm of the largest tensor. All elements of all tensors count.
others: passed
"""


def gradient_norms(gradients):
    """How large each layer's gradient is: the root of the sum of the squares of all its elements.

    gradients: a list of tensors of any shapes. Returns a list of numbers, in the same order.
    """
    return [gradient.pow(2).sum().sqrt().item() for gradient in gradients]


def clip_by_norm(gradients, limit):
    norm = max(gradient_norms(gradients))
    if norm > limit:
        return [g * (limit / norm) for g in gradients]
    return [g.clone() for g in gradients]
