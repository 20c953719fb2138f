"""Known wrong answers of lesson 01, each with the message that its author gets."""

import torch
import torch.nn.functional as F

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
# two values meet
[dp]
shared_out: dadded / 2
    You divide the gradient between the two terms. But if one of them rises by 0.1, the sum rises by all of 0.1, not by
    half.
product_rule: dadded * q
    You multiply by the other term, which is the rule for a product. Does the slope of a sum depend on its other term?
upstream_forgotten: torch.ones_like(p)
    This is the slope of the line itself, without the upstream gradient. The chain rule is upstream gradient times local
    derivative.
times_itself: dadded * p
    You multiply by `p` itself. If `p` were twice as large, would a small change of it move the sum any further?

[dq]
shared_out: dadded / 2
    Half of the gradient is lost: it is not divided between `p` and `q`. Each of them gets all of it.
product_rule: dadded * p
    That is the rule for a product: multiply by the other factor. The forward line adds: what is its slope with respect
    to `q`?
upstream_forgotten: torch.ones_like(q)
    This is the local derivative alone. Multiply it by the upstream gradient, `dadded`.
minus: -dadded
    The sign is flipped. That would be right for `p - q`; look at the forward line again.

[du]
times_itself: dproduct * u
    You multiply by `u` itself. When `u` moves a little, what is it multiplied by in the product?
as_an_addition: dproduct.clone()
    `dproduct` comes through unchanged, as if the line were an addition. It multiplies: the slope is not 1.
upstream_forgotten: v.clone()
    This is the local derivative alone. Multiply it by the upstream gradient, `dproduct`.
added: dproduct + v
    Upstream gradient and local derivative are added here. Changes along a chain multiply.

[dv]
times_itself: dproduct * v
    You multiply by `v` itself. When `v` moves a little, what is it multiplied by in the product?
as_an_addition: dproduct.clone()
    `dproduct` comes through unchanged, as if the line were an addition. It multiplies: the slope is not 1.
upstream_forgotten: u.clone()
    This is the local derivative alone. Multiply it by the upstream gradient, `dproduct`.
divided: dproduct / u
    You divide by the other factor. A larger `u` makes the product more sensitive to `v`, not less.

# one value is read twice
[dfork]
first_way_only: 2 * dtwice
    This is the path through `twice` alone. `fork` is used in one more line, and both paths count.
second_way_only: dshifted.clone()
    This is the path through `shifted` alone. `fork` is used in one more line, and both paths count.
factor_lost: dtwice + dshifted
    Both paths are there, but the factor of the forward line `2 * fork` is missing.
multiplied: 2 * dtwice * dshifted
    You multiply the two paths. Slopes along one path are multiplied; different paths are added.
averaged: (2 * dtwice + dshifted) / 2
    You take the mean of the two paths. A change of `fork` goes along both of them, in full.
minus_second_way: 2 * dtwice - dshifted
    The second path has a minus. Subtracting a constant does not flip a sign: what is the slope of x - 1?

# one function for every element
[dpositive]
times: dlogarithm * positive
    You multiply where the logarithm's slope divides. Where the value is small, is log steep or flat?
upstream_forgotten: 1 / positive
    This is the slope of the logarithm without the upstream gradient. Multiply the two.
at_the_output: dlogarithm / logarithm
    You divide by what came out of the logarithm. The slope 1/x is taken at what went in.
squared: dlogarithm / positive**2
    Apart from its sign, that is the derivative of 1/x: you have differentiated one time too many.
base_ten: dlogarithm / (positive * 2.302585092994046)
    The logarithm is torch's `log`, the natural one. Yours is too small by a factor of log 10.

[dexponent]
power_rule: dexponential * exponent * torch.exp(exponent - 1)
    You use the rule for a power, which brings the exponent to the front. But here the variable is *in* the exponent.
at_the_input: dexponential * exponent
    You multiply by what went into the exponential. Its slope is what came out.
upstream_forgotten: exponential.clone()
    This is the slope of the exponential without the upstream gradient. Multiply the two.
divided: dexponential / exponential
    You divide by the exponential. Where `exponential` is large, is the line steep or flat?
unchanged: dexponential.clone()
    The upstream gradient comes through unchanged, as if the slope were 1 everywhere. Is it?

[dbase]
exponent_kept: dpower * -0.5 * power
    The exponent came to the front, but it was not lowered by one.
exponent_raised: dpower * -0.5 * base**0.5
    The exponent was raised by one. It goes down: from -0.5 to what?
sign_lost: dpower * 0.5 * base**-1.5
    The minus of the exponent is lost. A larger `base` makes `power` smaller: so what is the sign of the slope?
factor_lost: dpower * base**-1.5
    The exponent was lowered but not brought to the front: a factor is missing.
new_exponent_in_front: dpower * -1.5 * base**-1.5
    You brought the new exponent to the front. The rule takes the old one.
upstream_forgotten: -0.5 * base**-1.5
    This is the slope of the power without the upstream gradient. Multiply the two.

# many values become one
[dgrid]
not_copied: dtotal.clone()
    One number came back for a whole tensor. Each element of `grid` has a gradient of its own: what shape is it?
upstream_forgotten: torch.ones_like(grid)
    Ones are the slope of the sum. The upstream gradient `dtotal` is not one in general: multiply by it.
mean: dtotal / grid.numel() * torch.ones_like(grid)
    You divide by the number of elements, as for a mean. The line is a sum: each element counts in full.
times_itself: dtotal * grid
    You multiply by `grid`. The sum does not care how large an element is: the slope is the same for all.

[dsheet]
not_copied: dcolumn_sums.clone()
    This has one number per column, but `sheet` has many rows. A gradient has the shape of its value.
upstream_forgotten: torch.ones_like(sheet)
    Ones are the slope of the sum. Multiply them by the upstream gradient, `dcolumn_sums`.
mean: dcolumn_sums / sheet.shape[0] * torch.ones_like(sheet)
    You divide by the number of rows, as for a mean. The line is a sum: each element counts in full.
times_itself: dcolumn_sums * sheet
    You multiply by `sheet`. How large an element is does not matter for how strongly it moves a sum.

[dledger]
not_copied: drow_sums.clone()
    The column came back as it was, (rows, 1). Each element of `ledger` has a gradient of its own.
upstream_forgotten: torch.ones_like(ledger)
    Ones are the slope of the sum. Multiply them by the upstream gradient, `drow_sums`.
mean: drow_sums / ledger.shape[1] * torch.ones_like(ledger)
    You divide by the number of columns, as for a mean. The line is a sum: each element counts in full.
in_proportion: drow_sums * ledger / row_sums
    You divide the gradient in proportion to the elements. But a small element moves the sum just as far as a large one.

[dmarks]
as_a_sum: drow_means.unsqueeze(1) * torch.ones_like(marks)
    This would be right for a sum. A mean divides by how many it averages, and so does its gradient.
divided_by_rows: drow_means.unsqueeze(1) / marks.shape[0] * torch.ones_like(marks)
    You divide by the number of rows. Each mean is taken along a row: how many numbers does it average?
divided_by_all: drow_means.unsqueeze(1) / marks.numel() * torch.ones_like(marks)
    You divide by the number of all elements. Each row has a mean of its own: how many numbers does it average?
not_copied: drow_means / marks.shape[1]
    This has one number per row. Each element of `marks` has a gradient of its own: copy along the row.
upstream_forgotten: torch.ones_like(marks) / marks.shape[1]
    The division is right, but the upstream gradient is missing: multiply by `drow_means`.

# one value becomes many
[dtile]
no_sum: dtiled.clone()
    Nothing was summed. `tile[j]` was copied to every row: add up the gradients of all copies.
mean: dtiled.mean(0)
    You average over the copies. Every copy acts in full, so their gradients are summed.
wrong_axis: dtiled.sum(1)
    You sum along the columns. The copying ran down the rows: sum over that axis.
keepdim: dtiled.sum(0, keepdim=True)
    The numbers are right, and there is an axis of size 1 too many: `tile` is (columns,), so no `keepdim`.
first_copy_only: dtiled[0].clone()
    Only one of the copies sends its gradient back here. Each row of `tiled` is a copy of `tile`.

[dcolumn]
no_sum: dscaled * matrix
    You went back through the product, but not through the copying: `column` is copied to every column, so sum over
    them.
no_keepdim: (dscaled * matrix).sum(1)
    The numbers are right, but `column` is (rows, 1). Keep the axis when you sum: `keepdim`.
mean: (dscaled * matrix).mean(1, keepdim=True)
    You average over the copies. Every copy acts in full, so their gradients are summed.
no_product: dscaled.sum(1, keepdim=True)
    You sum the copies, but the line multiplies too: what is the slope of each product in `column`?
product_of_sums: dscaled.sum(1, keepdim=True) * matrix.sum(1, keepdim=True)
    You sum first and multiply afterwards. A product of sums is not the sum of products: change the order.
wrong_axis: (dscaled * matrix).sum(0, keepdim=True)
    You sum down the rows. `column` was copied along each row, to all of its columns: sum over that axis.
times_itself: (dscaled * column).sum(1, keepdim=True)
    You multiply by `column` itself; that belongs into the gradient of `matrix`.

# some values are picked
[drating]
to_every_column: dhighest * torch.ones_like(rating)
    Every element of a row gets the gradient. Would `highest` move if one of the lower ones did, a little?
mean: dhighest / rating.shape[1] * torch.ones_like(rating)
    The gradient is shared out over the row, as for a mean. A maximum listens to one element only.
upstream_forgotten: F.one_hot(rating.max(1).indices, rating.shape[1]).to(rating.dtype)
    You mark the right places with ones. Each of them should hold the upstream gradient of its row, `dhighest`.
times_the_maximum: F.one_hot(rating.max(1).indices, rating.shape[1]) * dhighest * highest
    The places are right, but each number is multiplied by the maximum. What is the slope of picking?
one_for_all: (rating == rating.max()) * dhighest
    Only the largest element of the whole tensor gets a gradient. There is a maximum in every row.
maxima_of_columns: (rating == rating.max(0, keepdim=True).values) * dhighest
    The gradient goes to the maximum of each *column*. The forward line takes it along axis 1: one for every row.

[dembedding]
overwritten:
        gradient = torch.zeros_like(embedding)
        for position, token in enumerate(tokens):
            gradient[token] = dlooked_up[position]
        gradient
    Where a token occurs more than once, only one of its places is kept. All places that read the same row send
    something back: add them. (`gradient[tokens] += ...` looks like it adds, and keeps one as well.)
mean:
        gradient = torch.zeros_like(embedding).index_add_(0, tokens, dlooked_up)
        gradient / torch.bincount(tokens, minlength=len(embedding)).clamp(min=1).unsqueeze(1)
    You take the mean over a token's places. Each of them acts in full: the gradients are added.
upstream_forgotten: torch.zeros_like(embedding).index_add_(0, tokens, torch.ones_like(dlooked_up))
    Each row counts how often it was read. The upstream gradient, `dlooked_up`, is missing.
still_by_place: dlooked_up.clone()
    The rows are still in the order of the places. The gradient has the shape of `embedding`: one row per token.
times_itself: torch.zeros_like(embedding).index_add_(0, tokens, dlooked_up) * embedding
    You multiply by the embedding itself. Looking a row up is a copy: its slope is 1.

# the matrix product
[dleft]
transposed: right @ dmatmul.T
    This is the transpose of the gradient. Write the three shapes down: only one order gives (rows, inner).
upstream_forgotten: torch.ones_like(dmatmul) @ right.T
    The upstream gradient is missing: these are sums of `right` alone. Put `dmatmul` into the product.
product_of_sums: dmatmul.sum(1, keepdim=True) * right.sum(1)
    You sum before you multiply. Each `dmatmul[i, j]` belongs to its own `right[k, j]`: multiply, then sum.
mean: dmatmul @ right.T / right.shape[1]
    You average over the columns. A number of `left` acts on every column of its row in full: sum.

[dright]
transposed: dmatmul.T @ left
    This is the transpose of the gradient. Write the three shapes down: only one order gives (inner, columns).
upstream_forgotten: left.T @ torch.ones_like(dmatmul)
    The upstream gradient is missing: these are sums of `left` alone. Put `dmatmul` into the product.
product_of_sums: left.sum(0).unsqueeze(1) * dmatmul.sum(0)
    You sum before you multiply. Each `dmatmul[i, j]` belongs to its own `left[i, k]`: multiply, then sum.
mean: left.T @ dmatmul / left.shape[0]
    You average over the rows. A number of `right` acts on every row of the product in full: sum.

# the small network
[dz]
at_the_input: (1 - z**2) * da
    The slope 1 - a² is written with what comes *out* of tanh. You square what went in.
sigmoid: a * (1 - a) * da
    That is the slope of a sigmoid, a·(1 - a). The line is a tanh.
tanh_twice: (1 - torch.tanh(a) ** 2) * da
    `a` is already the output of tanh. You apply tanh to it a second time.
not_squared: (1 - a) * da
    The square is missing. tanh is steepest in the middle and flat at *both* ends: is your slope so?
times_itself: a * da
    You multiply by `a`. In the middle, where `a` is near zero, tanh is steepest: what does your factor say there?

[dW]
transposed: dz.T @ x
    This is the transpose of the gradient. Write the shapes of `x`, `dz` and `W` side by side.
mean: x.T @ dz / x.shape[0]
    You divide by the number of rows. The loss is a sum over them, not a mean.
tanh_skipped: x.T @ da
    The tanh is skipped: `da` is the gradient above it. `W` feeds `z`, so start from `dz`.
product_of_sums: x.sum(0).unsqueeze(1) * dz.sum(0)
    You sum over the rows before you multiply. Each row of `dz` belongs to its own row of `x`.

[db]
no_sum: dz.clone()
    Nothing was summed. `b` was copied to every row: add up the gradients of all copies.
mean: dz.mean(0)
    You average over the rows. `b` acts on each of them in full: sum.
keepdim: dz.sum(0, keepdim=True)
    The numbers are right, and there is an axis of size 1 too many: `b` is (columns,), so no `keepdim`.
tanh_skipped: da.sum(0)
    The tanh is skipped: `da` is the gradient above it. `b` feeds `z`, so start from `dz`.
wrong_axis: dz.sum(1)
    You sum along the columns. `b` was copied down the rows: sum over that axis.

[dx]
transposed: W @ dz.T
    This is the transpose of the gradient. Write the shapes of `x`, `dz` and `W` side by side.
tanh_skipped: da @ W.T
    The tanh is skipped: `da` is the gradient above it. `x` feeds `z`, so start from `dz`.
upstream_forgotten: torch.ones_like(dz) @ W.T
    The upstream gradient is missing: these are sums of `W` alone. Put `dz` into the product.
mean: dz @ W.T / W.shape[1]
    You average over the columns of `W`. A number of `x` acts on every one of them in full: sum.

[through_add]
half_each: dy / 2, dy / 2
    You give each number half of it. But raising either of them raises the sum by just as much.
other_number_multiplied: dy * b, dy * a
    You multiply by the other number, which is the rule for a product. This line adds.
slopes_alone: 1, 1
    These are the slopes of the sum, without `dy`. The chain rule multiplies the two.
times_own_number: dy * a, dy * b
    You multiply each number by `dy`. Does the slope of a sum depend on how large its terms are?

[through_multiply]
numbers_swapped: dy * a, dy * b
    The two are swapped. If `b` is large, which of the two numbers does the product react to more?
added_up: dy, dy
    `dy` comes through unchanged: that is the rule for an addition. This line multiplies.
other_number_alone: b, a
    These are the slopes of the product, without `dy`. The chain rule multiplies the two.
times_the_product: dy * a * b, dy * a * b
    Both numbers get `dy` times the whole product. What is the slope of a·b in `a` alone?

[backward]
- da = torch.ones_like(a)
da_is_a: da = a
    You begin with `da = a`. The gradient of a sum with respect to each of its terms does not depend on the terms.
mean_for_sum: da = torch.ones_like(a) / a.numel()
    Your gradients are those of the mean of `a`. The loss is its sum.

- dz = (1 - a**2) * da
tanh_left_out: dz = da
    The gradient goes through the tanh unchanged. What is the slope of tanh?
at_the_input: dz = (1 - z**2) * da
    You square `z`, the input of the tanh. Its slope is written with the output.
tanh_twice: dz = (1 - torch.tanh(a) ** 2) * da
    `a` is the output of the tanh already. Here it goes through tanh a second time.
no_square: dz = (1 - a) * da
    In the slope of the tanh a square is missing.
times_the_input: dz = (1 - a**2) * z
    You multiply the slope by `z`. The chain rule multiplies it by the upstream gradient, `da`.

- db = dz.sum(0)
mean_over_the_batch: db = dz.mean(0)
    `db` is the mean over the rows. Each row adds its own share, in full.
upstream_of_b: db = da.sum(0)
    `db` is the sum of `da`. The tanh lies between `b` and the loss.
keepdim: db = dz.sum(0, keepdim=True)
    `db` has an axis too many. It should have the shape of `b`.

- dW = x.T @ dz
through_a: dW = x.T @ a
    `dW` is built from the value `a`. It should be built from the gradient of `z`.
transposed: dW = dz.T @ x
    `dW` is transposed. It should have the shape of `W`.

- dx = dz @ W.T
from_da: dx = da @ W.T
    `dx` is built from `da`. The tanh lies between `x` and the loss.

- return dW, db, dx
other_order: return dx, dW, db
    The three gradients come back in another order than the docstring says. A dictionary needs no order.
inputs_order: return dx, dW, db, dz
    Return three gradients, `dW`, `db` and `dx`, and no other.

[nonzero_places]
every_label_in_every_row: places = torch.zeros(len(labels), classes, dtype=torch.bool); places[:, labels] = True; places
    Each row has the true classes of *all* examples marked. Row i reads only its own, `labels[i]`: index rows and
    columns together.
turned_round: F.one_hot(labels, classes) == 0
    This marks the places that are zero. Which element of each row does the loss read?
everywhere: torch.ones(len(labels), classes, dtype=torch.bool)
    Everything is marked. But the loss reads a few places of `logprobs` only; what is never read has no influence.
rows_and_columns_swapped: (F.one_hot(labels, classes) == 1).T
    Rows and columns are swapped: there is a row for each example, and a column for each class.

[closed_share]
upper_end_only: (h > threshold).double().mean()
    Only the gates at the upper end are counted. tanh saturates at -1 as well.
threshold_included: (h.abs() >= threshold).double().mean()
    A gate exactly at the threshold is counted as closed. The question says: further from zero than it.
open_ones: (h.abs() <= threshold).double().mean()
    This is the share of open gates. Closed ones are those whose `h` is far from zero.
number: (h.abs() > threshold).sum()
    This is how many there are. A share is that number over the number of all elements.
square: (h**2 > threshold).double().mean()
    The square of `h` is compared. The threshold is meant for the distance from zero itself.
slope_below_threshold: (1 - h**2 < threshold).double().mean()
    The gate, 1 - h², is compared with the threshold. The question puts the threshold on `h`.

[mean_gate]
square_of_the_mean: 1 - h.mean() ** 2
    You average first and square afterwards. A layer of -1 and 1 has mean 0: are its gates open?
closedness: (h**2).mean()
    This is the mean of h²: how closed the gates are. What is left open of each?
distance_for_square: (1 - h.abs()).mean()
    You subtract |h|. The slope of tanh is 1 minus h *squared*.
not_divided: (1 - h**2).sum()
    This is the sum over all gates. Divide by how many there are.
through_tanh_again: (1 - torch.tanh(h) ** 2).mean()
    `h` is the output of tanh already. Here it goes through tanh a second time.

[push_and_pull]
softmax_over_examples: torch.softmax(logits, 0), F.one_hot(labels, logits.shape[1])
    The softmax runs down the columns, over the examples. Each example's classes share a probability of 1.
push_for_pull: F.one_hot(labels, logits.shape[1]), torch.softmax(logits, 1)
    The two are swapped: a positive term in the gradient pushes its logit *down*.
net_force:
        forces = torch.softmax(logits, 1) - F.one_hot(labels, logits.shape[1])
        forces.clamp(min=0), (-forces).clamp(min=0)
    At the true class you have subtracted one term from the other: that is the net force. The question is about each
    term by itself.
true_class_not_pushed: one_hot = F.one_hot(labels, logits.shape[1]); torch.softmax(logits, 1) * (1 - one_hot), one_hot
    The pull is right; in the push the true class is left out. The softmax has a number for it, too.
divided_by_n: n, classes = logits.shape; torch.softmax(logits, 1) / n, F.one_hot(labels, classes) / n
    Both are divided by the number of examples. That division belongs to the mean over a batch, and this question has
    none.
not_normalised: logits.exp(), F.one_hot(labels, logits.shape[1])
    The softmax is not finished: exponentials of the logits, not yet divided by the sum of their row.

[accumulation_factor]
once: (tokens == token).any()
    Once is how often it counts if each place overwrites the one before. The places' gradients are added.
share: (tokens == token).double().mean()
    This is the token's share of the batch. Gradients are added, not averaged.
contexts: (tokens == token).any(1).sum()
    You count contexts. A token that occurs twice in the same context sends back two gradients.
without_the_first: ((tokens == token).sum() - 1).clamp(min=0)
    You count how often it occurs *again*. The first time counts as well.
""")
