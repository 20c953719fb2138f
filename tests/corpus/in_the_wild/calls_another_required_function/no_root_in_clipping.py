"""The sum of all squares, which is compared with the limit as well.

lesson: 10
clip_by_norm: failed | = This is the sum of all squares. Is a root missing?
others: passed
"""


def gradient_norms(gradients):
    """How large each layer's gradient is: the root of the sum of the squares of all its elements.

    gradients: a list of tensors of any shapes. Returns a list of numbers, in the same order.
    """
    return [gradient.pow(2).sum().sqrt().item() for gradient in gradients]


def clip_by_norm(gradients, limit):
    norm = sum((g**2).sum() for g in gradients)
    if norm > limit:
        return [g * (limit / norm) for g in gradients]
    return gradients
