"""Lesson 07: the whole training, from the first step to a new name, with your own gradients.

There is no `loss.backward()` and no optimizer. You write seven functions, and the later ones use the earlier ones. Use
your formulas from earlier lessons. `evaluate` is a helper for the last two; it is not graded, and you may delete it.

Everywhere, `parameters` is the list [C (V, E), W1 (block * E, H), b1 (H,), W2 (H, V), b2 (V,), bngain (1, H),
bnbias (1, H)] for a vocabulary of V tokens, embeddings of E numbers and H hidden units. Take sizes from these tensors.

Check as often as you like:  dojo check 07
And then:                    dojo train
"""

import torch
import torch.nn.functional as F


def gradients(parameters, Xb, Yb):
    """The loss of one batch, and the gradient of each parameter: forward pass and backward pass.

    Xb (n, block) int64: the tokens that the network sees, one row per example. Yb (n,) int64: the token after each row.
    Batch norm takes mean and variance from the batch; the variance is divided by n - 1, and 1e-5 is added to it.

    Returns (loss, [dC, dW1, db1, dW2, db2, dbngain, dbnbias]). The loss is the mean cross-entropy, a tensor of shape
    (). Each gradient has the shape and dtype of its parameter. Leave the parameters unchanged.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def update(parameters, gradients, learning_rate):
    """One step of gradient descent.

    `gradients` has one gradient per parameter, in the same order; learning_rate is a number. Change the parameters in
    place: the caller's list then contains the new values. The return value is ignored.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def learning_rate(step, max_steps):
    """The learning rate of step number `step`, counted from 0, of a run of `max_steps` steps (an even number).

    Returns 0.1 in the first half of the run, and 0.01 from step max_steps / 2 on.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def train(parameters, X, Y, batches, max_steps, start=0):
    """The training loop, or a piece of it.

    X (N, block) and Y (N,), int64: all training examples. `batches` is an iterable of index tensors (n,) into them, one
    per step; go through it once. The first step has the number `start`, and the whole run has `max_steps` steps. A long
    run may be done in pieces, each with its own batches and start, so `batches` may be shorter than `max_steps`.

    In each step, compute the batch's loss and gradients, then update `parameters` in place with the step's learning
    rate. In the row `no_grad` the parameters have `requires_grad=True`, as in the lecture's notebook.
    Returns the list of the losses, one number per step, each computed before the step's update.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def calibrate(parameters, X):
    """Batch norm's statistics for the time after training, from all the examples X (N, block) at once.

    Returns (bnmean, bnvar), both (1, H): mean and unbiased variance (divided by N - 1) of what goes into batch norm.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def evaluate(parameters, statistics, X):
    """The logits (N, V) of the trained network for the examples X (N, block): a helper, use it as you like.

    `statistics` is what `calibrate` returned. Batch norm takes it in place of the batch's own mean and variance.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def split_loss(parameters, statistics, X, Y):
    """The mean cross-entropy of the trained network over the examples X (N, block) with next tokens Y (N,).

    `statistics` is what `calibrate` returned: measure nothing on X. Returns a number, or a tensor of shape ().
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def sample(parameters, statistics, generator):
    """A new name, drawn token by token.

    The context (as many tokens as W1 and C say) begins as zeros. Each next token is drawn with the probabilities that
    the trained network gives it, and moves into the context from the right. Token 0 ends the name.

    All randomness comes from `generator`, a torch.Generator, as in torch.multinomial(probs, 1, generator=generator).
    Returns the list of the tokens, integers, without the 0 at the end; it may be empty.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError
