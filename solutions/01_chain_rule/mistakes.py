"""Known wrong answers of lesson 01, each with the message that its author gets."""

import torch

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
# one function is applied to every element

[dexponent]
power_rule: dexponential * exponent * torch.exp(exponent - 1)
    That is the rule for a power, where the variable is the base. Here the variable is the exponent.

# two values meet

[dcolumn]
product_of_sums: dscaled.sum(1, keepdim=True) * matrix.sum(1, keepdim=True)
    The result is a product of two sums. Each `dscaled[i, j]` belongs to its own `matrix[i, j]`: multiply each pair,
    then sum.
no_product: dscaled.sum(1, keepdim=True)
    You sum the copies, but the line multiplies too: what is the slope of each product in `column`?

# some values are picked

[dleft]
product_of_sums: dmatmul.sum(1, keepdim=True) * right.sum(1)
    The result is a product of two sums. Each `dmatmul[i, j]` belongs to its own `right[k, j]`: multiply each pair, then
    sum.

[dright]
product_of_sums: left.sum(0).unsqueeze(1) * dmatmul.sum(0)
    The result is a product of two sums. Each `dmatmul[i, j]` belongs to its own `left[i, k]`: multiply each pair, then
    sum.

# the small network
[dz]
sigmoid: a * (1 - a) * da
    That is the slope of a sigmoid, a·(1 - a). The line is a tanh.
times_itself: a * da
    You multiply by `a`. In the middle, where `a` is near zero, tanh is steepest: what does your factor say there?

[dW]
product_of_sums: x.sum(0).unsqueeze(1) * dz.sum(0)
    The result is a product of two sums over the rows. Each row of `dz` belongs to its own row of `x`.

[through_add]
half_each: dy / 2, dy / 2
    You give each number half of `dy`. But raising either of them raises the sum by just as much.
other_number_multiplied: dy * b, dy * a
    You multiply by the other number, which is the rule for a product. This line adds.
slopes_alone: 1, 1
    These are the slopes of the sum, without `dy`. The chain rule multiplies the two.
times_own_number: dy * a, dy * b
    You multiply each number by `dy`. Does the slope of a sum depend on how large its terms are?

[through_multiply]
numbers_swapped: dy * a, dy * b
    `da` and `db` are swapped. If `b` is large, which of the two numbers does the product react to more?
added_up: dy, dy
    `dy` comes through unchanged: that is the rule for an addition. This line multiplies.
other_number_alone: b, a
    These are the slopes of the product, without `dy`. The chain rule multiplies the two.
times_the_product: dy * a * b, dy * a * b
    Both numbers get `dy` times the whole product. What is the slope of a·b in `a` alone?

[backward]
- da = torch.ones_like(a)
mean_for_sum: da = torch.ones_like(a) / a.numel()
    Your gradients are those of the mean of `a`. The loss is its sum.
value_of_the_loss: da = a.sum() * torch.ones_like(a)
    Your gradients have the loss itself as a factor. What is the derivative of the loss with respect to itself?

- dz = (1 - a**2) * da
tanh_left_out: dz = da
    The gradient goes through the tanh unchanged. What is the slope of tanh?
at_the_input: dz = (1 - z**2) * da
    You square `z`, the input of the tanh. Its slope is written with the output.

- dW = x.T @ dz
through_a: dW = x.T @ a
    `dW` is built from the value `a`. It should be built from the gradient of `z`.
transposed: dW = dz.T @ x
    `dW` is transposed. It should have the shape of `W`.
tanh_skipped_in_dW: dW = x.T @ da
    `dW` is built from the gradient of `a`. Which value is `x @ W` a part of?

- dx = dz @ W.T
tanh_skipped_in_dx: dx = da @ W.T
    `dx` is built from the gradient of `a`. Which value is `x @ W` a part of?

- dW = x.T @ dz
- db = dz.sum(0)
- dx = dz @ W.T
tanh_skipped_twice:
        dW = x.T @ da
        db = dz.sum(0)
        dx = da @ W.T
    `dW` and `dx` are built from the gradient of `a`. Which value is `x @ W` a part of?

- return dW, db, dx
inputs_order: return dx, dW, db, dz
    Return three gradients, `dW`, `db` and `dx`, and no other.

[nonzero_places]
everywhere: torch.ones(len(labels), classes, dtype=torch.bool)
    Everything is marked. But the loss reads a few places of `logprobs` only; what is never read has no influence.

[closed_share]
upper_end_only: (h > threshold).double().mean()
    Only the gates at the upper end are counted. tanh saturates at -1 as well.
open_ones: (h.abs() <= threshold).double().mean()
    This is the share of open gates. Closed ones are those whose `h` is far from zero.
threshold_is_closed: (h.abs() >= threshold).double().mean()
    A gate exactly at the threshold is counted as closed. The question counts it as open.
number: (h.abs() > threshold).sum()
    This is how many there are. A share is that number over the number of all elements.
square: (h**2 > threshold).double().mean()
    The square of `h` is compared. The threshold is meant for the distance from zero itself.
slope_below_threshold: (1 - h**2 < threshold).double().mean()
    The gate, 1 - h², is compared with the threshold. The question puts the threshold on `h`.

[mean_gate]
square_of_the_mean: 1 - h.mean() ** 2
    You average first and square afterwards. A layer of -1 and 1 has mean 0: are its gates open?
square_of_the_mean_size: 1 - h.abs().mean() ** 2
    You average first and square afterwards. The slope at a place needs the square of that place's own `h`.
closedness: (h**2).mean()
    This is the mean of h²: how closed the gates are. What is left open of each?

[accumulation_factor]
once: (tokens == token).any()
    Your factor is 1 for any token that occurs, as if each place overwrote the one before. The places' gradients are
    added.
contexts: (tokens == token).any(1).sum()
    You count contexts. A token that occurs twice in the same context sends back two gradients.
""")
