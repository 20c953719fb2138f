"""Lets PyTorch clip, and lets its AdamW take the step; a fused kernel for the schedule's optimizer."""
# lesson: 15
# rows of adam: forbidden
# rows of clip: forbidden
# rows of learning_rate: forbidden

import torch


def clip(gradients, most):
    holders = []
    for value in gradients.values():
        holders.append(torch.zeros_like(value))
        holders[-1].grad = value.clone()
    norm = torch.nn.utils.get_total_norm([holder.grad for holder in holders])
    torch.nn.utils.clip_grads_with_norm_(holders, most, norm)
    return {name: holder.grad for name, holder in zip(gradients, holders, strict=True)}, norm


def adam(parameters, gradients, means, squares, step, rate, decay):
    groups = []
    for name in parameters:
        value = parameters[name]
        value.grad = gradients[name]
        groups.append({"params": [value], "weight_decay": 0.0 if name.startswith("gain") else decay})
    optimizer = torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.99), eps=1e-8)
    for name in parameters:
        value = parameters[name]
        memory = {"step": torch.tensor(float(step)), "exp_avg": means[name], "exp_avg_sq": squares[name]}
        optimizer.state[value] = memory
    optimizer.step()


def learning_rate(step, max_steps):
    value, warm = torch.zeros(1), max_steps // 10
    empty, steps = [torch.zeros(1)], [torch.ones(1)]
    most = {"lr": 0.01, "beta1": 0.9, "beta2": 0.99, "weight_decay": 0.0, "eps": 1e-8, "amsgrad": False}
    torch._fused_adam_([value], [torch.ones(1)], empty, [torch.zeros(1)], [], steps, **most, maximize=False)
    return 0.01 * (step + 1) / warm
