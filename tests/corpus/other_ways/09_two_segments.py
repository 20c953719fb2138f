"""Holds the activations of the last two segments."""
# lesson: 09
# fails: release


def backward_checkpointed(x, weights, dout, every):
    kept, gradients, before = checkpoints(x, weights, every), [], None
    for number in reversed(range(len(kept))):
        segment = weights[number * every : (number + 1) * every]
        h = [kept[number]]
        for W in segment:
            h.append(torch.tanh(h[-1] @ W))
        for i in reversed(range(len(segment))):
            dz = dout * (1 - h[i + 1] ** 2)
            gradients.insert(0, h[i].T @ dz)
            dout = dz @ segment[i].T
        before = h  # noqa: F841
    return dout, gradients
