"""Known mistakes of lesson 09, each with the message that its author gets.

Those of memory and recomputation return the right gradients: the hidden test suite recognises them by what it counts. A
mistake may call the solution's other functions, because its text is appended to the solution's.
"""

# ruff: noqa: F821

import math

import torch

from grader.lesson.mistakes import mistake, mistake_list

MISTAKES_1 = mistake_list("""
[forward]
- for W in weights:
-     h = torch.tanh(h @ W)
- return h
no_tanh:
        for W in weights:
            h = h @ W
        return h
    The layers are products only here. Every product goes through tanh before it is the next activation.
linear_at_the_end:
        for W in weights:
            z = h @ W
            h = torch.tanh(z)
        return z
    The last product does not go through tanh. In this network all layers are alike, the last one too.
tanh_before_the_product:
        for W in weights:
            h = torch.tanh(h) @ W
        return h
    tanh is taken of a layer's input here. It comes after the product: what leaves a layer lies between -1 and 1.
transposed:
        for W in weights:
            h = torch.tanh(h @ W.T)
        return h
    The matrices are transposed here. They are square, so the shapes cannot tell; the definition says `h @ W`.

- h = x
- for W in weights:
-     h = torch
last_layer_first:
        h = x
        for W in reversed(weights):
            h = torch
    You go through the layers from the last to the first. Only the backward pass has that order.

- for W in weights:
-     h = torch.tanh(h @ W)
- return h
input_to_every_layer:
        for W in weights:
            h = torch.tanh(x @ W)
        return h
    Every layer starts from `x` here, so only the last one counts. A layer's input is the activation before it.

tanh_once:
        for W in weights:
            h = h @ W
        return torch.tanh(h)
    tanh stands behind the loop, so only the last product goes through it. Every layer has its own.
last_layer_missing:
        for W in weights[:-1]:
            h = torch.tanh(h @ W)
        return h
    The last layer is left out: this is the activation that goes into it.
x_overwritten:
        for W in weights:
            h.copy_(torch.tanh(h @ W))
        return h
    The output is right, but `x` is not what it was: you write the activations into the tensor you were given. Make a
    new tensor for each layer.

[backward_all]
- dz = dh * (1 - h[i + 1] ** 2)
gate_of_the_input: dz = dh * (1 - h[i] ** 2)
    The derivative of tanh is taken at the layer's input, one activation too early. Which activation is the result of
    that tanh?
not_squared: dz = dh * (1 - h[i + 1])
    The square is missing in the derivative of tanh. At an activation of -1 the gate is closed as well: check what yours
    gives there.
tanh_twice: dz = dh * (1 - torch.tanh(h[i + 1]) ** 2)
    tanh is applied twice in its derivative: an activation is the result of tanh already.
sigmoid: dz = dh * h[i + 1] * (1 - h[i + 1])
    h(1 - h) is the derivative of the sigmoid. tanh has another one, which is 1 where the activation is 0.
no_gate: dz = dh
    The gradient goes from activation to activation through the products alone. What does it meet between an activation
    and the product that it was made from?
gate_divided: dz = dh / (1 - h[i + 1] ** 2)
    The gradient is divided by the derivative of tanh. Local derivatives multiply.

- gradients.insert(0, h[i].T @ dz)
weights_from_the_output: gradients.insert(0, h[i + 1].T @ dz)
    The gradients of the matrices are made from the activation that a layer gives. What is the matrix multiplied with?
weights_transposed: gradients.insert(0, dz.T @ h[i])
    The gradients of the matrices are transposed. They are square, so the shapes cannot tell: write one element with
    indices, or think of a matrix that is not square.
weights_before_the_gate: gradients.insert(0, h[i].T @ dh)
    The gradients of the matrices are made from the gradient after tanh. The product comes before tanh: which gradient
    belongs to the product's result?
weights_averaged: gradients.insert(0, h[i].T @ dz / len(x))
    The gradients of the matrices are divided by the batch size. `dout` may come from a mean, but that is its own
    business: here the examples add up.
weights_in_backward_order: gradients.append(h[i].T @ dz)
    The gradients of the matrices are in the order of the backward pass, the last layer's first. Return them in the
    order of `weights`.

- dh = dz @ weights[i].T
through_not_transposed: dh = dz @ weights[i]
    On the way through a product the matrix is not transposed. It is square, so the shapes cannot tell: try a matrix
    that is not.
through_without_gate: dh = dh @ weights[i].T
    The matrices' gradients have the derivative of tanh in them, but what goes on to the layer before has not: it passes
    the same tanh.
neighbours_matrix: dh = dz @ weights[max(i - 1, 0)].T
    Your backward pass uses the wrong matrix, that of the layer before. Each gradient goes back through the matrix that
    its activation was multiplied with.
stops_before_the_input: dh = dz @ weights[i].T if i else dz
    What is returned as `dx` is the gradient of the first layer's product. One step is missing, from there to `x`.

- dz = dh * (1 - h[i + 1] ** 2)
dout_at_every_layer: dz = dout * (1 - h[i + 1] ** 2)
    `dout` is taken for the upstream gradient of every layer. It is that of the last one: each layer gets what comes
    back from the layer after it.

- gradients.insert(0, h[i].T @ dz)
- dh = dz @ weights[i].T
matrix_after_the_product:
        dh = dz @ weights[i].T
        gradients.insert(0, h[i].T @ dh)
    The gradients of the matrices are made with a gradient that went through the matrix already. Which one arrives at
    the product?
products_for_activations:
        gradients.insert(0, (h[i - 1] @ weights[i - 1] if i else x).T @ dz)
        dh = dz @ weights[i].T
    The gradients of the matrices are made with products before tanh. Which value is multiplied by the matrix?

- dh, gradients = dout, []
- for i in
ones_for_dout:
        dh, gradients = torch.ones_like(dout), []
        for i in
    Your backward pass starts from ones. They are the gradient of the sum of the outputs; start from `dout`.

- dz = dh * (1 - h[i + 1] ** 2)
dout_changed: dz = dh.mul_(1 - h[i + 1] ** 2)
    The gradients are right, but `dout` is not what it was: `*=` and methods such as `mul_` write into the tensor you
    were given. Start from a `.clone()`, or make a new tensor.

- dz = dh * (1 - h[i + 1] ** 2)
last_gate_skipped: dz = dh * (1 - h[i + 1] ** 2) if i < len(weights) - 1 else dh
    The last layer's tanh is skipped. `dout` is the gradient of what comes out of that tanh: all layers are alike.

- for i in reversed(range(len(weights))):
-     dz = dh * (1 - h[i + 1] ** 2)
-     gradients.insert(0, h[i].T @ dz)
first_layer_first:
        for i in range(len(weights)):
            dz = dh * (1 - h[i + 1] ** 2)
            gradients.append(h[i].T @ dz)
    You go through the layers from the first to the last. `dout` is the gradient of the last one's output: begin there.

[checkpoints]
- range(every, len(weights), every)
output_kept: range(every, len(weights) + 1, every)
    One too many is kept where `every` divides the depth: the output begins no segment.
segment_missing: range(every, len(weights) - every, every)
    One is missing where `every` divides the depth: the activation that goes into the last segment.
short_segment_missing: range(every, len(weights) // every * every, every)
    The short segment at the end is left out. Where `every` does not divide the depth, the number of segments is rounded
    up.

- forward(kept[-1], weights[end - every : end])
each_segment_from_x: forward(x, weights[end - every : end])
    Every segment is computed from `x`, as if it were the first. Each starts where the one before it ended.

- kept = [x]
every_taken_as_number: every, kept = -(-len(weights) // every), [x]
    `every` is taken for the number of segments. It is the number of layers in each.

[checkpoints]
without_the_input:
        kept, h = [], x
        for i, W in enumerate(weights[:-1], start=1):
            h = torch.tanh(h @ W)
            if i % every == 0:
                kept.append(h)
        kept
    The input is missing: `x` is h_0, and the first segment begins with it.
one_layer_late:
        kept, h = [], x
        for i, W in enumerate(weights):
            h = torch.tanh(h @ W)
            if i % every == 0:
                kept.append(h)
        kept
    The checkpoints are one layer too late: h_1, h_(every + 1) ... Is it kept before the layer's turn, or after?
one_layer_early:
        kept, h = [x], x
        for i, W in enumerate(weights[:-1]):
            if i and i % every == every - 1:
                kept.append(h)
            h = torch.tanh(h @ W)
        kept
    After `x`, the checkpoints are one layer too early: h_(every - 1) is not yet the end of a segment.
""")


@mistake("What is kept is the product before tanh. A segment starts from an activation.")
def checkpoints__before_tanh(x, weights, every):
    kept, h = [x], x
    for i, W in enumerate(weights[:-1], start=1):
        z = h @ W
        h = torch.tanh(z)
        if i % every == 0:
            kept.append(z)
    return kept


MISTAKES_2 = mistake_list("""
[checkpoints]
same_tensor_throughout:
        kept, h = [], x.clone()
        for i, W in enumerate(weights):
            if i % every == 0:
                kept.append(h)
            h.copy_(torch.tanh(h @ W))
        kept
    All checkpoints are the same tensor, with the values of the last layer that wrote into it. A list holds tensors, not
    their values of that moment: make a new tensor for each layer, or keep a `.clone()`.
counted_from_the_end:
        h = [x]
        for W in weights[:-1]:
            h.append(torch.tanh(h[-1] @ W))
        h[::-1][::every][::-1]
    The spacing is counted from the output. It starts at `x`, and the last segment is the one that may be short.
picked_out_afterwards:
        h = [x]
        for W in weights[:-1]:
            h.append(torch.tanh(h[-1] @ W))
        h[::every]
    The right activations come back, but all of them are alive at one moment. Collecting all and picking out some
    afterwards needs the memory that checkpoints are to save: decide at each layer whether to keep it.

# backward_checkpointed: the gradients
[backward_checkpointed]
- backward_all(kept[number], segment, dh)
dout_at_every_segment: backward_all(kept[number], segment, dout)
    You start every segment's backward pass from `dout`. That is right for the last one only: the gradient of a
    segment's input is the `dout` of the segment before it.
input_of_every_segment: backward_all(x, segment, dh)
    Every segment is computed from `x`, as if it were the first. Each starts from its own checkpoint.
neighbours_checkpoint: backward_all(kept[max(number - 1, 0)], segment, dh)
    The segments start from their neighbour's checkpoint. Write down, for each segment, its layers and the index of the
    activation that goes into it.

- segment = weights[number * every : (number + 1) * every]
number_for_first_layer: segment = weights[number : number + every]
    The number of a segment is taken for that of its first layer. How many layers lie before segment number 2?
layer_into_checkpoint_skipped: segment = weights[number * every : (number + 1) * every - (number + 1 < len(kept))]
    The last layer of each segment is missing, the one whose activation is the next checkpoint. That activation is
    known, but the backward pass goes through its layer, too.
one_layer_twice: segment = weights[number * every : (number + 1) * every + 1]
    The segments overlap: the first layer of each one is also in the segment before it.
long_last_segment:
        segment = weights[number * every : (number + 1) * every] if number + 1 < len(kept) else weights[-every:]
    The last segment is taken as long as the others, where it is shorter: its layers are not the last `every` ones.

- reversed(range(len(kept)))
whole_segments_only: reversed(range(len(weights) // every))
    The short segment at the end is left out. Where `every` does not divide the depth, the number of segments is rounded
    up.
first_segment_first: range(len(kept))
    The segments are gone through from the first to the last. `dout` belongs to the last one: begin there.

- reversed(range(len(kept))):
-     segment = weights[number * every : (number + 1) * every]
-     dh, segment_gradients = backward_all(kept[number], segment, dh)
-     gradients = segment_gradients + gradients
first_segment_first_appended:
        range(len(kept)):
            segment = weights[number * every : (number + 1) * every]
            dh, segment_gradients = backward_all(kept[number], segment, dh)
            gradients = gradients + segment_gradients
    The segments are gone through from the first to the last. `dout` belongs to the last one: begin there.

- gradients = segment_gradients + gradients
segments_in_backward_order: gradients = gradients + segment_gradients
    The gradients of the matrices are in order within each segment, but the segments are in the order of the backward
    pass, the last one first.
last_segment_only: gradients = segment_gradients
    Only one segment's gradients are returned, those of the first layers. Each pass of the loop replaces the list of the
    one before.
gate_twice_at_the_border:
        dh = dh * (1 - kept[number] ** 2 if number else 1)
        gradients = segment_gradients + gradients
    At the border of two segments the derivative of tanh is in it twice. The checkpoint's tanh belongs to the layer that
    made it, in the segment before.
""")


@mistake(
    "The derivative of tanh is missing at the border of two segments. The checkpoint is a result of tanh like every "
    "other activation, and the gradient that comes to it passes that tanh next."
)
def backward_checkpointed__no_gate_at_the_border(x, weights, dout, every):
    kept = checkpoints(x, weights, every)
    dh, gradients = dout, []
    for number in reversed(range(len(kept))):
        segment = weights[number * every : (number + 1) * every]
        h = [kept[number]]
        for W in segment:
            h.append(torch.tanh(h[-1] @ W))
        for i in reversed(range(len(segment))):
            gate = 1 if i + 1 == len(segment) and number + 1 < len(kept) else 1 - h[i + 1] ** 2
            dz = dh * gate
            gradients.insert(0, h[i].T @ dz)
            dh = dz @ segment[i].T
    return dh, gradients


@mistake("The second run of a segment has no tanh in it. It must give the very activations of the first run.")
def backward_checkpointed__recomputed_without_tanh(x, weights, dout, every):
    kept = checkpoints(x, weights, every)
    dh, gradients = dout, []
    for number in reversed(range(len(kept))):
        segment = weights[number * every : (number + 1) * every]
        h = [kept[number]]
        for W in segment:
            h.append(h[-1] @ W)
        for i in reversed(range(len(segment))):
            dz = dh * (1 - h[i + 1] ** 2)
            gradients.insert(0, h[i].T @ dz)
            dh = dz @ segment[i].T
    return dh, gradients


MISTAKES_3 = mistake_list("""
# backward_checkpointed: memory and recomputation
[backward_checkpointed]
- kept = checkpoints(x, weights, every)
keeps_everything:
        return backward_all(x, weights, dout)
        kept = [x]
    Nothing is computed again: all activations wait until their layer's turn comes. Keep the checkpoints only, and run
    each segment a second time from its own.
""")


@mistake(
    "Activations are computed again, and yet all of them are alive together. Do finished segments stay in a list? Or "
    "does the first pass collect every activation, checkpoint or not?"
)
def backward_checkpointed__segments_pile_up(x, weights, dout, every):
    kept = checkpoints(x, weights, every)
    segments = []
    dh, gradients = dout, []
    for number in reversed(range(len(kept))):
        start = number * every
        h = [kept[number]]
        for W in weights[start : start + every]:
            h.append(torch.tanh(h[-1] @ W))
        segments.append(h)
        for i in reversed(range(len(h) - 1)):
            dz = dh * (1 - h[i + 1] ** 2)
            gradients.insert(0, h[i].T @ dz)
            dh = dz @ weights[start + i].T
    return dh, gradients


@mistake(
    "While a segment is computed again, the one before it is still alive: a name holds its list until it is bound "
    "anew, and that happens after the new list is complete. `del` it first, or let the end of a function release it."
)
def backward_checkpointed__previous_segment_lingers(x, weights, dout, every):
    def activations(h, segment):
        found = [h]
        for W in segment:
            found.append(torch.tanh(found[-1] @ W))
        return found

    kept = checkpoints(x, weights, every)
    dh, gradients = dout, []
    for number in reversed(range(len(kept))):
        segment = weights[number * every : (number + 1) * every]
        h = activations(kept.pop(), segment)
        for i in reversed(range(len(segment))):
            dz = dh * (1 - h[i + 1] ** 2)
            gradients.insert(0, h[i].T @ dz)
            dh = dz @ segment[i].T
    return dh, gradients


@mistake(
    "Something is kept for each layer of a segment beside its activation, such as the value before tanh, or a "
    "gradient. See what the derivative of tanh can be computed from."
)
def backward_checkpointed__two_tensors_a_layer(x, weights, dout, every):
    kept = checkpoints(x, weights, every)
    dh, gradients = dout, []
    for number in reversed(range(len(kept))):
        segment = weights[number * every : (number + 1) * every]
        h, z = [kept[number]], []
        for W in segment:
            z.append(h[-1] @ W)
            h.append(torch.tanh(z[-1]))
        for i in reversed(range(len(segment))):
            dz = dh / torch.cosh(z[i]) ** 2
            gradients.insert(0, h[i].T @ dz)
            dh = dz @ segment[i].T
    return dh, gradients


MISTAKES_4 = mistake_list("""
[backward_checkpointed]
- kept = checkpoints(x, weights, every)
every_ignored: every = best_spacing(len(weights)); kept = checkpoints(x, weights, every)
    The segments have `every` layers each. Where does your function use `every`?
one_pass_too_many: kept, out = checkpoints(x, weights, every), forward(x, weights)
    That is about one whole pass too many. Is the output computed in a run of its own? The backward pass needs it for
    the last segment only, which is computed again anyway.

- backward_all(kept[number], segment, dh)
from_the_input: backward_all(forward(x, weights[: number * every]), segment, dh)
    The number of evaluations grows with the square of the depth: each segment is computed from `x` again. Its own
    checkpoint is what it can start from.
""")


@mistake(
    "The number of evaluations grows with the length of the segments: a segment is run again for each of its layers. "
    "One run gives all its activations; keep these until the way back has passed them."
)
def backward_checkpointed__again_for_each_layer(x, weights, dout, every):
    kept = checkpoints(x, weights, every)
    dh, gradients = dout, []
    for i in reversed(range(len(weights))):
        start = i // every * every
        before = forward(kept[i // every], weights[start:i])
        after = torch.tanh(before @ weights[i])
        dz = dh * (1 - after**2)
        gradients.insert(0, before.T @ dz)
        dh = dz @ weights[i].T
    return dh, gradients


@mistake(
    "Each layer's activation is computed from `x` again. Start from the nearest checkpoint, and compute the "
    "activations of a segment in one run."
)
def backward_checkpointed__each_layer_from_the_input(x, weights, dout, every):
    dh, gradients = dout, []
    for i in reversed(range(len(weights))):
        before = forward(x, weights[:i])
        after = torch.tanh(before @ weights[i])
        dz = dh * (1 - after**2)
        gradients.insert(0, before.T @ dz)
        dh = dz @ weights[i].T
    return dh, gradients


@mistake(
    "There are no more matrix products than needed, so the derivative of tanh must evaluate it a second time. You can "
    "write the derivative with the activation that you have computed."
)
def backward_checkpointed__tanh_in_the_derivative(x, weights, dout, every):
    kept = checkpoints(x, weights, every)
    dh, gradients = dout, []
    for number in reversed(range(len(kept))):
        segment = weights[number * every : (number + 1) * every]
        h, z = kept[number], []
        for W in segment:
            z.append(h @ W)
            h = torch.tanh(z[-1])
        for i in reversed(range(len(segment))):
            dz = dh * (1 - torch.tanh(z[i]) ** 2)
            before = torch.tanh(z[i - 1]) if i else kept[number]
            gradients.insert(0, before.T @ dz)
            dh = dz @ segment[i].T
    return dh, gradients


MISTAKES_5 = mistake_list("""
[best_spacing]
half_the_depth: max(1, depth // 2)
    Half the depth makes two long segments. Count again: checkpoints, plus the activations of one segment.
the_sum_for_the_spacing: math.ceil(2 * math.sqrt(depth))
    This is about the smallest number of activations kept, not the spacing. It is a sum of two equal parts, and the
    spacing is one of them.
logarithm: max(1, math.ceil(math.log2(depth)))
    The logarithm is too short a spacing: there are many more checkpoints than activations in a segment. Where do the
    two balance?
whole_depth: depth
    This is the fewest checkpoints, and the spacing that goes with it is the whole depth. One segment of all layers must
    be kept as well: count both.
one: 1
    With a spacing of one everything is a checkpoint: no activation is computed again, and none is saved.
ten: 10
    The same spacing for every depth. What is best grows with the depth: set the derivative of the sum to zero.
not_rounded: math.sqrt(depth)
    The root is right, but a spacing counts layers: round it to a whole number.
cube_root: round(depth ** (1 / 3))
    The cube root is what three nested levels would lead to. Here there are two terms, and their product is fixed.
""")
