"""Known mistakes of lesson 09, each with the message that its author gets.

Those of memory and recomputation return the right gradients: the hidden test suite recognises them by what it counts. A
mistake may call the solution's other functions, because its text is appended to the solution's.
"""
# ruff: noqa: F821

import math

import torch

from grader.lesson.mistakes import edit, mistake

# forward

forward__no_tanh = edit(
    "forward__no_tanh",
    "The layers are products only here. Every product goes through tanh before it is the next activation.",
    old="        h = torch.tanh(h @ W)\n    return h",
    new="        h = h @ W\n    return h",
)
forward__linear_at_the_end = edit(
    "forward__linear_at_the_end",
    "The last product does not go through tanh. In this network all layers are alike, the last one too.",
    old="        h = torch.tanh(h @ W)\n    return h",
    new="        z = h @ W\n        h = torch.tanh(z)\n    return z",
)
forward__tanh_before_the_product = edit(
    "forward__tanh_before_the_product",
    "tanh is taken of a layer's input here. It comes after the product: what leaves a layer lies between -1 and 1.",
    old="        h = torch.tanh(h @ W)\n    return h",
    new="        h = torch.tanh(h) @ W\n    return h",
)
forward__transposed = edit(
    "forward__transposed",
    "The matrices are transposed here. They are square, so the shapes cannot tell; the definition says `h @ W`.",
    old="        h = torch.tanh(h @ W)\n    return h",
    new="        h = torch.tanh(h @ W.T)\n    return h",
)
forward__last_layer_first = edit(
    "forward__last_layer_first",
    "The layers are gone through from the last to the first. Only the way back goes in that order.",
    old="    h = x\n    for W in weights:\n        h = torch",
    new="    h = x\n    for W in reversed(weights):\n        h = torch",
)
forward__input_to_every_layer = edit(
    "forward__input_to_every_layer",
    "Every layer starts from `x` here, so only the last one counts. A layer's input is the activation before it.",
    old="        h = torch.tanh(h @ W)\n    return h",
    new="        h = torch.tanh(x @ W)\n    return h",
)

# backward_all

backward_all__gate_of_the_input = edit(
    "backward_all__gate_of_the_input",
    "The derivative of tanh is taken at the layer's input, one activation too early. Which activation is the result of "
    "that tanh?",
    old="dz = dh * (1 - h[i + 1] ** 2)",
    new="dz = dh * (1 - h[i] ** 2)",
)
backward_all__not_squared = edit(
    "backward_all__not_squared",
    "The square is missing in the derivative of tanh. At an activation of -1 the gate is closed as well: check what "
    "yours gives there.",
    old="dz = dh * (1 - h[i + 1] ** 2)",
    new="dz = dh * (1 - h[i + 1])",
)
backward_all__tanh_twice = edit(
    "backward_all__tanh_twice",
    "tanh is applied twice in its derivative: an activation is the result of tanh already.",
    old="dz = dh * (1 - h[i + 1] ** 2)",
    new="dz = dh * (1 - torch.tanh(h[i + 1]) ** 2)",
)
backward_all__sigmoid = edit(
    "backward_all__sigmoid",
    "h(1 - h) is the derivative of the sigmoid. tanh has another one, which is 1 where the activation is 0.",
    old="dz = dh * (1 - h[i + 1] ** 2)",
    new="dz = dh * h[i + 1] * (1 - h[i + 1])",
)
backward_all__no_gate = edit(
    "backward_all__no_gate",
    "The gradient goes from activation to activation through the products alone. What does it meet between an "
    "activation and the product that it was made from?",
    old="dz = dh * (1 - h[i + 1] ** 2)",
    new="dz = dh",
)
backward_all__gate_divided = edit(
    "backward_all__gate_divided",
    "The gradient is divided by the derivative of tanh. Local derivatives multiply.",
    old="dz = dh * (1 - h[i + 1] ** 2)",
    new="dz = dh / (1 - h[i + 1] ** 2)",
)
backward_all__weights_from_the_output = edit(
    "backward_all__weights_from_the_output",
    "The gradients of the matrices are made from the activation that a layer gives. What is the matrix multiplied "
    "with?",
    old="gradients.insert(0, h[i].T @ dz)",
    new="gradients.insert(0, h[i + 1].T @ dz)",
)
backward_all__weights_transposed = edit(
    "backward_all__weights_transposed",
    "The gradients of the matrices are transposed. They are square, so the shapes cannot tell: write one element with "
    "indices, or think of a matrix that is not square.",
    old="gradients.insert(0, h[i].T @ dz)",
    new="gradients.insert(0, dz.T @ h[i])",
)
backward_all__weights_before_the_gate = edit(
    "backward_all__weights_before_the_gate",
    "The gradients of the matrices are made from the gradient after tanh. The product stands before it: which gradient "
    "belongs to the product's result?",
    old="gradients.insert(0, h[i].T @ dz)",
    new="gradients.insert(0, h[i].T @ dh)",
)
backward_all__weights_averaged = edit(
    "backward_all__weights_averaged",
    "The gradients of the matrices are divided by the batch size. `dout` may come from a mean, but that is its own "
    "business: here the examples add up.",
    old="gradients.insert(0, h[i].T @ dz)",
    new="gradients.insert(0, h[i].T @ dz / len(x))",
)
backward_all__weights_in_backward_order = edit(
    "backward_all__weights_in_backward_order",
    "The gradients of the matrices come in the order of the way back, the last layer's first. Return them in the order "
    "of `weights`.",
    old="gradients.insert(0, h[i].T @ dz)",
    new="gradients.append(h[i].T @ dz)",
)
backward_all__through_not_transposed = edit(
    "backward_all__through_not_transposed",
    "On the way through a product the matrix is not transposed. It is square, so the shapes cannot tell: try a matrix "
    "that is not.",
    old="dh = dz @ weights[i].T",
    new="dh = dz @ weights[i]",
)
backward_all__through_without_gate = edit(
    "backward_all__through_without_gate",
    "The matrices' gradients have the derivative of tanh in them, but what goes on to the layer before has not: it "
    "passes the same tanh.",
    old="dh = dz @ weights[i].T",
    new="dh = dh @ weights[i].T",
)
backward_all__neighbours_matrix = edit(
    "backward_all__neighbours_matrix",
    "The way back passes the wrong matrix, that of the layer before. Each gradient goes back through the matrix that "
    "its activation was multiplied with.",
    old="dh = dz @ weights[i].T",
    new="dh = dz @ weights[max(i - 1, 0)].T",
)
backward_all__stops_before_the_input = edit(
    "backward_all__stops_before_the_input",
    "What is returned as `dx` is the gradient of the first layer's product. One step is missing, from there to `x`.",
    old="dh = dz @ weights[i].T",
    new="dh = dz @ weights[i].T if i else dz",
)
backward_all__ones_for_dout = edit(
    "backward_all__ones_for_dout",
    "The way back starts from ones. That is the gradient of the sum of the outputs; the one to start from is `dout`.",
    old="    dh, gradients = dout, []\n    for i in",
    new="    dh, gradients = torch.ones_like(dout), []\n    for i in",
)
backward_all__dout_changed = edit(
    "backward_all__dout_changed",
    "The gradients are right, but `dout` is not what it was: `*=` and methods such as `mul_` write into the tensor you "
    "were given. Start from a `.clone()`, or make a new tensor.",
    old="dz = dh * (1 - h[i + 1] ** 2)",
    new="dz = dh.mul_(1 - h[i + 1] ** 2)",
)

# checkpoints

checkpoints__output_kept = edit(
    "checkpoints__output_kept",
    "One too many is kept where `every` divides the depth: the output begins no segment.",
    old="range(every, len(weights), every)",
    new="range(every, len(weights) + 1, every)",
)
checkpoints__segment_missing = edit(
    "checkpoints__segment_missing",
    "One is missing where `every` divides the depth: the activation that goes into the last segment.",
    old="range(every, len(weights), every)",
    new="range(every, len(weights) - every, every)",
)
checkpoints__short_segment_missing = edit(
    "checkpoints__short_segment_missing",
    "The short segment at the end is left out. Where `every` does not divide the depth, the number of segments is "
    "rounded up.",
    old="range(every, len(weights), every)",
    new="range(every, len(weights) // every * every, every)",
)
checkpoints__every_taken_as_number = edit(
    "checkpoints__every_taken_as_number",
    "`every` is taken for the number of segments. It is the number of layers in each.",
    old="    kept = [x]\n",
    new="    every, kept = -(-len(weights) // every), [x]\n",
)


@mistake("The input is missing: `x` is h_0, and the first segment begins with it.")
def checkpoints__without_the_input(x, weights, every):
    kept, h = [], x
    for i, W in enumerate(weights[:-1], start=1):
        h = torch.tanh(h @ W)
        if i % every == 0:
            kept.append(h)
    return kept


@mistake("The checkpoints are one layer too late: h_1, h_(every + 1) ... Is it kept before the layer's turn, or after?")
def checkpoints__one_layer_late(x, weights, every):
    kept, h = [], x
    for i, W in enumerate(weights):
        h = torch.tanh(h @ W)
        if i % every == 0:
            kept.append(h)
    return kept


@mistake("After `x`, the checkpoints are one layer too early: h_(every - 1) is not yet the end of a segment.")
def checkpoints__one_layer_early(x, weights, every):
    kept, h = [x], x
    for i, W in enumerate(weights[:-1]):
        if i and i % every == every - 1:
            kept.append(h)
        h = torch.tanh(h @ W)
    return kept


@mistake("What is kept is the product before tanh. A segment starts from an activation.")
def checkpoints__before_tanh(x, weights, every):
    kept, h = [x], x
    for i, W in enumerate(weights[:-1], start=1):
        z = h @ W
        h = torch.tanh(z)
        if i % every == 0:
            kept.append(z)
    return kept


@mistake(
    "All checkpoints are the same tensor, with the values of the last layer that wrote into it. A list holds tensors, "
    "not their values of that moment: make a new tensor for each layer, or keep a `.clone()`."
)
def checkpoints__same_tensor_throughout(x, weights, every):
    kept, h = [], x.clone()
    for i, W in enumerate(weights):
        if i % every == 0:
            kept.append(h)
        h.copy_(torch.tanh(h @ W))
    return kept


@mistake("The spacing is counted from the output. It starts at `x`, and the last segment is the one that may be short.")
def checkpoints__counted_from_the_end(x, weights, every):
    h = [x]
    for W in weights[:-1]:
        h.append(torch.tanh(h[-1] @ W))
    return h[::-1][::every][::-1]


@mistake(
    "The right activations come back, but all of them are alive at one moment. Collecting all and picking out some "
    "afterwards needs the memory that checkpoints are to save: decide at each layer whether to keep it."
)
def checkpoints__picked_out_afterwards(x, weights, every):
    h = [x]
    for W in weights[:-1]:
        h.append(torch.tanh(h[-1] @ W))
    return h[::every]


# backward_checkpointed: the gradients

backward_checkpointed__dout_at_every_segment = edit(
    "backward_checkpointed__dout_at_every_segment",
    "Every segment starts its way back from `dout`. Only the last one does: what comes out of a segment at its "
    "beginning goes into the segment before.",
    old="backward_all(kept[number], segment, dh)",
    new="backward_all(kept[number], segment, dout)",
)
backward_checkpointed__input_of_every_segment = edit(
    "backward_checkpointed__input_of_every_segment",
    "Every segment is computed from `x`, as if it were the first. Each starts from its own checkpoint.",
    old="backward_all(kept[number], segment, dh)",
    new="backward_all(x, segment, dh)",
)
backward_checkpointed__neighbours_checkpoint = edit(
    "backward_checkpointed__neighbours_checkpoint",
    "The segments start from their neighbour's checkpoint. Write the layers of each segment beside the index of the "
    "activation that goes into it.",
    old="backward_all(kept[number], segment, dh)",
    new="backward_all(kept[max(number - 1, 0)], segment, dh)",
)
backward_checkpointed__layer_into_checkpoint_skipped = edit(
    "backward_checkpointed__layer_into_checkpoint_skipped",
    "The last layer of each segment is missing, the one whose activation is the next checkpoint. That activation is "
    "known, but the way back leads through its layer.",
    old="segment = weights[number * every : (number + 1) * every]",
    new="segment = weights[number * every : (number + 1) * every - (number + 1 < len(kept))]",
)
backward_checkpointed__one_layer_twice = edit(
    "backward_checkpointed__one_layer_twice",
    "The segments overlap: the first layer of each is gone through in the segment before it as well.",
    old="segment = weights[number * every : (number + 1) * every]",
    new="segment = weights[number * every : (number + 1) * every + 1]",
)
backward_checkpointed__long_last_segment = edit(
    "backward_checkpointed__long_last_segment",
    "The last segment is taken as long as the others, where it is shorter: its layers are not the last `every` ones.",
    old="segment = weights[number * every : (number + 1) * every]",
    new="segment = weights[number * every : (number + 1) * every] if number + 1 < len(kept) else weights[-every:]",
)
backward_checkpointed__first_segment_first = edit(
    "backward_checkpointed__first_segment_first",
    "The segments are gone through from the first to the last. `dout` belongs to the last one: begin there.",
    old="reversed(range(len(kept)))",
    new="range(len(kept))",
)
backward_checkpointed__segments_in_backward_order = edit(
    "backward_checkpointed__segments_in_backward_order",
    "The gradients of the matrices are in order within each segment, but the segments stand in the order of the way "
    "back, the last one first.",
    old="gradients = segment_gradients + gradients",
    new="gradients = gradients + segment_gradients",
)
backward_checkpointed__last_segment_only = edit(
    "backward_checkpointed__last_segment_only",
    "Only one segment's gradients are returned, those of the first layers. Each pass of the loop replaces the list of "
    "the one before.",
    old="gradients = segment_gradients + gradients",
    new="gradients = segment_gradients",
)
backward_checkpointed__gate_twice_at_the_border = edit(
    "backward_checkpointed__gate_twice_at_the_border",
    "At the border of two segments the derivative of tanh is in it twice. The checkpoint's tanh belongs to the layer "
    "that made it, in the segment before.",
    old="        gradients = segment_gradients + gradients",
    new="        dh = dh * (1 - kept[number] ** 2 if number else 1)\n        gradients = segment_gradients + gradients",
)


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


# backward_checkpointed: memory and recomputation

backward_checkpointed__keeps_everything = edit(
    "backward_checkpointed__keeps_everything",
    "Nothing is computed again: all activations wait until their layer's turn comes. Keep the checkpoints only, and "
    "run each segment a second time from its own.",
    old="    kept = checkpoints(x, weights, every)\n",
    new="    return backward_all(x, weights, dout)\n    kept = [x]\n",
)


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


backward_checkpointed__one_pass_too_many = edit(
    "backward_checkpointed__one_pass_too_many",
    "That is about one whole pass too many. Is the output computed in a run of its own? The way back needs it for the "
    "last segment only, which is computed again anyway.",
    old="    kept = checkpoints(x, weights, every)\n",
    new="    kept, out = checkpoints(x, weights, every), forward(x, weights)\n",
)
backward_checkpointed__from_the_input = edit(
    "backward_checkpointed__from_the_input",
    "The number of evaluations grows with the square of the depth: each segment is computed from `x` again. Its own "
    "checkpoint is what it can start from.",
    old="backward_all(kept[number], segment, dh)",
    new="backward_all(forward(x, weights[: number * every]), segment, dh)",
)


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


# best_spacing


@mistake("Half the depth makes two long segments. Count again: checkpoints, plus the activations of one segment.")
def best_spacing__half_the_depth(depth):
    return max(1, depth // 2)


@mistake(
    "This is about the smallest number of activations kept, not the spacing. It is a sum of two equal parts, and the "
    "spacing is one of them."
)
def best_spacing__the_sum_for_the_spacing(depth):
    return math.ceil(2 * math.sqrt(depth))


@mistake(
    "The logarithm is too short a spacing: there are many more checkpoints than activations in a segment. Where do the "
    "two balance?"
)
def best_spacing__logarithm(depth):
    return max(1, math.ceil(math.log2(depth)))


@mistake(
    "This is the fewest checkpoints, and the spacing that goes with it is the whole depth. One segment of all layers "
    "must be kept as well: count both."
)
def best_spacing__whole_depth(depth):
    return depth


@mistake("With a spacing of one everything is a checkpoint: no activation is computed again, and none is saved.")
def best_spacing__one(depth):
    return 1


@mistake("The same spacing for every depth. What is best grows with the depth: set the derivative of the sum to zero.")
def best_spacing__ten(depth):
    return 10


@mistake("The root is right, but a spacing counts layers: round it to a whole number.")
def best_spacing__not_rounded(depth):
    return math.sqrt(depth)


@mistake(
    "The cube root is what three nested levels would lead to. Here there are two terms, and their product is fixed."
)
def best_spacing__cube_root(depth):
    return round(depth ** (1 / 3))
