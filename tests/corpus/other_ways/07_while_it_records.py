"""Trains without `torch.no_grad()`."""
# lesson: 07
# fails: no_grad


def train(parameters, X, Y, batches, max_steps, start=0):
    losses = []
    for step, ix in enumerate(batches, start):
        loss, slopes = gradients(parameters, X[ix], Y[ix])
        update(parameters, slopes, learning_rate(step, max_steps))
        losses.append(loss.item())
    return losses
