"""The public examples that `dojo check 15` runs for loss, optimizer and training. The hidden test suite has others."""

from pathlib import Path

import torch

from grader.lesson.course_modules import load_module

FORWARD = load_module(Path(__file__).with_name("forward.py"), "backprop_ninja_forward_15_example")
SIZES = {"batch": 3, "time": 4, "positions": 6, "vocabulary": 8, "heads": 2, "size": 3, "hidden": 5, "layers": 2}


class Values:
    """What `forward` calls `t`, without a graph of its own."""

    def __init__(self, **values):
        vars(self).update(values)


def drawn(generator):
    """(parameters, X, Y, heads)"""
    made = FORWARD.inputs(generator, **SIZES)
    return {name: made[name].double() for name in FORWARD.PARAMETERS}, made["X"], made["Y"], made["heads"]


def like(parameters):
    return {name: torch.zeros_like(value) for name, value in parameters.items()}


def two(*numbers):
    """A dict with two small tensors, a matrix and a gain."""
    values = torch.tensor(numbers, dtype=torch.float64)
    return {"Wo": values[:2].view(1, 2), "gain3": values[2:]}


def test_loss(check):
    parameters, X, Y, heads = drawn(check.generator())
    t = Values(**parameters, X=X, Y=Y, heads=heads)
    FORWARD.forward(t)
    found = check.on.call("gradients", parameters, X, Y, heads)
    check.equals({"loss": found["loss"] if isinstance(found, dict) else found[0]}, {"loss": t.loss})


def test_clip(check):
    (clipped, norm), _ = check.on.apply("clip", two(2.0, -1.0, 2.0), 1.5)
    check.equals({"norm": norm, **clipped}, {"norm": 3.0, **two(1.0, -0.5, 1.0)})
    (clipped, norm), _ = check.on.apply("clip", two(2.0, -1.0, 2.0), 4.0)
    check.equals({"norm of short ones": norm, **clipped}, {"norm of short ones": 3.0, **two(2.0, -1.0, 2.0)})


def test_adam(check):
    """With the same gradient twice, both averages are corrected to it and its square: a step is rate * its sign.

    One gradient is as small as what is added to the root, so its steps are half as long.
    """
    start, slope = two(1.0, -2.0, 3.0), two(0.5, -0.25, 1e-8)
    _, after = check.on.apply("adam", start, slope, like(start), like(start), 0, 0.1, 0.5)
    check.equals(
        {"Wo": after[0]["Wo"].round(decimals=6), "gain3": after[0]["gain3"].round(decimals=6), "mean": after[2]["Wo"]},
        {**two(0.85, -1.8, 2.95), "mean": slope["Wo"] / 10},
    )
    parameters, _, means, squares = after[:4]
    _, after = check.on.apply("adam", parameters, slope, means, squares, 1, 0.1, 0)
    found = {f"{name} after two steps": value.round(decimals=6) for name, value in after[0].items()}
    check.equals(found, dict(zip(found, two(0.75, -1.7, 2.9).values(), strict=True)))


def test_learning_rate(check):
    found = {f"step {step} of 20": check.on.call("learning_rate", step, 20) for step in (0, 1, 2, 11)}
    check.equals(found, {"step 0 of 20": 0.005, "step 1 of 20": 0.01, "step 2 of 20": 0.01, "step 11 of 20": 0.0055})


def short_run(check, cuts):
    """The losses and the embeddings after three steps, in as many calls as there are cuts."""
    parameters, X, Y, heads = drawn(check.generator())
    means, squares, losses = like(parameters), like(parameters), []
    for start, end in cuts:
        batches = [torch.tensor([0, 1]), torch.tensor([2, 1]), torch.tensor([0, 2])][start:end]
        more, after = check.on.apply("train", parameters, means, squares, X, Y, batches, 10, heads, start=start)
        parameters, means, squares = after[:3]
        losses += list(more)
    return {"losses": losses, "wte": parameters["wte"]}


def by_autograd(check):
    parameters, X, Y, heads = drawn(check.generator())
    leaves = {name: value.clone().requires_grad_() for name, value in parameters.items()}
    means, squares, losses = like(parameters), like(parameters), []
    for step, ix in enumerate((torch.tensor([0, 1]), torch.tensor([2, 1]), torch.tensor([0, 2]))):
        with torch.enable_grad():
            t = Values(**leaves, X=X[ix], Y=Y[ix], heads=heads)
            FORWARD.forward(t)
            slopes = torch.autograd.grad(t.loss, list(leaves.values()))
        losses.append(float(t.loss.detach()))
        size = torch.cat([slope.flatten() for slope in slopes]).norm()
        rate = 0.01 if step < 1 else 0.001 + 0.009 * torch.cos(torch.tensor((step - 1) / 9) * torch.pi / 2).item() ** 2
        for name, slope in zip(leaves, slopes, strict=True):
            slope = slope * min(1.0, 1.0 / size)
            means[name] = means[name] + (slope - means[name]) / 10
            squares[name] = squares[name] + (slope**2 - squares[name]) / 100
            fresh = 1 - 0.9 ** (step + 1), 1 - 0.99 ** (step + 1)
            move = (means[name] / fresh[0]) / ((squares[name] / fresh[1]) ** 0.5 + 1e-8)
            kept = 1.0 if name.startswith("gain") else 1 - 0.1 * rate
            leaves[name] = (leaves[name].detach() * kept - rate * move).requires_grad_()
    return {"losses": losses, "wte": leaves["wte"].detach()}


def test_trajectory(check):
    check.equals(rounded(short_run(check, [(0, 3)])), rounded(by_autograd(check)))


def test_resumed(check):
    check.equals(rounded(short_run(check, [(0, 1), (1, 3)])), rounded(by_autograd(check)))


def rounded(found):
    return {"losses": [round(float(loss), 6) for loss in found["losses"]], "wte": found["wte"].round(decimals=6)}


def test_sample(check):
    """Without blocks that change anything, and with one token that is as good as certain at every position."""
    parameters, _, _, heads = drawn(check.generator())
    parameters["Wo"] *= 0
    parameters["W2"] *= 0
    parameters["wte"] = torch.eye(8, 6, dtype=torch.float64)
    parameters["wpe"] = 9 * parameters["wte"][[3, 1, 3, 2, 0, 4]]
    parameters["gain3"] = torch.full((6,), 50.0, dtype=torch.float64)
    name = check.on.call("sample", parameters, heads, torch.Generator().manual_seed(1))
    check.equals({"name": [int(token) for token in name]}, {"name": [3, 1, 3, 2]})
    parameters["wpe"] = 9 * parameters["wte"][[3, 1, 3, 2, 4, 1]]  # nothing ends this one before the last position
    name = check.on.call("sample", parameters, heads, torch.Generator().manual_seed(1))
    check.equals({"long name": [int(token) for token in name]}, {"long name": [3, 1, 3, 2, 4, 1]})
