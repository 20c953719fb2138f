"""What `dojo check 09` asks your functions: autograd's gradients on small networks, and what they keep and compute.

A hidden suite asks with networks of its own, and counts on deeper ones.
"""

import math

import torch

BATCH, WIDTH = 256, 4  # where it is counted


def network(generator, depth, batch=3, width=WIDTH):
    """(x, weights, dout)"""
    weights = [torch.randn(width, width, generator=generator, dtype=torch.float64) / 2 for _ in range(depth)]
    x, dout = (torch.randn(batch, width, generator=generator, dtype=torch.float64) for _ in range(2))
    return x, weights, dout


def layers(x, weights):
    """Every layer's input and the output, by a torch.nn.Sequential."""
    found = [x]
    for weight in weights:
        layer = torch.nn.Sequential(torch.nn.Linear(*weight.shape, bias=False), torch.nn.Tanh())
        layer[0].weight = torch.nn.Parameter(weight.T)
        found.append(layer(found[-1]))
    return found


class Autograd:
    @staticmethod
    def forward(x, weights):
        return layers(x, weights)[-1].detach()

    @staticmethod
    def backward_all(x, weights, dout):
        with torch.enable_grad():
            leaves = [leaf.clone().requires_grad_() for leaf in (x, *weights)]
            out = leaves[0]
            for weight in leaves[1:]:
                out = torch.tanh(torch.matmul(out, weight))
            dx, *gradients = torch.autograd.grad(out, leaves, dout)
        return dx, gradients

    @staticmethod
    def backward_checkpointed(x, weights, dout, every):
        return Autograd.backward_all(x, weights, dout)


def output(on, generator, depth):
    return on.call("forward", *network(generator, depth)[:2])


def gradients(on, generator, depth, every=None):
    name = "backward_checkpointed" if every else "backward_all"
    dx, slopes = on.call(name, *network(generator, depth), *([every] if every else []))
    return {"dx": dx, "gradients": slopes}


def test_forward(check):
    check.agrees(output, ({"depth": 3}, {"depth": 1}), reference=Autograd)


def test_backward_all(check):
    check.agrees(gradients, ({"depth": 3}, {"depth": 1}), reference=Autograd)


def test_best_spacing(check):
    for depth, fewest in ((16, 8), (100, 20)):
        every = int(check.on.call("best_spacing", depth))
        kept = math.ceil(depth / every) + every
        if kept > fewest + 1:
            check.fail(f"With {depth} layers, a checkpoint for every {every} keeps {kept}; {fewest} are possible.")


def test_checkpoints(check):
    x, weights, _ = network(check.generator(), 7)
    for every, places in ((3, (0, 3, 6)), (7, (0,)), (2, (0, 2, 4, 6))):
        kept = [layers(x, weights)[place].detach() for place in places]
        check.gives("checkpoints", (x, weights, every), kept)


def test_backward_checkpointed(check):
    check.agrees(gradients, ({"depth": 7, "every": 3}, {"depth": 4, "every": 4}), reference=Autograd)


def cost(check, depth, every):
    """(tensors of an activation's size alive at most, evaluations of tanh) of a right `backward_checkpointed`."""
    given = network(check.generator(), depth, BATCH)
    (dx, slopes), counts = check.on.counted("backward_checkpointed", *given, every)
    expected = Autograd.backward_all(*given)
    check.equals({"dx": dx, "gradients": slopes}, dict(zip(("dx", "gradients"), expected, strict=True)))
    evaluations = sum(counts.dispatched.get(name, 0) for name in ("tanh", "tanh_"))
    if evaluations < depth:
        check.fail(f"Of {depth} layers' tanh only {evaluations} were seen: call `torch.tanh` on tensors.")
    return counts.peak_bytes / given[0].nbytes, evaluations


def at_most(check, allowed, depth, every):
    alive, _ = cost(check, depth, every)
    if alive > allowed:
        check.fail(
            f"With {depth} layers and every = {every}, {alive:.0f} tensors of an activation's size were alive at one "
            f"moment; {allowed} are allowed."
        )


def test_memory(check):
    at_most(check, math.ceil(48 / 6) + 2 * 6 + 8, 48, 6)


def test_release(check):
    at_most(check, math.ceil(64 / 16) + 16 + 8, 64, 16)


def test_recomputation(check):
    for depth, every in ((24, 4), (12, 12)):
        _, evaluations = cost(check, depth, every)
        if evaluations > 2 * depth:
            found = f"With {depth} layers and every = {every}, tanh was evaluated {evaluations} times"
            check.fail(f"{found}; {2 * depth} are allowed.")
