"""Lesson 05: the gradient of batch norm as one expression, then by its parts, and then a whole layer of your own.

Each function returns the gradient with respect to one value of `forward.py`, in the shape of that value. Its parameters
are forward values (`bnraw`) and upstream gradients (`dhpreact`). The grader passes them by name. If you need another
one, add its name to the parameters. Return a new tensor, and do not change a parameter in place.

Start on paper. The expressions are short once you have collected like terms. Several lines of Python are fine, too.
The class at the end uses the formulas that you have found. It needs nothing from the functions above, only torch.

Check as often as you like:  dojo check 05
"""

import torch

# in one expression


def dhprebn(dhpreact, bngain, bnraw, bnvar_inv, n):
    """The gradient with respect to `hprebn`, of shape (32, 64).

    Where the forward pass reads it:

        bnmeani = 1 / n * hprebn.sum(0, keepdim=True)
        bndiff = hprebn - bnmeani
        bnvar = 1 / (n - 1) * (bndiff**2).sum(0, keepdim=True)
        bnvar_inv = (bnvar + 1e-5) ** -0.5
        bnraw = bndiff * bnvar_inv
        hpreact = bngain * bnraw + bnbias
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dh(dh_bn, gamma, h_norm, h_var, N):
    """The gradient with respect to `h`, of shape (4, 20).

    Where the forward pass reads it:

        h_mean = h.mean(0)
        h_var = h.var(0, unbiased=False)
        h_norm = (h - h_mean) / (h_var + 1e-5).sqrt()
        h_bn = gamma * h_norm + beta
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


# by its parts


def dxhat(dout, scale):
    """The gradient with respect to `xhat`, of shape (6, 5).

    Where the forward pass reads it:

        out = scale * xhat + shift
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dscale(dout, xhat):
    """The gradient with respect to `scale`, of shape (5,).

    Where the forward pass reads it:

        out = scale * xhat + shift
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dshift(dout):
    """The gradient with respect to `shift`, of shape (5,).

    Where the forward pass reads it:

        out = scale * xhat + shift
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dvar(dxhat, x, mean, var):
    """The gradient with respect to `var`, of shape (5,).

    Where the forward pass reads it:

        xhat = (x - mean) / torch.sqrt(var + 1e-5)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dmean(dxhat, var):
    """The gradient with respect to `mean`, of shape (5,).

    Where the forward pass reads it:

        xhat = (x - mean) / torch.sqrt(var + 1e-5)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dx(dxhat, dvar, dmean, x, mean, var):
    """The gradient with respect to `x`, of shape (6, 5).

    Where the forward pass reads it:

        mean = x.mean(0)
        var = x.var(0, unbiased=False)
        xhat = (x - mean) / torch.sqrt(var + 1e-5)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


# a layer


class BatchNorm1d:
    """Batch norm for inputs of shape (n, size), as a layer that also remembers what it has seen.

    Attributes, all of shape (size,):
        gamma, beta: gain and bias. The training code assigns new tensors to them between two batches.
        running_mean, running_var: in evaluation, the layer uses these instead of a batch's statistics.
    """

    def __init__(self, size, eps=1e-5, momentum=0.1):
        self.eps, self.momentum = eps, momentum
        self.gamma, self.beta = torch.ones(size), torch.zeros(size)
        self.running_mean, self.running_var = torch.zeros(size), torch.ones(size)

    def forward(self, x, training=True):
        """The normalised `x` times gamma plus beta, of shape (n, size); keeps what `backward` will need.

        Training: normalises by the batch's mean and biased variance (divided by n), `eps` under the root. Then moves
        both running statistics towards this batch's: new = (1 - momentum) * old + momentum * the batch's, where
        `running_var` takes the *unbiased* variance of the batch (divided by n - 1).

        Evaluation (`training=False`): normalises by the running statistics and leaves them as they are. A batch may
        then be a single example.
        """
        # TODO: replace the next line by your own
        raise NotImplementedError

    def backward(self, dout):
        """The gradients for the latest call of `forward`, of either kind: the tuple (dx, dgamma, dbeta).

        `dout` is the gradient of what `forward` returned, (n, size). dx is (n, size), dgamma and dbeta are (size,).
        """
        # TODO: replace the next line by your own
        raise NotImplementedError
