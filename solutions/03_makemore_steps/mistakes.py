"""Known wrong answers of lesson 03, each with the message that its author gets.

Most of them occur in public solutions of the lecture's exercise. A message says what the formula computes and what to
check.
"""

import torch

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
[demb]
features_before_places: batch, block, embedding = emb.shape; dembcat.view(batch, embedding, block).transpose(1, 2)
    The shape is right, but the numbers are in another order: you split each row into embedding features first and
    places second. In which order did the forward `view` lay them side by side?
places_before_examples: batch, block, embedding = emb.shape; dembcat.view(block, batch, embedding).transpose(0, 1)
    The shape is right, but the numbers are in another order: examples and places are mixed up. A row of `dembcat`
    belongs to one example.

[dprobs]
times_probs: dlogprobs * probs
    You multiply where the derivative of a logarithm divides. A useful picture: should an unlikely true class get a
    small gradient or a large one?

[dcounts_sum_inv]
sums_multiplied: counts.sum(1, keepdim=True) * dprobs.sum(1, keepdim=True)
    The result is a product of two sums over the classes. Each class's gradient belongs to that class's count: multiply
    each pair, then sum.
other_factor_forgotten: dprobs.sum(1, keepdim=True)
    The other factor of the product is lost: the derivative of a * b with respect to a is b. What was `counts_sum_inv`
    multiplied by?

[dlogit_maxes]
zeros: torch.zeros_like(logit_maxes)
    In the whole network this gradient is zero, up to rounding, since shifting a row does not change its softmax. But
    this function has to work for any upstream gradient: compute it from `dnorm_logits`.

[dlogits]
max_at_true_class: gradient = dnorm_logits.clone(); gradient[range(n), Yb] += dlogit_maxes.view(-1); gradient
    You send the maximum's gradient to the true class. The true class need not have the largest logit: whose position
    does a maximum remember?
maximum_overwritten: dnorm_logits.scatter(1, logits.argmax(1, keepdim=True), dlogit_maxes)
    Where the maximum is, `dlogit_maxes` takes the place of `dnorm_logits`. A logit that is read in two lines gets both
    gradients, added up.

[dh]
sums_multiplied: dlogits.sum(1, keepdim=True) * W2.sum(1)
    The result is a product of two sums over the classes. Each class's gradient belongs to that class's weights:
    multiply each pair, then sum.

[dW2]
slope_for_value: (1 - h**2).T @ dlogits
    You put the tanh's slope where its value belongs: 1 - h**2 is needed on the way down to `hpreact`, but `W2` is
    multiplied by `h` itself.

[dhpreact]
sigmoids_slope: h * (1 - h) * dh
    h (1 - h) is the slope of the sigmoid. The activation here is tanh: derive its slope, or look it up, in terms of its
    output.

[dbnvar]
exponent_up: -0.5 * (bnvar + 1e-5) ** 0.5 * dbnvar_inv
    The variance has the exponent 0.5 here: up by one instead of down. A power's derivative has an exponent lower by
    one: start from -0.5 and subtract.

[dembcat]
sums_multiplied: dhprebn.sum(1, keepdim=True) * W1.sum(1)
    The result is a product of two sums over the neurons. Each neuron's gradient belongs to that neuron's weights:
    multiply each pair, then sum.

[db1]
zeros: torch.zeros_like(b1)
    In the whole network this gradient is zero, up to rounding, since batch norm removes whatever a bias adds. But this
    function has to work for any upstream gradient: compute it from `dhprebn`.

[dC]
first_place_only: torch.zeros_like(C).index_add_(0, Xb[:, 0], demb[:, 0])
    Only the first place of every context comes back. A context has several places, and each of them looked up a row.
whole_context_to_each_token:
        gradient = torch.zeros_like(C)
        for place in range(Xb.shape[1]):
            gradient.index_add_(0, Xb[:, place], demb.sum(1))
        gradient
    Each token gets the sum over its whole context. A place's gradient belongs to the token at that place only: pair
    `demb[i, j]` with `Xb[i, j]`.
""")
