"""The clinic: small networks, most of them with one thing wrong, and a report on each.

    from clinic import patient, training_run
    report = patient("saturated", seed=1)
    run = training_run("rate too small", seed=1)

A network has four to six hidden layers, tanh or ReLU, and two heads on the last one: a classifier and a single number.
README.md says what a report contains. The hidden patients are made by the same lines, from other seeds.
"""

import math

import torch
import torch.nn.functional as F

DIRECTIONS, STEPS, STRETCH = 6, 4, 5e-8
ACTIVATION = {"saturated": "tanh", "dead": "relu", "exploding": "relu"}  # the others occur with both


def patient(illness="healthy", seed=0, activation=None, where=None, unit=None):
    """The report of one network. The same seed with "healthy" gives the same network without its illness.

    `activation`: "tanh" or "relu". `where`: which layers are saturated or dead: "first", "middle", "last" or "all".
    `unit`: the factor of the loss, as if it were counted in cents or in millions. All three are drawn where None.
    """
    g = torch.Generator().manual_seed(seed)
    depth, width = whole(g, 4, 6), whole(g, 20, 28)
    batch, features, classes = whole(g, 40, 56), whole(g, 8, 16), whole(g, 3, 6)
    drawn_activation, drawn_unit = ("tanh", "relu")[whole(g, 0, 1)], 10 ** between(g, -3, 3)
    activation, unit = activation or ACTIVATION.get(illness, drawn_activation), unit or drawn_unit
    gain = between(g, 1.0, 1.4) if activation == "tanh" else 2**0.5
    sizes = [features] + [width] * depth
    parameters = {}
    for layer in range(1, depth + 1):
        parameters[f"W{layer}"] = normal(g, sizes[layer - 1], width) * gain / sizes[layer - 1] ** 0.5
        parameters[f"b{layer}"] = normal(g, width) * 0.05
    parameters["classifier"] = normal(g, width, classes) / width**0.5
    parameters["number"] = 2 * normal(g, width) / width**0.5
    data = normal(g, batch, features), torch.randint(0, classes, (batch,), generator=g), normal(g, batch)

    middle, rate, where = whole(g, 2, depth - 1), between(g, 0.15, 0.35), where or "middle"
    sick = {"first": [1], "middle": [middle], "last": [depth], "all": range(1, depth + 1)}[where]
    if illness == "saturated":
        for layer in sick:
            parameters[f"W{layer}"] *= 10 if where == "all" else between(g, 20, 30)
    elif illness == "dead":
        alive = 0 if sick == [middle] else 2  # if every unit of the last layer were dead, all gradients would be zero
        for layer in sick:
            parameters[f"b{layer}"] = torch.where(torch.arange(width) < width - alive, -1000.0, 1.0).double()
    elif illness in ("vanishing", "exploding"):
        factor = 1 / rate if illness == "exploding" else rate / gain if activation == "tanh" else rate
        for layer in range(1, depth + 1):
            parameters[f"W{layer}"] *= factor
            parameters[f"b{layer}"] *= factor**layer

    def loss_of(parameters, data, forget=illness == "forgotten branch"):
        (x, classes, numbers), h = data, []
        for layer in range(1, depth + 1):
            x = getattr(torch, activation)(x @ parameters[f"W{layer}"] + parameters[f"b{layer}"])
            h.append(x)
        reduction = "sum" if illness == "not averaged" else "mean"
        second = x.detach() if forget else x  # the gradient of the second head gets lost here
        loss = F.cross_entropy(x @ parameters["classifier"], classes, reduction=reduction)
        return unit * (loss + F.mse_loss(second @ parameters["number"], numbers, reduction=reduction)), h

    def backward(data, steps=1):
        """(h, dh, the parameters' gradients) after each backward pass. They add up if the patient is "not zeroed"."""
        leaves = {name: value.clone().requires_grad_() for name, value in parameters.items()}
        for _ in range(steps):
            if illness != "not zeroed":
                for leaf in leaves.values():
                    leaf.grad = None
            loss, h = loss_of(leaves, data)
            for value in h:
                value.retain_grad()
            loss.backward()
            gradients = {name: leaf.grad.clone() for name, leaf in leaves.items()}
            yield [value.detach() for value in h], [value.grad for value in h], gradients

    def slope(direction):
        """The slope by central differences, which use no backward pass: so they contain the forgotten branch."""
        ends = [{k: v + sign * STRETCH * direction[k] for k, v in parameters.items()} for sign in (1, -1)]
        return float(loss_of(ends[0], data, False)[0] - loss_of(ends[1], data, False)[0]) / (2 * STRETCH)

    steps = list(backward(data, STEPS))
    h, dh, gradients = steps[0]
    (*_, tripled) = next(backward([torch.cat([part] * 3) for part in data]))
    directions = [{k: normal(g, *v.shape) * v.abs() for k, v in parameters.items()} for _ in range(DIRECTIONS)]
    return {
        "activation": activation,
        "h": h,
        "dh": dh,
        "parameters": parameters,
        "gradients": gradients,
        "learning_rate": 0.1,
        "norm_by_step": [norm(gradients) for *_, gradients in steps],
        "norm_by_batch": [norm(gradients), norm(tripled)],
        "slopes_claimed": [sum(float((gradients[k] * d[k]).sum()) for k in d) for d in directions],
        "slopes_measured": [slope(d) for d in directions],
    }


RUN_STEPS = 60
RATES = {"learning": (0.02, 0.035), "finished": (1.0, 1.4), "rate too small": (1e-6, 1e-5), "dead layer": (0.3, 0.6)}


def training_run(illness="learning", seed=0, unit=None):
    """A whole training run: plain gradient descent on one batch, 60 steps, by a network with one hidden ReLU layer.

    README.md says what a run contains. `unit`: the factor of the loss; drawn where None.
    """
    g = torch.Generator().manual_seed(seed)
    batch, features, width, classes = whole(g, 24, 36), whole(g, 12, 16), whole(g, 28, 36), whole(g, 3, 5)
    drawn_unit, rate = 10 ** between(g, -3, 3), between(g, *RATES[illness])
    unit = unit or drawn_unit
    x = normal(g, batch, features)
    labels = (x @ normal(g, features, classes)).argmax(1)
    parameters = {
        "W1": normal(g, features, width) * (2 / features) ** 0.5,
        "b1": normal(g, width) * 0.05 - (1000 if illness == "dead layer" else 0),
        "W2": normal(g, width, classes) * 0.3 / width**0.5,
        "b2": normal(g, classes) * 0.05,
    }
    leaves = [value.requires_grad_() for value in parameters.values()]
    losses, ratios = [], []
    for _ in range(RUN_STEPS):
        h = torch.relu(x @ parameters["W1"] + parameters["b1"])
        loss = F.cross_entropy(h @ parameters["W2"] + parameters["b2"], labels)
        gradients = torch.autograd.grad(loss, leaves)
        with torch.no_grad():
            length = norm(parameters)
            for leaf, gradient in zip(leaves, gradients, strict=True):
                leaf -= rate * gradient
        losses.append(unit * loss.item())
        ratios.append(rate * norm(dict(enumerate(gradients))) / length)
    return {
        "losses": losses,
        "know_nothing": unit * math.log(classes),
        "update_ratios": ratios,
        "h": h.detach(),
    }


def norm(gradients):
    """The norm of all gradients together."""
    return float(torch.cat([gradient.reshape(-1) for gradient in gradients.values()]).norm())


def normal(generator, *shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def between(generator, low, high):
    return low + (high - low) * float(torch.rand((), generator=generator, dtype=torch.float64))


def whole(generator, low, high):
    return int(torch.randint(low, high + 1, (), generator=generator))
