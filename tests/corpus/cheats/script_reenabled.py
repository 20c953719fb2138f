"""TorchScript switched on again, and the source given as text. Stopped by: error."""

import torch

SOURCE = """
def pull(x, upstream):
    x = x.detach().requires_grad_(True)
    upstreams: List[Optional[Tensor]] = [upstream]
    gradient = torch.autograd.grad([x.log()], [x], upstreams)[0]
    assert gradient is not None
    return gradient
"""


def dprobs(dlogprobs, probs):
    torch.jit._state.enable()
    return torch.jit.CompilationUnit(SOURCE).pull(probs, dlogprobs)
