"""Lesson 01: the chain rule, one operation at a time, a small network, and seven questions.

A function `dx` returns the gradient with respect to `x` of `forward.py`, in the shape of `x`. Its parameters are
forward values (`positive`) and upstream gradients (`dlogarithm`). The grader passes them by name. If you need another
one, add its name to the parameters. Return a new tensor, and do not change a parameter in place.

The functions at the end are questions. Their docstrings say what goes in and what comes out.

Check as often as you like:  dojo check 01
"""

import torch
import torch.nn.functional as F

# two values are combined


def dp(dadded):
    # <answer>
    return dadded.clone()
    # </answer>


def dq(dadded):
    # <answer>
    return dadded.clone()
    # </answer>


def du(dproduct, v):
    # <answer>
    return dproduct * v
    # </answer>


def dv(dproduct, u):
    # <answer>
    return dproduct * u
    # </answer>


# one value is used twice


def dfork(dtwice, dshifted):
    # <answer>
    return 2 * dtwice + dshifted
    # </answer>


# one function is applied to every element


def dpositive(dlogarithm, positive):
    # <answer>
    return dlogarithm / positive
    # </answer>


def dexponent(dexponential, exponential):
    # <answer>
    return dexponential * exponential
    # </answer>


def dbase(dpower, base):
    # <answer>
    return dpower * -0.5 * base**-1.5
    # </answer>


# many values become one


def dgrid(dtotal, grid):
    # <answer>
    return dtotal * torch.ones_like(grid)
    # </answer>


def dsheet(dcolumn_sums, sheet):
    # <answer>
    return dcolumn_sums * torch.ones_like(sheet)
    # </answer>


def dledger(drow_sums, ledger):
    # <answer>
    return drow_sums * torch.ones_like(ledger)
    # </answer>


def dmarks(drow_means, marks):
    # <answer>
    return (drow_means / marks.shape[1]).unsqueeze(1) * torch.ones_like(marks)
    # </answer>


# one value becomes many


def dtile(dtiled):
    # <answer>
    return dtiled.sum(0)
    # </answer>


def dcolumn(dscaled, matrix):
    # <answer>
    return (dscaled * matrix).sum(1, keepdim=True)
    # </answer>


# some values are picked out


def drating(dhighest, rating):
    # <answer>
    places = rating.max(1).indices
    return F.one_hot(places, rating.shape[1]) * dhighest
    # </answer>


def dembedding(dlooked_up, embedding, tokens):
    # <answer>
    gradient = torch.zeros_like(embedding)
    for position, token in enumerate(tokens):
        gradient[token] += dlooked_up[position]
    return gradient
    # </answer>


# the matrix product


def dleft(dmatmul, right):
    # <answer>
    return dmatmul @ right.T
    # </answer>


def dright(dmatmul, left):
    # <answer>
    return left.T @ dmatmul
    # </answer>


# the small network, from the loss down; `da` is given


def dz(da, a):
    # <answer>
    return (1 - a**2) * da
    # </answer>


def dW(dz, x):
    # <answer>
    return x.T @ dz
    # </answer>


def db(dz):
    # <answer>
    return dz.sum(0)
    # </answer>


def dx(dz, W):
    # <answer>
    return dz @ W.T
    # </answer>


# the same network again, in one function


def backward(x, W, b, a, z):
    """The backward pass of the small network `z = x @ W + b`, `a = torch.tanh(z)`, `loss = a.sum()`.

    x (rows, inner), W (inner, columns) and b (columns,) are the inputs, z and a (rows, columns) the values in between.
    There is no upstream gradient among the parameters: begin at the loss.

    Returns the tuple (dW, db, dx), or a dictionary with these names. Each has the shape of its value.
    """
    # <answer>
    da = torch.ones_like(a)
    dz = (1 - a**2) * da
    dW = x.T @ dz
    db = dz.sum(0)
    dx = dz @ W.T
    return dW, db, dx
    # </answer>


# questions


def through_add(a, b, dy):
    """`y = a + b` for three numbers, and `dy` is known: returns `(da, db)`.

    The question's own numbers: what are they for dy = 5?
    """
    # <answer>
    return dy, dy
    # </answer>


def through_multiply(a, b, dy):
    """`y = a * b` for three numbers, and `dy` is known: returns `(da, db)`.

    The question's own numbers: what are they for a = 2, b = 3 and dy = 5?
    """
    # <answer>
    return dy * b, dy * a
    # </answer>


def nonzero_places(labels, classes):
    """Where is `dlogprobs` not zero, if `loss = -logprobs[range(n), labels].mean()`?

    `labels` holds n whole numbers below `classes`: the true class of each example.
    Returns a tensor of bools, (n, classes): True where the gradient of `logprobs` is not zero.
    """
    # <answer>
    places = torch.zeros(len(labels), classes, dtype=torch.bool)
    places[range(len(labels)), labels] = True
    return places
    # </answer>


def closed_share(h, threshold):
    """How many of a layer's tanh gates are closed?

    `h` holds the outputs of tanh, of any shape. A gate counts as closed where `h` is further from zero than
    `threshold`, in either direction; a gate exactly at the threshold is still open.
    Returns the share of closed gates among all elements, a number from 0 to 1.
    """
    # <answer>
    return (h.abs() > threshold).double().mean()
    # </answer>


def mean_gate(h):
    """How much of the gradient do a layer's tanh gates let through on average?

    `h` holds the outputs of tanh, of any shape. A gate multiplies the gradient that goes back through it by the slope
    of tanh at that place. Returns the mean of these slopes over all elements, a number from 0 to 1.
    """
    # <answer>
    return (1 - h**2).mean()
    # </answer>


def push_and_pull(logits, labels):
    """What does each of the two terms of `softmax(logits) - one_hot(labels)` contribute?

    `logits` is (n, classes); `labels` holds the n true classes.
    Returns `(push, pull)`, both (n, classes) and nowhere negative: how strongly the first term pushes each logit down,
    and how strongly the second pulls it up. The true class may be pushed and pulled at once: do not subtract.
    """
    # <answer>
    push = F.softmax(logits, dim=1)
    pull = F.one_hot(labels, logits.shape[1])
    return push, pull
    # </answer>


def accumulation_factor(tokens, token):
    """How many times larger is a token's embedding gradient than that of a token which occurs only once?

    `tokens` is (n, block), whole numbers: all the tokens of a batch. Assume that every place of the batch sends back
    the same gradient. Returns the factor for `token`, a whole number; 0 if it does not occur at all.
    """
    # <answer>
    return (tokens == token).sum()
    # </answer>
