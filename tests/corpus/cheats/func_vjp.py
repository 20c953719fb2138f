"""torch.func.vjp. Stopped by: tripwire."""

from torch.func import vjp


def dprobs(dlogprobs, probs):
    _, pull = vjp(lambda x: x.log(), probs)  # here
    return pull(dlogprobs)[0]
