"""Defined inside another function, by its indentation.

lesson: 03
by: dojo
dprobs: missing | = `dprobs` is defined inside the function `dlogprobs`, so the file has no function of that name.
    Move it to the top level, without indentation.
"""

del dprobs


def dlogprobs(logprobs, Yb, n):
    def dprobs(dlogprobs, probs):
        return dlogprobs / probs

    gradient = torch.zeros_like(logprobs)
    gradient[range(n), Yb] = -1.0 / n
    return gradient
