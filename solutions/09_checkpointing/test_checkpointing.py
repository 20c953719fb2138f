"""The hidden suite of lesson 09: values are compared with autograd's; the kernel measures memory and processor time.

Memory and time are those of a worker that makes one call and ends (`check.measured`), whatever the call computes
with: tensors, numpy arrays, lists of floats. Counts from the student's own process (`on.counted`) find the mistake's
name, and may fail a wasteful answer; no row passes because of them.
"""

import math
from dataclasses import dataclass
from functools import partial

import torch

from grader.calling.shuffled import Shuffled
from grader.comparison.trees import shown

DEEP = {"depth": 48, "every": 16, "batch": 30_000, "width": 3}
"""Where memory is measured: an activation has 0.72 MB, and one segment more is 11.5 MB."""
LONG_SEGMENTS = {"depth": 96, "every": 48, "batch": 20_000, "width": 3}
"""Where a segment is most of what is kept. A function that ignores `every` keeps far less, or too much in DEEP."""
LEAST_OF_A_SEGMENT = 0.85
"""The share of a segment's activations that a right answer has alive together there. It has them all, and some more."""
LONG = {"depth": 80, "every": 2, "batch": 256, "width": 48}
"""Where processor time is measured: to compute each of the 40 segments from `x` takes five times as long."""
ONE_SEGMENT = {"depth": 64, "every": 64, "batch": 256, "width": 48}
"""The same: to run the segment again for each layer takes six times as long."""
MAX_TIME = 2.4
"""Processor time allowed, in multiples of `PLAIN_WORK`'s. Right answers take 0.9 to 1.8, those schemes 4 and more."""

PLAIN_MEMORY = """
import torch


def checkpoints(x, weights, every):
    torch.tanh(x @ weights[0])
    return [x.clone() for _ in range(-(-len(weights) // every))]


def backward_checkpointed(x, weights, dout, every):
    torch.tanh(x @ weights[0])
    x.T @ dout
    dout * (1 - x**2) @ weights[0].T
    return x, weights
"""
"""What every answer needs: one layer's operations, and results of the right sizes."""

PLAIN_WORK = """
import torch


def backward_checkpointed(x, weights, dout, every):
    for W in weights:
        torch.tanh(x @ W)
        torch.tanh(x @ W)
        x.T @ dout
        dout * (1 - x**2) @ W.T
    return x, weights
"""
"""The operations of a right answer: every layer twice on the way forward, once on the way back."""


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
        dx, *gradients = torch.autograd.grad((Autograd.forward(leaves[0], leaves[1:]) * dout).sum(), leaves)
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


def with_arguments(name, result, arguments):
    """A result, and the arguments as they are after the call, by names for the messages."""
    return {name: result, **dict(zip(("x afterwards", "weights afterwards"), arguments, strict=False))}


def output(on, generator, depth, batch, width):
    x, weights, _ = network(generator, depth, batch, width)
    return with_arguments("output", *on.apply("forward", x, weights))


def all_gradients(on, generator, depth, batch, width):
    return named(*on.apply("backward_all", *network(generator, depth, batch, width)))


def kept_activations(on, generator, depth, every, batch, width):
    x, weights, _ = network(generator, depth, batch, width)
    return with_arguments("kept", *on.apply("checkpoints", x, weights, every))


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


MAX_LAYERS = 1_000_000
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
    depth, every = DEEP["depth"], DEEP["every"]
    measured = check.measured("checkpoints", given_to_checkpoints, DEEP, PLAIN_MEMORY)
    if not right(measured.value, check.once(right_checkpoints, DEEP)):
        check.fail(f"With {depth} layers, every = {every} and a batch of {DEEP['batch']} they are not right.")
    held, allowed = activations_in(measured, DEEP), math.ceil(depth / every) + every + 4
    if held > allowed:
        check.fail(
            f"The right activations come back, but with {depth} layers and every = {every} your function needed "
            f"memory for more than the {allowed} activations that are allowed beside these. Collecting all and picking "
            "out some afterwards needs the memory that checkpoints are to save: decide at each layer whether to keep "
            "it.",
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
    if not isinstance(found, (int, float)) or not 1 <= found <= MAX_LAYERS or found != int(found):
        return f"{shown(found)}, which is not a whole number from 1 to {MAX_LAYERS}"
    least = min(best_peak(depth, every) for every in range(1, depth + 1))
    if best_peak(depth, int(found)) <= least + 1:
        return "a spacing that keeps the fewest alive, or one more"
    return f"{shown(found)}, which keeps {best_peak(depth, int(found))} alive where {least} would do"


def test_best_spacing(check):
    check.agrees(spacings, reference=Autograd)


PRODUCTS = ("mm", "bmm", "addmm", "baddbmm", "mv", "addmv")


@dataclass(frozen=True)
class Counted:
    """What the student's process says of one call: evaluations of tanh and matrix products by torch."""

    evaluations: int
    products: int


def count(check, depth, every):
    """What `backward_checkpointed` evaluates, by its own process's account: enough to name a mistake, not to pass."""
    x, weights, dout = network(check.generator(depth, every), depth, 1, 3)
    _, counts = check.on.counted("backward_checkpointed", x, weights, dout, every)
    evaluations = counts.dispatched.get("tanh", 0) + counts.dispatched.get("tanh_", 0)
    return Counted(evaluations, sum(counts.dispatched.get(name, 0) for name in PRODUCTS))


def given_to_checkpoints(generator, depth, every, batch, width):
    x, weights, _ = network(generator, depth, batch, width)
    return x, weights, every


def right_checkpoints(generator, depth, every, batch, width):
    x, weights, _ = network(generator, depth, batch, width)
    return Autograd.checkpoints(x, weights, every)


def given_to_backward(generator, depth, every, batch, width):
    return *network(generator, depth, batch, width), every


def right_gradients(generator, depth, every, batch, width):
    return Autograd.backward_all(*network(generator, depth, batch, width))


def measured_backward(check, sizes, yardstick, cpu_ratio=None):
    """One call of `backward_checkpointed` and what it took. Ends the check unless its gradients are right."""
    measured = check.measured("backward_checkpointed", given_to_backward, sizes, yardstick, cpu_ratio)
    if not right(measured.value, check.once(right_gradients, sizes)):
        check.fail(
            f"With {sizes['depth']} layers and every = {sizes['every']} the gradients are not right yet; what they "
            "cost counts once they are. See the row `backward_checkpointed`: start there."
        )
    return measured


def activations_in(measured, sizes):
    """The memory that a call took, in activations."""
    return measured.extra_bytes / (sizes["batch"] * sizes["width"] * 8)


def most_in_memory(depth, every):
    return math.ceil(depth / every) + 2 * every + 5


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


def ignores_every(check):
    """Whether a call keeps less than one segment alive, as with segments of a length of its own.

    One that cuts the segments again has to evaluate layers a third time: the row `recomputation` judges that.
    """
    depth, every = LONG_SEGMENTS["depth"], LONG_SEGMENTS["every"]
    held = activations_in(measured_backward(check, LONG_SEGMENTS, PLAIN_MEMORY), LONG_SEGMENTS)
    return 1 < held < LEAST_OF_A_SEGMENT * every and count(check, depth, every).evaluations <= 2 * depth


def require_segments(check):
    """End the check if the segments are not those of `every`."""
    if ignores_every(check):
        depth, every = LONG_SEGMENTS["depth"], LONG_SEGMENTS["every"]
        check.fail(
            f"With {depth} layers and every = {every} your function never had the memory of a whole segment. Does it "
            "use `every`, the number of layers in a segment? Run each segment a second time once, and keep its "
            "activations until the way back has passed them.",
            mistake="every_ignored",
        )


def test_memory(check):
    require_segments(check)
    depth, every = DEEP["depth"], DEEP["every"]
    held = activations_in(measured_backward(check, DEEP, PLAIN_MEMORY), DEEP)
    allowed = most_in_memory(depth, every)
    if held <= allowed:
        return
    found = (
        f"With {depth} layers and every = {every} your function needed memory for more than the {allowed} "
        "activations that are allowed."
    )
    if held < depth - 1:
        check.fail(f"{found} Which tensors live longer than their segment? A list holds on to all that is in it.")
    if count(check, depth, every).evaluations <= depth + every:
        check.fail(
            f"{found} Nothing was computed again: all activations wait until their layer's turn comes. Keep the "
            "checkpoints only, and run each segment a second time from its own.",
            mistake="keeps_everything",
        )
    check.fail(
        f"{found} Activations are computed again, and yet all of them are alive together. Do finished segments stay in "
        "a list or a dictionary, is the whole network one segment, or does the first pass collect every activation?",
        mistake="segments_pile_up",
    )


def test_release(check):
    require_segments(check)
    depth, every = DEEP["depth"], DEEP["every"]
    held = activations_in(measured_backward(check, DEEP, PLAIN_MEMORY), DEEP)
    allowed = math.ceil(depth / every) + every + 8
    if held <= allowed:
        return
    found = (
        f"With {depth} layers and every = {every} your function needed memory for more than the {allowed} "
        "activations that are allowed."
    )
    if held > most_in_memory(depth, every):
        check.fail(f"{found} You keep nearly every activation of the network: the row `memory` says more.")
    if peak_of_one_segment(check) > 24 + 1 + 8:
        check.fail(
            f"{found} Is something kept for each layer of a segment beside its activation, such as the value "
            "before tanh, or a gradient? See what the derivative of tanh can be computed from.",
            mistake="two_tensors_a_layer",
        )
    check.fail(
        f"{found} While a segment is computed again, are the activations of the last one still alive? A name holds its "
        "list until it is bound anew, and that happens after the new list is complete: `del` it first, or let the end "
        "of a function release it.",
        mistake="previous_segment_lingers",
    )


def peak_of_one_segment(check):
    """Tensors of an activation's size alive with 24 layers in one segment: nothing can be left of another one."""
    x, weights, dout = network(check.generator(24), 24, 512, 3)
    _, counts = check.on.counted("backward_checkpointed", x, weights, dout, 24)
    return counts.peak_bytes / x.nbytes


# Wasteful schemes: (message, mistake, fewest and most evaluations for a depth and a spacing).
EXTRAVAGANT = (
    (
        "That is about one whole pass too many. Is tanh evaluated again for its slope, which its result gives as well? "
        "Or is the output computed in a run of its own?",
        "one_pass_too_many",
        lambda depth, every: (3 * depth - every - math.ceil(depth / every), 3 * depth),
    ),
    (
        "The number grows with the square of the depth: something is computed from `x` again each time, a segment or a "
        "checkpoint. The checkpoint before it is what it can start from.",
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
    held = activations_in(measured_backward(check, DEEP, PLAIN_MEMORY), DEEP)
    allowed = most_in_memory(DEEP["depth"], DEEP["every"])
    if held > allowed or ignores_every(check):
        check.fail(
            "This row counts once the row `memory` passes: a function that keeps more has less to compute again."
        )
    fail_if_recomputed_too_much(check)
    for sizes in (LONG, ONE_SEGMENT):
        ratio = measured_backward(check, sizes, PLAIN_WORK, MAX_TIME).cpu_ratio
        if ratio > MAX_TIME:
            check.fail(
                f"With {sizes['depth']} layers and every = {sizes['every']} your function took {ratio:.1f} times the "
                "processor time of evaluating each layer twice and going back once. Where is a layer computed a third "
                "time? One run through a segment gives all its activations."
            )


def fail_if_recomputed_too_much(check):
    """Fail the check if the student's process counts too many evaluations. Then the mistake has a name."""
    counts = {(depth, every): count(check, depth, every) for depth, every in ((30, 5), (20, 20), (20, 2))}
    over = [(depth, every) for (depth, every), counted in counts.items() if counted.evaluations > 2 * depth]
    if not over:
        return
    depth, every = over[0]
    told = (
        f"With {depth} layers and every = {every}, tanh was evaluated {counts[over[0]].evaluations} times; at most "
        f"{2 * depth} are allowed: one per layer in the forward pass, and one more per layer in the backward pass."
    )
    if all(counted.products <= 4 * depth for (depth, _), counted in counts.items()):
        check.fail(
            f"{told} There are no more matrix products than needed, so the derivative of tanh must evaluate it a "
            "second time. You can write the derivative with the activation that you have computed.",
            mistake="tanh_in_the_derivative",
        )
    for advice, mistake, expected in EXTRAVAGANT:
        ranges = [(expected(*sizes), counted.evaluations) for sizes, counted in counts.items()]
        if all(least <= evaluations <= most for (least, most), evaluations in ranges):
            check.fail(f"{told} {advice}", mistake=mistake)
    check.fail(f"{told} Where is a layer computed a third time? One pass through a segment gives all its activations.")
