"""Says loss.backward() and torch.autograd.grad in docstrings, comments, strings and names."""

import torch

__doc__ += " torch.func.grad too."
autograd = "not torch.autograd"
backward = {"dprobs": 1.0}  # how far I am


def dprobs(dlogprobs, probs):
    """What probs.log().backward(dlogprobs) would leave in probs.grad."""
    # torch.autograd.grad(logprobs, probs, dlogprobs)
    message = f"compare with {autograd}: loss.backward(), torch.autograd.grad(...) of {probs.shape}"
    print(message, "torch.func.grad", 'getattr(loss, "backward")')
    return backward["dprobs"] * dlogprobs / probs


def dh(dlogits, W2):
    grad = dlogits
    autograd = grad @ W2.T
    return autograd


def dW2(dlogits, h):
    vjp = jacobian = hessian = h.T
    assert jacobian is hessian
    return torch.mm(vjp, dlogits)
