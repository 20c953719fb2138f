"""A second handle on the C++ engine. Stopped by: error."""

import torch


def dprobs(dlogprobs, probs):
    probs.requires_grad_(True)
    engine = torch._C._ImperativeEngine()
    return engine.run_backward((probs.log(),), (dlogprobs,), False, False, (probs,), False, accumulate_grad=False)[0]
