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
    # <answer>
    rrms = (x.square().mean(2, keepdim=True) + 1e-5) ** -0.5
    xhat = x * rrms
    dxhat = dout * gain
    dx = (dxhat - xhat * (dxhat * xhat).mean(2, keepdim=True)) * rrms
    return dx, (dout * xhat).sum((0, 1))
    # </answer>


def gelu_backward(dout, x):
    """Back through `out = F.gelu(x)`, the exact form. Returns dx."""
    # <answer>
    probability = (1 + torch.erf(x / math.sqrt(2))) / 2
    density = torch.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    return dout * (probability + x * density)
    # </answer>


def forward(parameters, X, heads):
    """The forward pass for tokens X (batch, time): the logits (batch, time, vocabulary), and what you need again.

    `gradients` needs values of all blocks, `sample` only the logits.
    """
    # <answer>
    p, time = parameters, X.shape[1]
    past = torch.ones(time, time, dtype=torch.bool).tril()

    def rms_norm(x, gain):
        return gain * x * (x.square().mean(2, keepdim=True) + 1e-5) ** -0.5

    x, blocks = p["wte"][X] + p["wpe"][:time], []
    for layer in range(len(p["Wq"])):
        normed = rms_norm(x, p["gain1"][layer])
        q, k, v = (split_heads(normed @ p[name][layer], heads) for name in ("Wq", "Wk", "Wv"))
        scores = (q @ k.transpose(2, 3) / q.shape[3] ** 0.5).masked_fill(~past, -math.inf)
        weights = F.softmax(scores, 3)
        merged = merge_heads(weights @ v)
        mid = x + merged @ p["Wo"][layer]
        scaled = rms_norm(mid, p["gain2"][layer])
        pre = scaled @ p["W1"][layer]
        act = F.gelu(pre)
        blocks.append((x, normed, q, k, v, weights, merged, mid, scaled, pre, act))
        x = mid + act @ p["W2"][layer]
    final = rms_norm(x, p["gain3"])
    return final @ p["wte"].T, blocks, x, final
    # </answer>


def split_heads(x, heads):
    """Lesson 13's: (batch, time, heads * size) to (batch, heads, time, size)."""
    # <answer>
    return x.unflatten(2, (heads, -1)).transpose(1, 2)
    # </answer>


def merge_heads(y):
    """Lesson 13's: (batch, heads, time, size) to (batch, time, heads * size)."""
    # <answer>
    return y.transpose(1, 2).flatten(2)
    # </answer>


def gradients(parameters, X, Y, heads):
    """The loss of one batch, and the gradient of each parameter: forward pass and backward pass.

    X (batch, time) int64: the tokens that are read. Y (batch, time) int64: the token after each, or -1 where none is to
    be predicted. The loss is the mean cross-entropy over the positions that have a next token.

    Returns (loss, {name: gradient}), with a gradient for each name in `parameters`, of its shape and dtype. The
    parameters stay as they are. None stands for a gradient that you have not written yet.
    """
    # <answer>
    p = parameters
    logits, blocks, x, final = forward(p, X, heads)
    known = Y >= 0
    loss = F.cross_entropy(logits[known], Y[known])
    d = {name: torch.zeros_like(value) for name, value in p.items()}

    def weight(value, upstream):
        return value.flatten(0, 1).T @ upstream.flatten(0, 1)

    # cross-entropy, where there is a next token
    dlogits = torch.zeros_like(logits)
    count = known.sum()
    dlogits[known] = (F.softmax(logits[known], 1) - F.one_hot(Y[known], logits.shape[2])) / count
    # the tied head, and the last norm
    d["wte"] += weight(dlogits, final)
    dx, d["gain3"] = rms_norm_backward(dlogits @ p["wte"], x, p["gain3"])
    for layer in reversed(range(len(blocks))):
        x, normed, q, k, v, weights, merged, mid, scaled, pre, act = blocks[layer]
        # MLP
        d["W2"][layer] = weight(act, dx)
        dpre = gelu_backward(dx @ p["W2"][layer].T, pre)
        d["W1"][layer] = weight(scaled, dpre)
        dscaled = dpre @ p["W1"][layer].T
        through_mlp, d["gain2"][layer] = rms_norm_backward(dscaled, mid, p["gain2"][layer])
        dmid = dx + through_mlp
        # attention
        d["Wo"][layer] = weight(merged, dmid)
        dcontexts = split_heads(dmid @ p["Wo"][layer].T, heads)
        dweights = dcontexts @ v.transpose(2, 3)
        dv = merge_heads(weights.transpose(2, 3) @ dcontexts)
        dscores = weights * (dweights - (dweights * weights).sum(3, keepdim=True))
        dproducts = dscores / q.shape[3] ** 0.5
        dq = merge_heads(dproducts @ k)
        dk = merge_heads(dproducts.transpose(2, 3) @ q)
        d["Wv"][layer] = weight(normed, dv)
        d["Wq"][layer] = weight(normed, dq)
        d["Wk"][layer] = weight(normed, dk)
        dnormed = dq @ p["Wq"][layer].T + dk @ p["Wk"][layer].T + dv @ p["Wv"][layer].T
        through_attention, d["gain1"][layer] = rms_norm_backward(dnormed, x, p["gain1"][layer])
        dx = dmid + through_attention
    # embeddings
    d["wpe"][: X.shape[1]] = dx.sum(0)
    d["wte"].index_add_(0, X.flatten(), dx.flatten(0, 1))
    return loss, d
    # </answer>


def clip(gradients, most):
    """Clip by the norm of all gradients together, which is the root of the sum of all their squares.

    gradients: {name: tensor}; most: a number
    Returns (clipped, norm). If the norm is larger than `most`, `clipped` has all gradients, scaled by the same factor
    so that their norm is `most`; else it has them as they are. The norm is that before clipping. Leave `gradients` as
    it is.
    """
    # <answer>
    norm = sum(gradient.square().sum() for gradient in gradients.values()) ** 0.5
    factor = min(1.0, most / float(norm)) if norm > 0 else 1.0
    return {name: gradient * factor for name, gradient in gradients.items()}, norm
    # </answer>


def adam(parameters, gradients, means, squares, step, rate, decay):
    """One step of Adam with decoupled weight decay (AdamW). Changes `parameters`, `means` and `squares` in place.

    All four are {name: tensor} with the same names. `means` and `squares` are running averages of the gradients and of
    their squares, with the factors 0.9 and 0.99. Before step 0 they are zero.
    step: counted from 0; rate: the learning rate; decay: the weight decay, for the parameters in DECAYED only

    The step is rate * mean / (root of the mean square + 1e-8), with both averages corrected for their beginning with
    zero. `means` and `squares` themselves stay uncorrected. The decay moves a parameter towards zero by rate * decay
    times its value before the step, and does not enter the averages. The return value is ignored.
    """
    # <answer>
    for name, parameter in parameters.items():
        gradient = gradients[name]
        means[name].mul_(0.9).add_(gradient, alpha=0.1)
        squares[name].mul_(0.99).addcmul_(gradient, gradient, value=0.01)
        mean = means[name] / (1 - 0.9 ** (step + 1))
        square = squares[name] / (1 - 0.99 ** (step + 1))
        if name in DECAYED:
            parameter.mul_(1 - rate * decay)
        parameter.sub_(rate * mean / (square.sqrt() + 1e-8))
    # </answer>


def learning_rate(step, max_steps):
    """The learning rate of step number `step`, counted from 0, of a run of `max_steps` steps (a multiple of 10).

    In the first tenth of the run, each step's rate is larger than the one before by the same amount. Step 0 has just
    this amount, and the last step of that tenth has 0.01. In the other nine tenths the rate falls along half a period
    of a cosine: 0.001 + 0.009 * (1 + cos(pi * s)) / 2. Here s is the share of these nine tenths that has passed before
    the step: 0 for their first step, nearly 1 for their last.
    """
    # <answer>
    warm = max_steps // 10
    if step < warm:
        return 0.01 * (step + 1) / warm
    return 0.001 + 0.009 * (1 + math.cos(math.pi * (step - warm) / (max_steps - warm))) / 2
    # </answer>


def train(parameters, means, squares, X, Y, batches, max_steps, heads, start=0):
    """The training loop, or a piece of it.

    X, Y (N, time) int64: all training examples. `batches` is an iterable of index tensors into them, one per step. The
    first step has the number `start`, and the whole run has `max_steps` steps. `means` and `squares` are Adam's, from
    the piece of the run before; they are zero at the start.

    In each step, compute the batch's loss and gradients, clip these to a norm of 1, and call `adam` with the step's
    learning rate and a weight decay of 0.1. `parameters`, `means` and `squares` change in place.
    Returns the list of the losses, one number per step, each computed before the step's update.
    """
    # <answer>
    losses = []
    for step, ix in enumerate(batches, start):
        loss, found = gradients(parameters, X[ix], Y[ix], heads)
        clipped, _ = clip(found, 1.0)
        adam(parameters, clipped, means, squares, step, learning_rate(step, max_steps), 0.1)
        losses.append(float(loss))
    return losses
    # </answer>


def sample(parameters, heads, generator):
    """A new name, drawn token by token.

    The context begins with the token 0. Each next token is drawn with the probabilities that the model gives it at the
    last position of the context, and is appended. The name ends with the token 0, or when it has as many tokens as wpe
    has positions.

    All randomness comes from `generator`, a torch.Generator: torch.multinomial(probs, 1, generator=generator), say.
    Returns the list of the tokens, integers, without any 0.
    """
    # <answer>
    context = [0]
    while len(context) <= len(parameters["wpe"]):
        logits = forward(parameters, torch.tensor([context]), heads)[0]
        probs = F.softmax(logits[0, -1], 0)
        token = torch.multinomial(probs, 1, generator=generator).item()
        if token == 0:
            break
        context.append(token)
    return context[1:]
    # </answer>
