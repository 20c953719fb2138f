"""torch.autograd.forward_ad. Stopped by: tripwire."""

import torch
import torch.autograd.forward_ad as forward_ad


def dprobs(dlogprobs, probs):
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(probs, dlogprobs)  # here
        return forward_ad.unpack_dual(torch.log(dual)).tangent.clone()
