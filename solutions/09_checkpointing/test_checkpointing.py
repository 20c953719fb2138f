"""The hidden suite of lesson 09. Values are compared with autograd's; memory and recomputation are counted, not timed.

Counts come from the student's process: the tensors that torch made there and the operators it dispatched. What is kept
outside torch (numpy copies, lists of floats) is not seen, hence the demand that every layer's tanh is.
"""

import math
from dataclasses import dataclass
from functools import partial

import torch

from grader.agreement import shown
from grader.shuffling import Shuffled

BATCH, WIDTH = 512, 3  # where memory is counted: an activation outweighs a hundred weights
ACTIVATION_BYTES = BATCH * WIDTH * 8


def network(generator, depth, batch, width):
    """(x, weights, dout) of a network in which neither activations nor gradients die out."""
    x = torch.randn(batch, width, generator=generator, dtype=torch.float64)
    weights = [torch.randn(width, width, generator=generator, dtype=torch.float64) for _ in range(depth)]
    weights = [1.2 * torch.linalg.qr(W).Q + 0.1 * W for W in weights]
    return x, weights, torch.randn(batch, width, generator=generator, dtype=torch.float64)


class Autograd:
    """The same functions, with PyTorch's own derivatives."""

    @staticmethod
    def activations(x, weights):
        h = [x]
        for W in weights:
            h.append(torch.tanh(h[-1] @ W))
        return h

    @staticmethod
    def forward(x, weights):
        return Autograd.activations(x, weights)[-1]

    @staticmethod
    def backward_all(x, weights, dout):
        leaves = [tensor.clone().requires_grad_() for tensor in (x, *weights)]
        dx, *gradients = torch.autograd.grad(Autograd.forward(leaves[0], leaves[1:]), leaves, dout)
        return dx, gradients

    @staticmethod
    def checkpoints(x, weights, every):
        return Autograd.activations(x, weights)[:-1][::every]

    @staticmethod
    def backward_checkpointed(x, weights, dout, every):
        return Autograd.backward_all(x, weights, dout)

    @staticmethod
    def best_spacing(depth):
        return round(math.sqrt(depth))


def named(result, arguments):
    """The parts of (dx, gradients), and the arguments as they are after the call, by names for the messages."""
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        raise ValueError("it should be `(dx, gradients)`, a pair of a tensor and a list")
    afterwards = dict(zip(("x afterwards", "weights afterwards", "dout afterwards"), arguments, strict=False))
    return {"dx": result[0], "gradients": result[1], **afterwards}


def output(on, generator, depth, batch, width):
    x, weights, _ = network(generator, depth, batch, width)
    return on.call("forward", x, weights)


def all_gradients(on, generator, depth, batch, width):
    return named(*on.apply("backward_all", *network(generator, depth, batch, width)))


def kept_activations(on, generator, depth, every, batch, width):
    x, weights, _ = network(generator, depth, batch, width)
    return on.call("checkpoints", x, weights, every)


def gradients_from_checkpoints(on, generator, depth, every, batch, width):
    return named(*on.apply("backward_checkpointed", *network(generator, depth, batch, width), every))


def spacings(on, generator):
    """One depth of each range, in a random order."""
    questions = Shuffled(generator)
    for least, most in DEPTHS:
        depth = questions.some(least, most)
        questions.add(f"best_spacing({depth})", partial(spacing_of, on, depth))
    return questions.answers()


def spacing_of(on, depth):
    return spacing_in_words(on.call("best_spacing", depth), depth)


MOST_LAYERS = 1_000_000
DEPTHS = ((1, 1), (2, 3), (4, 6), (7, 9), (10, 12), (13, 20), (21, 40), (41, 60), (61, 80), (81, 99), (100, 100))
DEPTHS += ((101, 130), (131, 180), (181, 300), (301, 500), (501, 800), (801, 1200))
NETWORKS = tuple(
    {"depth": depth, "batch": batch, "width": width}
    for depth, batch, width in ((4, 3, 5), (1, 2, 3), (7, 5, 2), (6, 1, 4))
)
SEGMENTED = tuple(
    {"depth": depth, "every": every, "batch": batch, "width": width}
    for depth, every, batch, width in (
        (7, 3, 5, 4),  # a short segment at the end
        (6, 3, 4, 5),  # none
        (8, 5, 3, 2),
        (4, 1, 2, 3),  # every activation is kept
        (4, 4, 3, 2),  # only x is
        (3, 5, 2, 4),
        (1, 2, 1, 3),
    )
)


def test_forward(check):
    check.agrees(output, draws=NETWORKS, reference=Autograd)


def test_backward_all(check):
    check.agrees(all_gradients, draws=NETWORKS, reference=Autograd)


def test_checkpoints(check):
    check.agrees(kept_activations, draws=SEGMENTED, reference=Autograd)
    depth, every = 64, 8
    x, weights, _ = network(check.generator(depth, every), depth, BATCH, WIDTH)
    _, counts = check.on.counted("checkpoints", x, weights, every)
    alive, allowed = counts.peak_bytes / ACTIVATION_BYTES, math.ceil(depth / every) + every + 4
    if alive > allowed:
        check.fail(
            f"The right activations come back, but with {depth} layers and every = {every} there were {alive:.0f} of "
            f"them alive at one moment; at most {allowed} are allowed. Collecting all and picking out some afterwards "
            "needs the memory that checkpoints are to save: decide at each layer whether to keep it.",
            mistake="picked_out_afterwards",
        )


def test_backward_checkpointed(check):
    check.agrees(gradients_from_checkpoints, draws=SEGMENTED, reference=Autograd)


def best_peak(depth, every):
    """Checkpoints plus one segment: the most activations alive at one moment, in the count that the README makes."""
    return math.ceil(depth / every) + every


def spacing_in_words(found, depth):
    """What a spacing is worth: the same words for all good ones, so that rounding up or down is as you like."""
    found = found.item() if isinstance(found, torch.Tensor) and found.numel() == 1 else found
    if not isinstance(found, (int, float)) or not 1 <= found <= MOST_LAYERS or found != int(found):
        return f"{shown(found)}, which is no whole number from 1 to {MOST_LAYERS}"
    least = min(best_peak(depth, every) for every in range(1, depth + 1))
    if best_peak(depth, int(found)) <= least + 1:
        return "a spacing that keeps the fewest alive, or one more"
    return f"{shown(found)}, which keeps {best_peak(depth, int(found))} alive where {least} would do"


def test_best_spacing(check):
    check.agrees(spacings, reference=Autograd)


PRODUCTS = ("mm", "bmm", "addmm", "baddbmm", "mv", "addmv")


@dataclass(frozen=True)
class Counted:
    """Of one call: tensors of an activation's size alive at most, evaluations of tanh, matrix products."""

    alive: float
    evaluations: int
    products: int


def count(check, depth, every, batch=BATCH, width=WIDTH):
    """What the student's `backward_checkpointed` needs. Ends the check unless its gradients are right."""
    x, weights, dout = network(check.generator(depth, every), depth, batch, width)
    found, counts = check.on.counted("backward_checkpointed", x, weights, dout, every)
    if not right(found, Autograd.backward_all(x, weights, dout)):
        check.fail(
            f"With {depth} layers and every = {every} the gradients are not right yet; what they cost counts once they "
            "are. The row `backward_checkpointed` says more."
        )
    evaluations = counts.dispatched.get("tanh", 0) + counts.dispatched.get("tanh_", 0)
    if evaluations < depth:
        check.fail(
            f"Of {depth} layers' tanh only {evaluations} were seen. What is computed outside torch's tensors, or by "
            "another formula, cannot be counted: call `torch.tanh` on tensors."
        )
    products = sum(counts.dispatched.get(name, 0) for name in PRODUCTS)
    return Counted(counts.peak_bytes / (batch * width * 8), evaluations, products)


def right(found, expected):
    """Whether (dx, gradients) are the expected ones; what was found may be anything."""
    if isinstance(expected, torch.Tensor):
        return (
            isinstance(found, torch.Tensor)
            and found.shape == expected.shape
            and bool((found.double() - expected).norm() <= 1e-9 * expected.norm())
        )
    return (
        isinstance(found, (tuple, list))
        and len(found) == len(expected)
        and all(right(part, reference) for part, reference in zip(found, expected, strict=True))
    )


def test_memory(check):
    depth, every = 60, 7
    counted = count(check, depth, every)
    allowed = math.ceil(depth / every) + 2 * every + 8
    if counted.alive <= allowed:
        return
    found = (
        f"With {depth} layers and every = {every} there were {counted.alive:.0f} tensors of an activation's size alive "
        f"at one moment; at most {allowed} are allowed."
    )
    if counted.alive < depth - 1:
        check.fail(f"{found} Which tensors live longer than their segment? A list holds on to all that is in it.")
    if counted.evaluations <= depth + every:
        check.fail(
            f"{found} Nothing was computed again: all activations wait until their layer's turn comes. Keep the "
            "checkpoints only, and run each segment a second time from its own.",
            mistake="keeps_everything",
        )
    check.fail(
        f"{found} Activations are computed again, and yet all of them are alive together. Do finished segments stay in "
        "a list? Or does the first pass collect every activation, checkpoint or not?",
        mistake="segments_pile_up",
    )


def test_release(check):
    for depth, every in ((24, 24), (80, 16)):  # in the first nothing can be left of another segment
        alive = count(check, depth, every).alive
        allowed = math.ceil(depth / every) + every + 8
        if alive <= allowed:
            continue
        found = (
            f"With {depth} layers and every = {every} there were {alive:.0f} tensors of an activation's size alive at "
            f"one moment; at most {allowed} are allowed."
        )
        if every == depth:
            check.fail(
                f"{found} Is something kept for each layer of a segment beside its activation, such as the value "
                "before tanh, or a gradient? See what the derivative of tanh can be computed from.",
                mistake="two_tensors_a_layer",
            )
        if alive >= depth - 1:
            check.fail(f"{found} That is every activation of the network: the row `memory` says more.")
        check.fail(
            f"{found} While a segment is computed again, is the one before it still alive? A name holds its list until "
            "it is bound anew, and that happens after the new list is complete: `del` it first, or let the end of a "
            "function release it.",
            mistake="previous_segment_lingers",
        )


# What extravagant schemes need: (what is told, mistake, fewest and most evaluations for a depth and a spacing).
EXTRAVAGANT = (
    (
        "That is about one whole pass too many. Is the output computed in a run of its own? The way back needs it for "
        "the last segment only, which is computed again anyway.",
        "one_pass_too_many",
        lambda depth, every: (3 * depth - every - math.ceil(depth / every), 3 * depth),
    ),
    (
        "The number grows with the square of the depth: each segment is computed from `x` again. Its own checkpoint is "
        "what it can start from.",
        "from_the_input",
        lambda depth, every: about(sum(min(start + every, depth) for start in range(0, depth, every)), depth),
    ),
    (
        "The number grows with the length of the segments: a segment is run again for each of its layers. One run "
        "gives all its activations; keep these until the way back has passed them.",
        "again_for_each_layer",
        lambda depth, every: about(sum(layer % every + 1 for layer in range(depth)), depth),
    ),
    (
        "Each layer's activation is computed from `x` again. Start from the nearest checkpoint, and compute the "
        "activations of a segment in one run.",
        "each_layer_from_the_input",
        lambda depth, every: about(depth * (depth + 1) // 2, depth),
    ),
)


def about(evaluations, depth):
    """A range: up to one pass fewer, or one pass more."""
    return evaluations - depth, evaluations + depth


def test_recomputation(check):
    counts = {(depth, every): count(check, depth, every, batch=1) for depth, every in ((30, 5), (20, 20), (20, 2))}
    over = [(depth, every) for (depth, every), counted in counts.items() if counted.evaluations > 2 * depth]
    if not over:
        return
    depth, every = over[0]
    told = (
        f"With {depth} layers and every = {every}, tanh was evaluated {counts[over[0]].evaluations} times; at most "
        f"{2 * depth} are allowed: once for each layer on the way forward, and once more for each on the way back."
    )
    if all(counted.products <= 4 * depth for (depth, _), counted in counts.items()):
        check.fail(
            f"{told} There are no more matrix products than that takes, so it must be the derivative of tanh that "
            "evaluates it once more. It can be had from the activation, which you have computed.",
            mistake="tanh_in_the_derivative",
        )
    for advice, mistake, expected in EXTRAVAGANT:
        ranges = [(expected(*sizes), counted.evaluations) for sizes, counted in counts.items()]
        if all(least <= evaluations <= most for (least, most), evaluations in ranges):
            check.fail(f"{told} {advice}", mistake=mistake)
    check.fail(f"{told} Where is a layer computed a third time? One pass through a segment gives all its activations.")
