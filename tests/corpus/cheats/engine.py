"""The C++ engine behind Python's functions. Stopped by: tripwire."""

import torch


def dprobs(dlogprobs, probs):
    probs.requires_grad_(True)
    run = torch.autograd.Variable._execution_engine.run_backward
    return run((probs.log(),), (dlogprobs,), False, False, (probs,), False, accumulate_grad=False)[0]  # here
