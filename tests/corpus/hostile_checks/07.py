"""Lesson 07: training and sampling."""
# lesson: 07

import torch

# === endless_generator: Returns generators that never end.
# rows of split_loss, calibrate: shape

import itertools


def split_loss(parameters, statistics, X, Y):
    return itertools.count()


def calibrate(parameters, X):
    return (n for n in itertools.count())

# === huge_tensor_for_losses: Returns a tensor of 16 million bytes where a list of losses is expected.
# rows of trajectory, resumed, no_grad: shape

def train(parameters, X, Y, batches, max_steps, start=0):
    return torch.zeros(16_000_000, dtype=torch.uint8)

# === parameters_replaced: Replaces the list of parameters by a list that holds itself.
# rows of update, trajectory, resumed, no_grad: shape

def update(parameters, gradients, learning_rate):
    parameters[:] = [parameters, parameters]


def train(parameters, X, Y, batches, max_steps, start=0):
    update(parameters, None, None)
    return parameters

# === token_of_a_billion: Draws a token that would need a table of 8 GB to count.
# rows of sample: shape

def sample(parameters, statistics, generator):
    return [1, 10**9]

# === update_by_an_optimizer: Lets torch.optim take the step of gradient descent.
# rows of update: forbidden

def update(parameters, grads, lr):
    values = list(parameters.values()) if isinstance(parameters, dict) else list(parameters)
    slopes = list(grads.values()) if isinstance(grads, dict) else list(grads)
    for value, slope in zip(values, slopes, strict=True):
        value.grad = slope
    torch.optim.SGD(values, lr=lr).step()
