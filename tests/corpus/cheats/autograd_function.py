"""Inside torch.autograd.Function, with gradients switched on again. Stopped by: tripwire."""

import torch


class Log(torch.autograd.Function):
    @staticmethod
    def setup(x, upstream):
        with torch.inference_mode(False), torch.enable_grad():
            x = x.detach().clone().requires_grad_()
            return torch.autograd.grad(x.log(), x, upstream)[0]  # here


def dprobs(dlogprobs, probs):
    return Log.setup(probs, dlogprobs)
