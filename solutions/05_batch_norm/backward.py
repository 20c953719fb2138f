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
    # <answer>
    through_mean = dhpreact.sum(0, keepdim=True)
    through_variance = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
    return bngain * bnvar_inv / n * (n * dhpreact - through_mean - through_variance)
    # </answer>


def dh(dh_bn, gamma, h_norm, h_var, N):
    # <answer>
    through_mean = dh_bn.sum(0)
    through_variance = h_norm * (dh_bn * h_norm).sum(0)
    return gamma / (N * torch.sqrt(h_var + 1e-5)) * (N * dh_bn - through_mean - through_variance)
    # </answer>


# by its parts


def dxhat(dout, scale):
    # <answer>
    return dout * scale
    # </answer>


def dscale(dout, xhat):
    # <answer>
    return (dout * xhat).sum(0)
    # </answer>


def dshift(dout):
    # <answer>
    return dout.sum(0)
    # </answer>


def dvar(dxhat, x, mean, var):
    # <answer>
    return (dxhat * (x - mean) * -0.5 * (var + 1e-5) ** -1.5).sum(0)
    # </answer>


def dmean(dxhat, var):
    # <answer>
    return -dxhat.sum(0) / torch.sqrt(var + 1e-5)
    # </answer>


def dx(dxhat, dvar, dmean, x, mean, var):
    # <answer>
    n = x.shape[0]
    return dxhat / torch.sqrt(var + 1e-5) + dvar * 2 * (x - mean) / n + dmean / n
    # </answer>


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
        # <answer>
        if training:
            n = x.shape[0]
            mean, var = x.mean(0), x.var(0, unbiased=False)
            kept = 1 - self.momentum
            self.running_mean = kept * self.running_mean + self.momentum * mean
            self.running_var = kept * self.running_var + self.momentum * var * n / (n - 1)
        else:
            mean, var = self.running_mean, self.running_var
        self.training = training
        self.inverse = (var + self.eps) ** -0.5
        self.xhat = (x - mean) * self.inverse
        return self.gamma * self.xhat + self.beta
        # </answer>

    def backward(self, dout):
        """The gradients for the latest call of `forward`, of either kind: the tuple (dx, dgamma, dbeta).

        `dout` is the gradient of what `forward` returned, (n, size). dx is (n, size), dgamma and dbeta are (size,).
        """
        # <answer>
        dgamma = (dout * self.xhat).sum(0)
        dbeta = dout.sum(0)
        dxhat = dout * self.gamma
        if self.training:  # otherwise the statistics are constants: no path leads through them
            n = dout.shape[0]
            by_mean = dxhat.sum(0) / n
            by_variance = self.xhat * (dxhat * self.xhat).sum(0) / n
            dxhat = dxhat - by_mean - by_variance
        return dxhat * self.inverse, dgamma, dbeta
        # </answer>
