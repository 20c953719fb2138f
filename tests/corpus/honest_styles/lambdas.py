"""Steps that are lambdas, partial functions and aliases."""

import functools
import operator


dprobs = lambda dlogprobs, probs: dlogprobs / probs
dh = lambda dlogits, W2: dlogits @ W2.T


def _matmul(dlogits, h):
    return operator.matmul(h.T, dlogits)


dW2 = functools.partial(_matmul)
_sum = lambda dlogits: functools.reduce(operator.add, dlogits)
db2 = _sum
