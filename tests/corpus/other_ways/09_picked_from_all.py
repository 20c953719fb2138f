"""The checkpoints are picked from all activations, which are collected first."""
# lesson: 09
# fails: checkpoints, memory, release, recomputation


def checkpoints(x, weights, every):
    h = [x]
    for W in weights[:-1]:
        h.append(torch.tanh(h[-1] @ W))
    return h[::every]
