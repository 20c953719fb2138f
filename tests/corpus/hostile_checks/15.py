"""Lesson 15: names from a model, and its optimizer."""
# lesson: 15

import math

import torch
import torch.nn.functional as F


def logits_of(p, X, heads, mlp=1.0):
    def norm(x, gain):
        return gain * x * (x.square().mean(2, keepdim=True) + 1e-5) ** -0.5

    time = X.shape[1]
    past = torch.ones(time, time, dtype=torch.bool).tril()
    x = p["wte"][X] + p["wpe"][:time]
    for at in range(len(p["Wq"])):
        q, k, v = (
            (norm(x, p["gain1"][at]) @ p[name][at]).unflatten(2, (heads, -1)).transpose(1, 2)
            for name in ("Wq", "Wk", "Wv")
        )
        scores = (q @ k.transpose(2, 3) / q.shape[3] ** 0.5).masked_fill(~past, -math.inf)
        x = x + (F.softmax(scores, 3) @ v).transpose(1, 2).flatten(2) @ p["Wo"][at]
        x = x + mlp * F.gelu(norm(x, p["gain2"][at]) @ p["W1"][at]) @ p["W2"][at]
    return norm(x, p["gain3"]) @ p["wte"].T


def drawn(parameters, heads, generator, choose=None, **of):
    context = [0]
    while len(context) <= len(parameters["wpe"]):
        probs = F.softmax(logits_of(parameters, torch.tensor([context]), heads, **of)[0, -1], 0)
        token = choose(probs) if choose else torch.multinomial(probs, 1, generator=generator).item()
        if token == 0:
            break
        context.append(token)
    return context[1:]

# === adam_of_the_library: Lets PyTorch clip, and lets its AdamW take the step; a fused kernel for the schedule's
#     optimizer.
# rows of adam, clip, learning_rate: forbidden

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

# === names_by_other_randomness: Draws from the right probabilities, with randomness of its own.
# rows of sample: failed

def sample(parameters, heads, generator):
    return drawn(parameters, heads, generator, lambda probs: int(torch.multinomial(probs, 1)))

# === names_without_the_mlp: Samples from the model without its MLP.
# rows of sample: failed

def sample(parameters, heads, generator):
    return drawn(parameters, heads, generator, mlp=0.0)

# === tokens_as_texts: The right names, of texts instead of whole numbers.
# rows of sample: shape

def sample(parameters, heads, generator):
    return [str(token) for token in drawn(parameters, heads, generator)]
