"""A network of your own, trained with your own gradients next to autograd:

    dojo train exercises/07_training/my_network.py --steps 500

Change anything here: the data, the forward pass, the gradients. This example fits a curve by a sum of eight sine waves.
"""

import math

import torch


def parameters(generator):
    """The parameters at the start of the run: {name: tensor}."""
    return {
        "frequency": torch.arange(1.0, 9.0),
        "phase": torch.randn(8, generator=generator),
        "height": torch.randn(8, generator=generator) * 0.3,
    }


def batch(generator):
    """The data of one step: {name: tensor or number}. Both networks get the same."""
    x = torch.rand(64, 1, generator=generator) * 2 * math.pi
    return {"x": x, "y": torch.sign(torch.sin(x))[:, 0], "n": 64}  # a square wave


def forward(t):
    """The forward pass, in named steps as in the lessons' forward.py. It ends with `t.loss`."""
    t.angle = t.x * t.frequency + t.phase
    t.wave = torch.sin(t.angle)
    t.guess = (t.wave * t.height).sum(1)
    t.loss = ((t.guess - t.y) ** 2).mean()


def backward(t):
    """The gradients by hand: {"d" + name: gradient}, one for each parameter.

    `t` has every value of the forward pass. You may also return gradients of values in between, such as `dwave`: they
    are compared with autograd's, and show you in which line a mistake begins.
    """
    dguess = 2 * (t.guess - t.y) / t.n
    dwave = dguess[:, None] * t.height
    dangle = dwave * torch.cos(t.angle)
    return {
        "dguess": dguess,
        "dheight": (dguess[:, None] * t.wave).sum(0),
        "dwave": dwave,
        "dangle": dangle,
        "dphase": dangle.sum(0),
        "dfrequency": (dangle * t.x).sum(0),
    }


def learning_rate(step, steps):
    """The learning rate of step number `step`, counted from 0, of a run of `steps` steps."""
    return 0.02 if step < steps / 2 else 0.005
