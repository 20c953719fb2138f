"""An autograd self-check under the main guard, with every forbidden word in it."""

import torch
import torch.nn.functional as F


def dlogits_fused(logits, Yb, n):
    dlogits = F.softmax(logits, 1)
    dlogits[range(n), Yb] -= 1
    dlogits /= n
    return dlogits


def dh(dlogits, W2):
    return dlogits @ W2.T


if __name__ == "__main__":
    logits = torch.randn(4, 3, requires_grad=True)
    Yb = torch.tensor([0, 1, 2, 0])
    loss = F.cross_entropy(logits, Yb)
    loss.backward()
    print(torch.allclose(dlogits_fused(logits.detach(), Yb, 4), logits.grad))
    (again,) = torch.autograd.grad(F.cross_entropy(logits, Yb), logits)
    print(torch.func.grad(F.cross_entropy)(logits, Yb), again, torch.autograd.functional.jacobian(torch.tanh, logits))
else:
    print("not the main program")
