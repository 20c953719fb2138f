"""The matrix product is linear: a step of one gives its gradient exactly, and nothing shows it (docs/security.md).

lesson: 01
"""


def product(left, right):
    return left @ right


def dright(dmatmul, left, right):
    gradient = torch.zeros_like(right)
    for i in range(right.shape[0]):
        for j in range(right.shape[1]):
            up, down = right.clone(), right.clone()
            up[i, j] += 0.5
            down[i, j] -= 0.5
            gradient[i, j] = (dmatmul * (product(left, up) - product(left, down))).sum()
    return gradient
