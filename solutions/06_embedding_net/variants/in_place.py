"""Right, and thrifty: it overwrites what it is given as soon as that is no longer needed. Nobody else reads it."""

import torch


def backward(probs, h, xhat, var, embcat, emb, Xb, Yb, n, eps, C, W, gamma, W2):
    probs[range(n), Yb] -= 1
    probs /= n
    dlogits = probs
    dW2 = torch.mm(h.t(), dlogits)
    db2 = dlogits.sum(0)

    gradient = torch.mm(dlogits, W2.t())
    h.square_().neg_().add_(1)
    gradient *= h

    dbeta = gradient.sum(0)
    dgamma = (gradient * xhat).sum(0)
    gradient -= dbeta / n
    xhat *= dgamma / n
    gradient -= xhat
    var += eps
    gradient *= gamma
    gradient /= var.sqrt_()

    dW = torch.mm(embcat.t(), gradient)
    db = gradient.sum(0)
    emb.copy_(torch.mm(gradient, W.t()).view_as(emb))
    dC = C.zero_()
    dC.index_put_((Xb,), emb, accumulate=True)
    return (dW2, db2), (dgamma, dbeta), (dW, db), (emb, dC)


def cmp(mine, reference):
    if mine.shape != reference.shape:
        return False, False, None
    mine -= reference
    mine.abs_()
    maxdiff = float(mine.max())
    mine -= 1e-8 + 1e-5 * reference.abs()
    return maxdiff == 0, bool((mine <= 0).all()), maxdiff


def compare_all(gradients, references, atol=1e-5):
    matches, wrong = {}, 0
    for name, reference in references.items():
        mine = gradients.get(name)
        matches[name] = False
        if mine is not None and mine.shape == reference.shape:
            mine -= reference
            matches[name] = bool((mine.abs_() <= atol + 1e-5 * reference.abs_()).all())
        wrong += not matches[name]
    return wrong == 0, matches
