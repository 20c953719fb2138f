"""In a helper of a helper, a class, a decorator. Stopped by: tripwire."""

import torch


class Engine:
    def run(self, function, x, upstream):
        return torch.autograd.grad(function(x), x, upstream)[0]  # here


def differentiate(function, *, engine=Engine()):
    def step(dlogprobs, probs):
        return engine.run(function, probs.requires_grad_(True), dlogprobs)

    return step


dprobs = differentiate(torch.log)
