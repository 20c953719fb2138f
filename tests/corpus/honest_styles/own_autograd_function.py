"""torch.autograd.Function as a place for a hand-written backward, called directly."""

import torch


class Log(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.log()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output / x


class Context:
    def __init__(self, *saved):
        self.saved_tensors = saved


def dprobs(dlogprobs, probs):
    assert torch.equal(Log.apply(probs), probs.log())
    return Log.backward(Context(probs), dlogprobs)


def dhpreact(dh, h):
    class Tanh(torch.autograd.Function):
        @staticmethod
        def backward(ctx, grad):
            return grad - grad * ctx * ctx

    return Tanh.backward(h, dh)
