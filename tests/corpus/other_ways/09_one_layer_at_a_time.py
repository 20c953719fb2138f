"""Keeps nothing: every layer runs the network again from the start."""
# lesson: 09
# fails: recomputation


def backward_checkpointed(x, weights, dout, every):
    gradients = []
    for i in reversed(range(len(weights))):
        before = forward(x, weights[:i])
        dz = dout * (1 - torch.tanh(before @ weights[i]) ** 2)
        gradients.insert(0, before.T @ dz)
        dout = dz @ weights[i].T
    return dout, gradients
