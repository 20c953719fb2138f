"""Lesson 06: the whole backward pass in one function, from the loss to the embedding table.

This time you get no upstream gradients: no `dlogits`, no `dh`. You begin at the loss and compute every gradient
yourself, through the stages of `forward.py`. Give each inner gradient a name, and check its shape before you go on.

The two functions at the end compare your gradients with autograd's. When they are written, `python compare.py` runs
them on your own gradients.

Check as often as you like:  dojo check 06
"""

import torch
import torch.nn.functional as F


def backward(Xb, Yb, n, eps, C, W, b, gamma, beta, W2, b2, emb, embcat, x, mean, var, xhat, out, h, logits, probs):
    """The gradients of the loss with respect to all seven parameters, and to `emb`.

    The parameters are the inputs and all values of the forward pass. Delete those that you don't need. At the published
    sizes Xb is (32, 3) and Yb (32,), both int64; n is 32 and eps is 1e-5.

    Returns a dictionary with these keys, or a tuple in this order:

        "dW2" (64, 27), "db2" (27,), "dgamma" (64,), "dbeta" (64,), "dW" (30, 64), "db" (64,), "demb" (32, 3, 10),
        "dC" (27, 10)

    each of the dtype of the parameters and of the shape of its own value; None means: not written yet.
    """
    # <answer>
    # cross-entropy
    dlogits = F.softmax(logits, 1)
    dlogits[torch.arange(n), Yb] -= 1
    dlogits = dlogits / n
    # linear layer 2
    dW2 = h.T @ dlogits
    db2 = dlogits.sum(0)
    dh = dlogits @ W2.T
    # tanh
    dout = (1 - h**2) * dh
    # batch norm: scale and shift
    dgamma = (dout * xhat).sum(0)
    dbeta = dout.sum(0)
    dxhat = dout * gamma
    # batch norm: the normalisation, with the paths through mean and variance
    from_mean = dxhat.mean(0)
    from_variance = xhat * (dxhat * xhat).mean(0)
    dx = (dxhat - from_mean - from_variance) / torch.sqrt(var + eps)
    # linear layer 1
    dW = embcat.T @ dx
    db = dx.sum(0)
    dembcat = dx @ W.T
    # embedding
    demb = dembcat.view(emb.shape)
    dC = torch.zeros_like(C)
    dC.index_add_(0, Xb.view(-1), demb.reshape(-1, C.shape[1]))
    return {
        "dW2": dW2,
        "db2": db2,
        "dgamma": dgamma,
        "dbeta": dbeta,
        "dW": dW,
        "db": db,
        "demb": demb,
        "dC": dC,
    }
    # </answer>


def cmp(mine, reference):
    """Compare one gradient with autograd's, as the lecture's `cmp` does.

    mine:      the gradient that you computed, a tensor
    reference: what autograd left in `.grad`, a tensor

    Returns (exact, approximate, maxdiff).
    exact:       True if both have the same shape and every element is equal.
    approximate: True if both have the same shape and `torch.allclose` with its default tolerances says yes.
    maxdiff:     the largest |mine - reference| over all elements, a number. Infinity if the shapes differ. If there is
                 a NaN in `mine`, `maxdiff` is not graded.
    """
    # <answer>
    if mine.shape != reference.shape:
        return False, False, float("inf")
    exact = bool((mine == reference).all())
    approximate = torch.allclose(mine, reference)
    maxdiff = (mine - reference).abs().max().item()
    return exact, approximate, maxdiff
    # </answer>


def compare_all(gradients, references, atol=1e-5):
    """Compare all gradients of a network with autograd's.

    gradients:  a dict from names to tensors, the gradients that you computed, in any order. A gradient that is not
                written yet is None, or its name is missing.
    references: a dict from names to tensors, what autograd left in `.grad`
    atol:       the absolute tolerance for `torch.allclose`; the relative one is torch's default

    Returns (all_match, matches). `matches` has True or False for each name of `references`: True if your gradient has
    the reference's shape and is close to it. `all_match` is True if all of them are True.
    """
    # <answer>
    matches = {}
    for name, reference in references.items():
        mine = gradients.get(name)
        same_shape = mine is not None and mine.shape == reference.shape
        matches[name] = same_shape and torch.allclose(mine, reference, atol=atol)
    return all(matches.values()), matches
    # </answer>
