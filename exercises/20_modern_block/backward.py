"""Lesson 20: a transformer block of today, backwards.

First write one gradient after the other: rotary positions with QK normalisation, SwiGLU, a router with its experts,
and the loss. Each function returns the gradient with respect to one value of forward.py, in the shape of that value.
Its parameters are forward values and upstream gradients. The grader passes them by name. If you need another one, add
its name. Then `block_backward` goes back through the whole block: use your own functions in it.

Check your work with `dojo check 20`. README.md explains the forward pass.
"""

import torch
import torch.nn.functional as F

# Rotary positions and QK normalisation.


def dz(drotated_z, cos, sin):
    """The gradient with respect to `z`, of shape (2, 5, 8).

    Where the forward pass reads it:

        rotated_z = rotate_neighbours(z, cos, sin)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dnormed_q(drotated_q, cos, sin):
    """The gradient with respect to `normed_q`, of shape (2, 3, 5, 8).

    Where the forward pass reads it:

        rotated_q = rotate_halves(normed_q, cos, sin)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dgain_q(dnormed_q, qhat):
    """The gradient with respect to `gain_q`, of shape (8,).

    Where the forward pass reads it:

        normed_q = gain_q * qhat
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dqh(dnormed_q, gain_q, qhat, rrms):
    """The gradient with respect to `qh`, of shape (2, 3, 5, 8).

    Where the forward pass reads it:

        rrms = ((qh**2).mean(3, keepdim=True) + eps) ** -0.5
        qhat = qh * rrms
        normed_q = gain_q * qhat
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


# SwiGLU.


def dWdown(dy, act):
    """The gradient with respect to `Wdown`, of shape (7, 10).

    Where the forward pass reads it:

        y = act @ Wdown
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dact(dy, Wdown):
    """The gradient with respect to `act`, of shape (12, 7).

    Where the forward pass reads it:

        y = act @ Wdown
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dup(dact, gate):
    """The gradient with respect to `up`, of shape (12, 7).

    Where the forward pass reads it:

        act = F.silu(gate) * up
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dgate(dact, gate, up):
    """The gradient with respect to `gate`, of shape (12, 7).

    Where the forward pass reads it:

        act = F.silu(gate) * up
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dWup(dup, h):
    """The gradient with respect to `Wup`, of shape (10, 7).

    Where the forward pass reads it:

        up = h @ Wup
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dWgate(dgate, h):
    """The gradient with respect to `Wgate`, of shape (10, 7).

    Where the forward pass reads it:

        gate = h @ Wgate
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dh(dgate, dup, Wgate, Wup):
    """The gradient with respect to `h`, of shape (12, 10).

    Where the forward pass reads it:

        gate = h @ Wgate
        up = h @ Wup
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


# A router, and its experts.


def ddone(dmixed, shares, token, expert):
    """The gradient with respect to `done`, of shape (24, 10).

    Where the forward pass reads it:

        mixed = torch.zeros_like(u).index_add(0, token, shares[token, expert][:, None] * done)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dshares(dmixed, done, shares, token, expert):
    """The gradient with respect to `shares`, of shape (12, 4).

    Where the forward pass reads it:

        mixed = torch.zeros_like(u).index_add(0, token, shares[token, expert][:, None] * done)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dprobs(dshares, dbalance, probs, chosen, shares, load):
    """The gradient with respect to `probs`, of shape (12, 4).

    Where the forward pass reads it:

        shares = probs * chosen / (probs * chosen).sum(1, keepdim=True)
        balance = probs.shape[1] * (load * probs.mean(0)).sum()
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def droute(dprobs, probs):
    """The gradient with respect to `route`, of shape (12, 4).

    Where the forward pass reads it:

        probs = F.softmax(route, 1)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dWr(droute, u):
    """The gradient with respect to `Wr`, of shape (10, 4).

    Where the forward pass reads it:

        route = u @ Wr
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def du(dsent, droute, u, Wr, token):
    """The gradient with respect to `u`, of shape (12, 10).

    Where the forward pass reads it:

        route = u @ Wr
        sent = u[token]
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


# The loss.


def dlogits(logits, log_sum, Y, penalty):
    """The gradient with respect to `logits`, of shape (12, 9).

    Where the forward pass reads it:

        log_sum = logits.logsumexp(1)
        loss = F.cross_entropy(logits, Y) + penalty * (log_sum**2).mean()
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def duncapped(dlogits, logits, cap):
    """The gradient with respect to `uncapped`, of shape (12, 9).

    Where the forward pass reads it:

        logits = cap * torch.tanh(uncapped / cap)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dfinal(duncapped, wte):
    """The gradient with respect to `final`, of shape (12, 10).

    Where the forward pass reads it:

        uncapped = final @ wte.T
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dwte(duncapped, dfinal, final, wte, X):
    """The gradient with respect to `wte`, of shape (9, 10).

    Where the forward pass reads it:

        final = wte[X] + added
        uncapped = final @ wte.T
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


# The whole block.


def block_backward(t, dout, dbalance):
    """Go back through `block` of forward.py, from `out` and `balance` to the parameters and `x`.

    t: a dict with all inputs and values of `block`, by name: t["x"], t["weights"], ...
    dout: (batch, time, channels), the upstream gradient of `out`; dbalance: a number, that of `balance`
    Returns a dict with these keys, each gradient with the shape of its value:

        "dWdowns", "dWups", "dWgates", "dWr", "dgain2", "dWo", "dWv", "dgain_q", "dgain_k", "dWq", "dWk", "dgain1", "dx"

    Leave out those that you have not written yet.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError
