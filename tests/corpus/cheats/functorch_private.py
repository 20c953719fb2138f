"""What torch.func is made of. Stopped by: error."""

from torch._functorch import eager_transforms


def dprobs(dlogprobs, probs):
    return eager_transforms._vjp_with_argnums(lambda x: x.log(), probs)[1](dlogprobs)[0]
