"""torch.autograd.grad within TorchScript, where Python's functions are not asked. Stopped by: tripwire."""

from typing import List, Optional

import torch


@torch.jit.script
def pull(x: torch.Tensor, upstream: torch.Tensor) -> torch.Tensor:
    x = x.detach().requires_grad_(True)
    upstreams = torch.jit.annotate(List[Optional[torch.Tensor]], [upstream])
    gradient = torch.autograd.grad([x.log()], [x], upstreams)[0]  # here
    assert gradient is not None
    return gradient


def dprobs(dlogprobs, probs):
    return pull(probs, dlogprobs)
