"""Known mistakes of lesson 09, each with the message that its author gets.

Those of memory and recomputation return the right gradients: the hidden test suite recognises them by what it counts. A
mistake may call the solution's other functions, because its text is appended to the solution's.
"""

import math

import torch

from grader.lesson.mistakes import mistake_list

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
last_layer_without_tanh:
        for W in weights[:-1]:
            h = torch.tanh(h @ W)
        return h @ weights[-1]
    The last layer has no tanh here. In this network every product goes through tanh, the last one as well.
tanh_before_the_product:
        for W in weights:
            h = torch.tanh(h) @ W
        return h
    tanh is taken of a layer's input here. It comes after the product: what leaves a layer lies between -1 and 1.

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

tanh_once:
        for W in weights:
            h = h @ W
        return torch.tanh(h)
    Only the last product goes through tanh here. Every layer has a tanh of its own.

[backward_all]
- dz = dh * (1 - h[i + 1] ** 2)
gate_of_the_input: dz = dh * (1 - h[i] ** 2)
    The derivative of tanh is computed from the layer's input, one activation too early. Which activation is the result
    of that tanh?
sigmoid: dz = dh * h[i + 1] * (1 - h[i + 1])
    h(1 - h) is the derivative of the sigmoid. tanh has another one, which is 1 where the activation is 0.
gate_before_tanh: dz = dh * (1 - (h[i] @ weights[i]) ** 2)
    1 - h² is the slope of tanh in terms of its result. What is squared here is what goes into the tanh.
last_gate_skipped: dz = dh * (1 - h[i + 1] ** 2) if i < len(weights) - 1 else dh
    `dout` is taken for the gradient of the last product. It is that of the last activation, after tanh.
no_gate: dz = dh
    The gradient goes back through the products alone, as if no layer had a tanh. What is the derivative of an
    activation with respect to its product?

- gradients.insert(0, h[i].T @ dz)
weights_before_the_gate: gradients.insert(0, h[i].T @ dh)
    The gradients of the matrices are made from the gradient after tanh. The product comes before tanh: which gradient
    belongs to the product's result?
output_for_input: gradients.insert(0, h[i + 1].T @ dz)
    The gradients of the matrices are made with the layer's output. Which value is multiplied by the matrix?
weights_averaged: gradients.insert(0, h[i].T @ dz / len(x))
    The gradients of the matrices are divided by the batch size. If the loss is a mean, `dout` has that factor already:
    here the examples add up.
weights_in_backward_order: gradients.append(h[i].T @ dz)
    The gradients of the matrices are in the order of the backward pass, a later layer's before an earlier one's. Return
    them in the order of `weights`.

- dh = dz @ weights[i].T
through_without_gate: dh = dh @ weights[i].T
    The matrices' gradients contain the derivative of tanh, but what goes on to the layer before does not. It passes the
    same tanh.
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

- for i in reversed(range(len(weights))):
-     dz = dh * (1 - h[i + 1] ** 2)
-     gradients.insert(0, h[i].T @ dz)
first_layer_first:
        for i in range(len(weights)):
            dz = dh * (1 - h[i + 1] ** 2)
            gradients.append(h[i].T @ dz)
    You go through the layers from the first to the last. `dout` is the gradient of the last one's output: begin there.

[checkpoints]

- forward(kept[-1], weights[end - every : end])
each_segment_from_x: forward(x, weights[end - every : end])
    Every segment is computed from `x`, as if it were the first. Each starts where the one before it ended.

- kept = [x]
- for end in range(every, len(weights), every):
-     kept.append(forward(kept[-1], weights[end - every : end]))
ends_of_segments:
        kept, h = [], x
        for end in range(every, len(weights) + every, every):
            h = forward(h, weights[end - every : end])
            kept.append(h)
    These are the activations that leave the segments. A segment is computed again from what goes into it: the first
    one is `x`.

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
    The checkpoints are one layer too late: h_1, h_(every + 1) ... Is the activation kept before the layer's turn, or
    after?
the_output_too:
        kept, h = [x], x
        for i, W in enumerate(weights, start=1):
            h = torch.tanh(h @ W)
            if i % every == 0:
                kept.append(h)
        kept
    Where `every` divides the depth, the output is a checkpoint, too. Which segment would begin with it?
before_tanh:
        kept, h = [x], x
        for i, W in enumerate(weights[:-1], start=1):
            z = h @ W
            h = torch.tanh(z)
            if i % every == 0:
                kept.append(z)
        kept
    What is kept is the product before tanh. A segment starts from an activation.
same_tensor_throughout:
        kept, h = [], x.clone()
        for i, W in enumerate(weights):
            if i % every == 0:
                kept.append(h)
            h.copy_(torch.tanh(h @ W))
        kept
    All checkpoints have the values of the network's output. Is one tensor overwritten at each layer? A list holds
    tensors, not their values of that moment.
counted_from_the_end:
        h = [x]
        for W in weights[:-1]:
            h.append(torch.tanh(h[-1] @ W))
        h[::-1][::every][::-1]
    The spacing is counted from the end, backwards. It starts at `x`, and the last segment is the one that may be short.

# backward_checkpointed: the gradients
[backward_checkpointed]
- backward_all(kept[number], segment, dh)
dout_at_every_segment: backward_all(kept[number], segment, dout)
    You start every segment's backward pass from `dout`. That is right for the last one only: the gradient of a
    segment's input is the `dout` of the segment before it.
input_of_every_segment: backward_all(x, segment, dh)
    Every segment is computed from `x`, as if it were the first. Each starts from its own checkpoint.

- segment = weights[number * every : (number + 1) * every]
number_for_first_layer: segment = weights[number : number + every]
    The number of a segment is taken for that of its first layer. How many layers lie before segment number 2?

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
    Only one segment's gradients are returned, those of the first layers. Does each pass of the loop replace the list of
    the one before?

[backward_checkpointed]
recomputed_without_tanh:
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
        dh, gradients
    The second run of a segment has no tanh in it. It must give the same activations as the first run.
- kept = checkpoints(x, weights, every)
every_ignored: every = best_spacing(len(weights)); kept = checkpoints(x, weights, every)
    The segments have `every` layers each. Where does your function use `every`?

[best_spacing]
half_the_depth: max(1, depth // 2)
    Half the depth makes only two or three segments, and long ones. Count again: checkpoints, plus the activations of
    one segment.
logarithm: max(1, math.ceil(math.log2(depth)))
    The logarithm is too short a spacing for a deep network: there are many more checkpoints than activations in a
    segment. Where do the two balance?
whole_depth: depth
    With the whole depth as spacing there is only one checkpoint. But the one segment then has all layers, and its
    activations are kept as well: count both.
one: 1
    With a spacing of one every activation before the last is a checkpoint, so no memory is saved.
ten: 10
    The same spacing for every depth. What is best grows with the depth: set the derivative of the sum to zero.
not_rounded: math.sqrt(depth)
    The root is right, but a spacing counts layers: round it to a whole number.
""")
