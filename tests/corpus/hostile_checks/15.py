"""Lesson 15: the optimizer of the library."""
# lesson: 15

# === adam_of_the_library: Lets PyTorch clip, and its AdamW take the step; a fused kernel for the schedule.
# rows of adam, clip, learning_rate: forbidden

import torch


def clip(gradients, most):
    return gradients, torch.nn.utils.get_total_norm(list(gradients.values()))


def adam(parameters, gradients, means, squares, step, rate, decay):
    torch.optim.AdamW(list(parameters.values()), lr=rate, weight_decay=decay).step()


def learning_rate(step, max_steps):
    one = [torch.ones(1)]
    most = {"lr": 0.01, "beta1": 0.9, "beta2": 0.99, "weight_decay": 0.0, "eps": 1e-8, "amsgrad": False}
    torch._fused_adam_(one, one, one, one, [], one, **most, maximize=False)
