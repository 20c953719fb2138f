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
    """The gradient with respect to `p`, of shape (4, 3).

    Where the forward pass reads it:

        added = p + q
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dq(dadded):
    """The gradient with respect to `q`, of shape (4, 3).

    Where the forward pass reads it:

        added = p + q
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def du(dproduct, v):
    """The gradient with respect to `u`, of shape (4, 3).

    Where the forward pass reads it:

        product = u * v
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dv(dproduct, u):
    """The gradient with respect to `v`, of shape (4, 3).

    Where the forward pass reads it:

        product = u * v
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


# one value is used twice


def dfork(dtwice, dshifted):
    """The gradient with respect to `fork`, of shape (4, 3).

    Where the forward pass reads it:

        twice = 2 * fork
        shifted = fork - 1
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


# one function is applied to every element


def dpositive(dlogarithm, positive):
    """The gradient with respect to `positive`, of shape (4, 3).

    Where the forward pass reads it:

        logarithm = positive.log()
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dexponent(dexponential, exponential):
    """The gradient with respect to `exponent`, of shape (4, 3).

    Where the forward pass reads it:

        exponential = exponent.exp()
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dbase(dpower, base):
    """The gradient with respect to `base`, of shape (4, 3).

    Where the forward pass reads it:

        power = base**-0.5
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


# many values become one


def dgrid(dtotal, grid):
    """The gradient with respect to `grid`, of shape (4, 3).

    Where the forward pass reads it:

        total = grid.sum()
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dsheet(dcolumn_sums, sheet):
    """The gradient with respect to `sheet`, of shape (4, 3).

    Where the forward pass reads it:

        column_sums = sheet.sum(0)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dledger(drow_sums, ledger):
    """The gradient with respect to `ledger`, of shape (4, 3).

    Where the forward pass reads it:

        row_sums = ledger.sum(1, keepdim=True)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dmarks(drow_means, marks):
    """The gradient with respect to `marks`, of shape (4, 3).

    Where the forward pass reads it:

        row_means = marks.mean(1)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


# one value becomes many


def dtile(dtiled):
    """The gradient with respect to `tile`, of shape (3,).

    Where the forward pass reads it:

        tiled = tile.broadcast_to((rows, columns))
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dcolumn(dscaled, matrix):
    """The gradient with respect to `column`, of shape (4, 1).

    Where the forward pass reads it:

        scaled = matrix * column
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


# some values are picked out


def drating(dhighest, rating):
    """The gradient with respect to `rating`, of shape (4, 3).

    Where the forward pass reads it:

        highest = rating.max(1, keepdim=True).values
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dembedding(dlooked_up, embedding, tokens):
    """The gradient with respect to `embedding`, of shape (7, 3).

    Where the forward pass reads it:

        looked_up = embedding[tokens]
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


# the matrix product


def dleft(dmatmul, right):
    """The gradient with respect to `left`, of shape (4, 5).

    Where the forward pass reads it:

        matmul = left @ right
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dright(dmatmul, left):
    """The gradient with respect to `right`, of shape (5, 3).

    Where the forward pass reads it:

        matmul = left @ right
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


# the small network, from the loss down; `da` is given


def dz(da, a):
    """The gradient with respect to `z`, of shape (4, 3).

    Where the forward pass reads it:

        a = torch.tanh(z)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dW(dz, x):
    """The gradient with respect to `W`, of shape (5, 3).

    Where the forward pass reads it:

        z = x @ W + b
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def db(dz):
    """The gradient with respect to `b`, of shape (3,).

    Where the forward pass reads it:

        z = x @ W + b
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dx(dz, W):
    """The gradient with respect to `x`, of shape (4, 5).

    Where the forward pass reads it:

        z = x @ W + b
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


# the same network again, in one function


def backward(x, W, b, a, z):
    """The backward pass of the small network `z = x @ W + b`, `a = torch.tanh(z)`, `loss = a.sum()`.

    x (rows, inner), W (inner, columns) and b (columns,) are the inputs, z and a (rows, columns) the values in between.
    There is no upstream gradient among the parameters: begin at the loss.

    Returns the tuple (dW, db, dx), or a dictionary with these names. Each has the shape of its value.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


# questions


def through_add(a, b, dy):
    """`y = a + b` for three numbers, and `dy` is known: returns `(da, db)`.

    The question's own numbers: what are they for dy = 5?
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def through_multiply(a, b, dy):
    """`y = a * b` for three numbers, and `dy` is known: returns `(da, db)`.

    The question's own numbers: what are they for a = 2, b = 3 and dy = 5?
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def nonzero_places(labels, classes):
    """Where is `dlogprobs` not zero, if `loss = -logprobs[range(n), labels].mean()`?

    `labels` holds n whole numbers below `classes`: the true class of each example.
    Returns a tensor of bools, (n, classes): True where the gradient of `logprobs` is not zero.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def closed_share(h, threshold):
    """How many of a layer's tanh gates are closed?

    `h` holds the outputs of tanh, of any shape. A gate counts as closed where `h` is further from zero than
    `threshold`, in either direction; a gate exactly at the threshold is still open.
    Returns the share of closed gates among all elements, a number from 0 to 1.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def mean_gate(h):
    """How much of the gradient do a layer's tanh gates let through on average?

    `h` holds the outputs of tanh, of any shape. A gate multiplies the gradient that goes back through it by the slope
    of tanh at that place. Returns the mean of these slopes over all elements, a number from 0 to 1.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def push_and_pull(logits, labels):
    """What does each of the two terms of `softmax(logits) - one_hot(labels)` contribute?

    `logits` is (n, classes); `labels` holds the n true classes.
    Returns `(push, pull)`, both (n, classes) and nowhere negative: how strongly the first term pushes each logit down,
    and how strongly the second pulls it up. The true class may be pushed and pulled at once: do not subtract.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def accumulation_factor(tokens, token):
    """How many times larger is a token's embedding gradient than that of a token which occurs only once?

    `tokens` is (n, block), whole numbers: all the tokens of a batch. Assume that every place of the batch sends back
    the same gradient. Returns the factor for `token`, a whole number; 0 if it does not occur at all.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError
