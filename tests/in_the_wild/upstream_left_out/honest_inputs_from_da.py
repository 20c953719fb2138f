"""dx from da: dz is skipped, and da is used.

lesson: 01
dx: passed | = Right, but it skips a step: it is computed from gradients further up than the next one.
"""


def dx(da, z, W):
    return torch.einsum("ij,kj->ik", da / torch.cosh(z) ** 2, W)
