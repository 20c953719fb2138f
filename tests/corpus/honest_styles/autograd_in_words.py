"""Says loss.backward() in docstrings, strings and names; autograd in functions that no step calls; a main guard."""

import torch
import torch.nn.functional as F
from torch.autograd import grad
from torch.func import vjp

__doc__ += " torch.func.grad too."
autograd = "not torch.autograd"
backward = {"dprobs": 1.0}  # how far I am


def compare(step, *inputs):
    """Called by hand in the console."""
    loss = step(*inputs).sum()
    loss.backward()
    return grad(loss, inputs), vjp(step, *inputs)


def dprobs(dlogprobs, probs):
    """The first try, before I knew the formula."""
    probs = probs.clone().requires_grad_()
    probs.log().backward(dlogprobs)
    return probs.grad


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


def db2(dlogits):
    return [grad for grad in [dlogits.sum(0)]][0]


def dlogits_fused(logits, Yb, n):
    dlogits = F.softmax(logits, 1)
    dlogits[range(n), Yb] -= 1
    return dlogits / n


if __name__ == "__main__":
    logits = torch.randn(4, 3, requires_grad=True)
    Yb = torch.tensor([0, 1, 2, 0])
    loss = F.cross_entropy(logits, Yb)
    loss.backward()
    print(torch.allclose(dlogits_fused(logits.detach(), Yb, 4), logits.grad))
    print(torch.func.grad(F.cross_entropy)(logits, Yb), torch.autograd.functional.jacobian(torch.tanh, logits))
else:
    print("not the main program")
