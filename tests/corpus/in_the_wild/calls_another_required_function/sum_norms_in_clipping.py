"""The sum of the tensors' norms.

lesson: 10
clip_by_norm: failed | = You add up the norms of the tensors. The norm of all elements together is smaller: the *squares* add up.
others: passed
"""


def gradient_norms(gradients):
    """How large each layer's gradient is: the root of the sum of the squares of all its elements.

    gradients: a list of tensors of any shapes. Returns a list of numbers, in the same order.
    """
    return [gradient.pow(2).sum().sqrt().item() for gradient in gradients]


def clip_by_norm(gradients, limit):
    norm = sum(gradient_norms(gradients))
    if norm > limit:
        return [g * (limit / norm) for g in gradients]
    return gradients
