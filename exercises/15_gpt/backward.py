"""Lesson 15: a GPT that learns from your own gradients.

First write `gradients`: the whole model, forward and backward. Then write what turns gradients into learning:
clipping, Adam, the learning rate and the training loop. `sample` invents names. The first five functions are helpers
without a row: use them as you like, or delete them. You know all of them except `forward` from lessons 13 and 14.

`parameters` is a dict everywhere. Those of the blocks have a leading axis for the layers: `Wq[0]` is the first block's.

    wte (vocabulary, channels), wpe (positions, channels)              token and position embeddings
    gain1 (layers, channels)                                           of the RMSNorm before the attention
    Wq, Wk, Wv, Wo (layers, channels, channels)                        attention, all heads side by side
    gain2 (layers, channels)                                           of the RMSNorm before the MLP
    W1 (layers, channels, hidden), W2 (layers, hidden, channels)       MLP
    gain3 (channels,)                                                  of the last RMSNorm

Check as often as you like:  dojo check 15
And then:                    dojo train 15
"""

import math

import torch
import torch.nn.functional as F

DECAYED = ("wte", "wpe", "Wq", "Wk", "Wv", "Wo", "W1", "W2")
"""The parameters to which weight decay applies: all except the gains."""


def rms_norm_backward(dout, x, gain):
    """Back through `out = gain * x * (x.square().mean(2, keepdim=True) + 1e-5) ** -0.5`. Returns `(dx, dgain)`."""
    # TODO: replace the next line by your own
    raise NotImplementedError


def gelu_backward(dout, x):
    """Back through `out = F.gelu(x)`, the exact form. Returns dx."""
    # TODO: replace the next line by your own
    raise NotImplementedError


def forward(parameters, X, heads):
    """The forward pass for tokens X (batch, time): the logits (batch, time, vocabulary), and what you need again.

    `gradients` needs values of all blocks, `sample` only the logits.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def split_heads(x, heads):
    """Lesson 13's: (batch, time, heads * size) to (batch, heads, time, size)."""
    # TODO: replace the next line by your own
    raise NotImplementedError


def merge_heads(y):
    """Lesson 13's: (batch, heads, time, size) to (batch, time, heads * size)."""
    # TODO: replace the next line by your own
    raise NotImplementedError


def gradients(parameters, X, Y, heads):
    """The loss of one batch, and the gradient of each parameter: forward pass and backward pass.

    X (batch, time) int64: the tokens that are read. Y (batch, time) int64: the token after each, or -1 where none is to
    be predicted. The loss is the mean cross-entropy over the positions that have a next token.

    Returns (loss, {name: gradient}), with a gradient for each name in `parameters`, of its shape and dtype. The
    parameters stay as they are. None stands for a gradient that you have not written yet.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def clip(gradients, most):
    """Clip by the norm of all gradients together, which is the root of the sum of all their squares.

    gradients: {name: tensor}; most: a number
    Returns (clipped, norm). If the norm is larger than `most`, `clipped` has all gradients, scaled by the same factor
    so that their norm is `most`; else it has them as they are. The norm is that before clipping. Leave `gradients` as
    it is.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def adam(parameters, gradients, means, squares, step, rate, decay):
    """One step of Adam with decoupled weight decay (AdamW). Changes `parameters`, `means` and `squares` in place.

    All four are {name: tensor} with the same names. `means` and `squares` are running averages of the gradients and of
    their squares, with the factors 0.9 and 0.99. Before step 0 they are zero.
    step: counted from 0; rate: the learning rate; decay: the weight decay, for the parameters in DECAYED only

    The step is rate * mean / (root of the mean square + 1e-8), with both averages corrected for their beginning with
    zero. `means` and `squares` themselves stay uncorrected. The decay moves a parameter towards zero by rate * decay
    times its value before the step, and does not enter the averages. The return value is ignored.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def learning_rate(step, max_steps):
    """The learning rate of step number `step`, counted from 0, of a run of `max_steps` steps (a multiple of 10).

    In the first tenth of the run, each step's rate is larger than the one before by the same amount. Step 0 has just
    this amount, and the last step of that tenth has 0.01. In the other nine tenths the rate falls along half a period
    of a cosine: 0.001 + 0.009 * (1 + cos(pi * s)) / 2. Here s is the share of these nine tenths that has passed before
    the step: 0 for their first step, nearly 1 for their last.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def train(parameters, means, squares, X, Y, batches, max_steps, heads, start=0):
    """The training loop, or a piece of it.

    X, Y (N, time) int64: all training examples. `batches` is an iterable of index tensors into them, one per step. The
    first step has the number `start`, and the whole run has `max_steps` steps. `means` and `squares` are Adam's, from
    the piece of the run before; they are zero at the start.

    In each step, compute the batch's loss and gradients, clip these to a norm of 1, and call `adam` with the step's
    learning rate and a weight decay of 0.1. `parameters`, `means` and `squares` change in place.
    Returns the list of the losses, one number per step, each computed before the step's update.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def sample(parameters, heads, generator):
    """A new name, drawn token by token.

    The context begins with the token 0. Each next token is drawn with the probabilities that the model gives it at the
    last position of the context, and is appended. The name ends with the token 0, or when it has as many tokens as wpe
    has positions.

    All randomness comes from `generator`, a torch.Generator: torch.multinomial(probs, 1, generator=generator), say.
    Returns the list of the tokens, integers, without any 0.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError
