"""The maximum of the upstream gradients where a copy forward asks for their sum; the values where places are asked for.

lesson: 03
by: dojo
dlogit_maxes: failed | = `dnorm_logits.amax(1, keepdim=True)` does not call the function that belongs there.
    With another one, your `dlogit_maxes` is right. Which function does the forward line apply, and what is its
    derivative?
dbnmeani: error | `max` along an axis returns two tensors: the values and the places where they are.
dlogprobs: failed | changing those changes nothing that is computed from `logprobs`. Yours is not zero there
dbnraw: failed | Suppose that `dhpreact` is zero except for a 1
"""


def dlogit_maxes(dnorm_logits):
    return -dnorm_logits.amax(1, keepdim=True)


def dbnmeani(dbndiff):
    return -dbndiff.max(0, keepdim=True)


def dlogprobs(logprobs, n):
    return -logprobs / n


def dbnraw(dhpreact, bngain, bnraw):
    return bngain + dhpreact * bnraw
