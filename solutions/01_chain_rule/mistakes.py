"""Known wrong answers of lesson 01, each with the message that its author gets."""

import torch
import torch.nn.functional as F

from grader.lesson.mistakes import mistake

# two values meet


@mistake(
    "You share the gradient out between the two terms. But each term moves the sum by all of its own change, not by "
    "half of it."
)
def dp__shared_out(dadded):
    return dadded / 2


@mistake(
    "You multiply by the other term, which is the rule for a product. Does the slope of a sum depend on its other term?"
)
def dp__product_rule(dadded, q):
    return dadded * q


@mistake(
    "This is the slope of the line itself, without the upstream gradient. The chain rule is upstream gradient times "
    "local derivative."
)
def dp__upstream_forgotten(p):
    return torch.ones_like(p)


@mistake("You multiply by `p` itself. If `p` were twice as large, would a small change of it move the sum any further?")
def dp__times_itself(dadded, p):
    return dadded * p


@mistake("Half of the gradient is lost: it is not divided between `p` and `q`. Each of them gets all of it.")
def dq__shared_out(dadded):
    return dadded / 2


@mistake("That is how a product goes back: times the other one. The forward line adds: what is its slope in `q`?")
def dq__product_rule(dadded, p):
    return dadded * p


@mistake("The local derivative is right, and it stands alone. Multiply it by what comes from above, `dadded`.")
def dq__upstream_forgotten(q):
    return torch.ones_like(q)


@mistake("The sign is flipped. That would be right for `p - q`; look at the forward line again.")
def dq__minus(dadded):
    return -dadded


@mistake("You multiply by `u` itself. When `u` moves a little, what is it multiplied by in the product?")
def du__times_itself(dproduct, u):
    return dproduct * u


@mistake("`dproduct` comes through unchanged, as if the line were an addition. It multiplies: the slope is not 1.")
def du__as_an_addition(dproduct):
    return dproduct.clone()


@mistake("The local derivative is right, and it stands alone. Multiply it by what comes from above, `dproduct`.")
def du__upstream_forgotten(v):
    return v.clone()


@mistake("Upstream gradient and local derivative are added here. Changes along a chain multiply.")
def du__added(dproduct, v):
    return dproduct + v


@mistake("You multiply by `v` itself. When `v` moves a little, what is it multiplied by in the product?")
def dv__times_itself(dproduct, v):
    return dproduct * v


@mistake("`dproduct` comes through unchanged, as if the line were an addition. It multiplies: the slope is not 1.")
def dv__as_an_addition(dproduct):
    return dproduct.clone()


@mistake("The local derivative is right, and it stands alone. Multiply it by what comes from above, `dproduct`.")
def dv__upstream_forgotten(u):
    return u.clone()


@mistake("You divide by the other factor. A larger `u` makes the product more sensitive to `v`, not less.")
def dv__divided(dproduct, u):
    return dproduct / u


# one value is read twice


@mistake("This is the way through `twice` alone. `fork` is read in one more line, and both ways count.")
def dfork__first_way_only(dtwice):
    return 2 * dtwice


@mistake("This is the way through `shifted` alone. `fork` is read in one more line, and both ways count.")
def dfork__second_way_only(dshifted):
    return dshifted.clone()


@mistake("Both ways are there, but the factor of the forward line `2 * fork` is lost on the way back.")
def dfork__factor_lost(dtwice, dshifted):
    return dtwice + dshifted


@mistake("You multiply the two ways. Along a way slopes multiply; ways that run side by side are added.")
def dfork__multiplied(dtwice, dshifted):
    return 2 * dtwice * dshifted


@mistake("You take the mean of the two ways. A change of `fork` goes along both of them, in full.")
def dfork__averaged(dtwice, dshifted):
    return (2 * dtwice + dshifted) / 2


@mistake("The second way has a minus. Subtracting a constant does not turn anything round: what is the slope of x - 1?")
def dfork__minus_second_way(dtwice, dshifted):
    return 2 * dtwice - dshifted


# one function for every element


@mistake("You multiply where the logarithm's slope divides. Where the value is small, is log steep or flat?")
def dpositive__times(dlogarithm, positive):
    return dlogarithm * positive


@mistake("This is the slope of the logarithm without the upstream gradient. Multiply the two.")
def dpositive__upstream_forgotten(positive):
    return 1 / positive


@mistake("You divide by what came out of the logarithm. The slope 1/x is taken at what went in.")
def dpositive__at_the_output(dlogarithm, logarithm):
    return dlogarithm / logarithm


@mistake("Apart from its sign, that is the derivative of 1/x: you have differentiated one time too many.")
def dpositive__squared(dlogarithm, positive):
    return dlogarithm / positive**2


@mistake("The logarithm is torch's `log`, the natural one. Yours is too small by a factor of log 10.")
def dpositive__base_ten(dlogarithm, positive):
    return dlogarithm / (positive * 2.302585092994046)


@mistake("You use the rule for a power: exponent to the front. Here the unknown stands *in* the exponent.")
def dexponent__power_rule(dexponential, exponent):
    return dexponential * exponent * torch.exp(exponent - 1)


@mistake("You multiply by what went into the exponential. Its slope is what came out.")
def dexponent__at_the_input(dexponential, exponent):
    return dexponential * exponent


@mistake("This is the slope of the exponential without the upstream gradient. Multiply the two.")
def dexponent__upstream_forgotten(exponential):
    return exponential.clone()


@mistake("You divide by the exponential. Where `exponential` is large, is the line steep or flat?")
def dexponent__divided(dexponential, exponential):
    return dexponential / exponential


@mistake("The upstream gradient comes through unchanged, as if the slope were 1 everywhere. Is it?")
def dexponent__unchanged(dexponential):
    return dexponential.clone()


@mistake("The exponent came to the front, but it was not lowered by one.")
def dbase__exponent_kept(dpower, power):
    return dpower * -0.5 * power


@mistake("The exponent was raised by one. It goes down: from -0.5 to what?")
def dbase__exponent_raised(dpower, base):
    return dpower * -0.5 * base**0.5


@mistake("The minus of the exponent is lost. A larger `base` makes `power` smaller: so what is the sign of the slope?")
def dbase__sign_lost(dpower, base):
    return dpower * 0.5 * base**-1.5


@mistake("The exponent was lowered but not brought to the front: a factor is missing.")
def dbase__factor_lost(dpower, base):
    return dpower * base**-1.5


@mistake("You brought the new exponent to the front. The rule takes the old one.")
def dbase__new_exponent_in_front(dpower, base):
    return dpower * -1.5 * base**-1.5


@mistake("This is the slope of the power without the upstream gradient. Multiply the two.")
def dbase__upstream_forgotten(base):
    return -0.5 * base**-1.5


# many values become one


@mistake("One number came back for a whole tensor. Each element of `grid` has a gradient of its own: what shape is it?")
def dgrid__not_copied(dtotal):
    return dtotal.clone()


@mistake("Ones are the slope of the sum. The upstream gradient `dtotal` is not one in general: multiply by it.")
def dgrid__upstream_forgotten(grid):
    return torch.ones_like(grid)


@mistake("You divide by the number of elements, as for a mean. The line is a sum: each element counts in full.")
def dgrid__mean(dtotal, grid):
    return dtotal / grid.numel() * torch.ones_like(grid)


@mistake("You multiply by `grid`. The sum does not care how large an element is: the slope is the same for all.")
def dgrid__times_itself(dtotal, grid):
    return dtotal * grid


@mistake("This has one number per column, but `sheet` has many rows. A gradient has the shape of its value.")
def dsheet__not_copied(dcolumn_sums):
    return dcolumn_sums.clone()


@mistake("Ones are the slope of the sum. Multiply them by what comes from above, `dcolumn_sums`.")
def dsheet__upstream_forgotten(sheet):
    return torch.ones_like(sheet)


@mistake("You divide by the number of rows, as for a mean. The line is a sum: each element counts in full.")
def dsheet__mean(dcolumn_sums, sheet):
    return dcolumn_sums / sheet.shape[0] * torch.ones_like(sheet)


@mistake("You multiply by `sheet`. How large an element is does not matter for how strongly it moves a sum.")
def dsheet__times_itself(dcolumn_sums, sheet):
    return dcolumn_sums * sheet


@mistake("The column came back as it was, (rows, 1). Each element of `ledger` has a gradient of its own.")
def dledger__not_copied(drow_sums):
    return drow_sums.clone()


@mistake("Ones are the slope of the sum. Multiply them by what comes from above, `drow_sums`.")
def dledger__upstream_forgotten(ledger):
    return torch.ones_like(ledger)


@mistake("You divide by the number of columns, as for a mean. The line is a sum: each element counts in full.")
def dledger__mean(drow_sums, ledger):
    return drow_sums / ledger.shape[1] * torch.ones_like(ledger)


@mistake(
    "You share the gradient out by how much each element has in its row's sum. But a small element moves the sum just "
    "as far as a large one."
)
def dledger__in_proportion(drow_sums, row_sums, ledger):
    return drow_sums * ledger / row_sums


@mistake("This would be right for a sum. A mean divides by how many it averages, and so does its gradient.")
def dmarks__as_a_sum(drow_means, marks):
    return drow_means.unsqueeze(1) * torch.ones_like(marks)


@mistake("You divide by the number of rows. Each mean is taken along a row: how many numbers does it average?")
def dmarks__divided_by_rows(drow_means, marks):
    return drow_means.unsqueeze(1) / marks.shape[0] * torch.ones_like(marks)


@mistake("You divide by the number of all elements. Each row has a mean of its own: how many numbers does it average?")
def dmarks__divided_by_all(drow_means, marks):
    return drow_means.unsqueeze(1) / marks.numel() * torch.ones_like(marks)


@mistake("This has one number per row. Each element of `marks` has a gradient of its own: copy along the row.")
def dmarks__not_copied(drow_means, marks):
    return drow_means / marks.shape[1]


@mistake("The division is there, the upstream gradient is not. Multiply by what comes from above, `drow_means`.")
def dmarks__upstream_forgotten(marks):
    return torch.ones_like(marks) / marks.shape[1]


# one value becomes many


@mistake("Nothing was summed. `tile[j]` was copied to every row: what it gets back from all of them is added up.")
def dtile__no_sum(dtiled):
    return dtiled.clone()


@mistake("You average over the copies. Every copy acts in full, so their gradients are summed.")
def dtile__mean(dtiled):
    return dtiled.mean(0)


@mistake("You sum along the columns. The copying ran down the rows: sum over that axis.")
def dtile__wrong_axis(dtiled):
    return dtiled.sum(1)


@mistake("The numbers are right, and there is an axis of size 1 too many: `tile` is (columns,), so no `keepdim`.")
def dtile__keepdim(dtiled):
    return dtiled.sum(0, keepdim=True)


@mistake("Only one of the copies sends its gradient back here. Each row of `tiled` is a copy of `tile`.")
def dtile__first_copy_only(dtiled):
    return dtiled[0].clone()


@mistake("The multiplication is undone, the copying is not: `column` stands in every column, so sum over them.")
def dcolumn__no_sum(dscaled, matrix):
    return dscaled * matrix


@mistake("The numbers are right, but `column` is (rows, 1). Keep the axis when you sum: `keepdim`.")
def dcolumn__no_keepdim(dscaled, matrix):
    return (dscaled * matrix).sum(1)


@mistake("You average over the copies. Every copy acts in full, so their gradients are summed.")
def dcolumn__mean(dscaled, matrix):
    return (dscaled * matrix).mean(1, keepdim=True)


@mistake("You sum the copies, but the line multiplies too: what is the slope of each product in `column`?")
def dcolumn__no_product(dscaled):
    return dscaled.sum(1, keepdim=True)


@mistake("You sum first and multiply afterwards. A product of sums is not the sum of products: mind the order.")
def dcolumn__product_of_sums(dscaled, matrix):
    return dscaled.sum(1, keepdim=True) * matrix.sum(1, keepdim=True)


@mistake("You sum down the rows. `column` was copied along each row, to all of its columns: sum over that axis.")
def dcolumn__wrong_axis(dscaled, matrix):
    return (dscaled * matrix).sum(0, keepdim=True)


@mistake("You multiply by `column` itself; that belongs into the gradient of `matrix`.")
def dcolumn__times_itself(dscaled, column):
    return (dscaled * column).sum(1, keepdim=True)


# some values are picked


@mistake("Every element of a row gets the gradient. Would `highest` move if one of the lower ones did, a little?")
def drating__to_every_column(dhighest, rating):
    return dhighest * torch.ones_like(rating)


@mistake("The gradient is shared out over the row, as for a mean. A maximum listens to one element only.")
def drating__mean(dhighest, rating):
    return dhighest / rating.shape[1] * torch.ones_like(rating)


@mistake("The right places are marked, with ones. Each should hold what comes from above: its row's `dhighest`.")
def drating__upstream_forgotten(rating):
    return F.one_hot(rating.max(1).indices, rating.shape[1]).to(rating.dtype)


@mistake("The places are right, but each number is multiplied by the maximum. What is the slope of picking?")
def drating__times_the_maximum(dhighest, rating, highest):
    return F.one_hot(rating.max(1).indices, rating.shape[1]) * dhighest * highest


@mistake("Only the largest element of the whole tensor gets a gradient. There is a maximum in every row.")
def drating__one_for_all(dhighest, rating):
    return (rating == rating.max()) * dhighest


@mistake(
    "The gradient goes to the maximum of each *column*. The forward line takes it along axis 1: one for every row."
)
def drating__maxima_of_columns(dhighest, rating):
    return (rating == rating.max(0, keepdim=True).values) * dhighest


@mistake(
    "Where a token occurs more than once, only one of its places is kept. All places that read the same row send "
    "something back: add them. (`gradient[tokens] += ...` looks like it adds, and keeps one as well.)"
)
def dembedding__overwritten(dlooked_up, embedding, tokens):
    gradient = torch.zeros_like(embedding)
    for position, token in enumerate(tokens):
        gradient[token] = dlooked_up[position]
    return gradient


@mistake("You take the mean over a token's places. Each of them acts in full: the gradients are added.")
def dembedding__mean(dlooked_up, embedding, tokens):
    gradient = torch.zeros_like(embedding).index_add_(0, tokens, dlooked_up)
    return gradient / torch.bincount(tokens, minlength=len(embedding)).clamp(min=1).unsqueeze(1)


@mistake("Each row counts how often it was read. What comes from above for each place, `dlooked_up`, is not in it.")
def dembedding__upstream_forgotten(dlooked_up, embedding, tokens):
    return torch.zeros_like(embedding).index_add_(0, tokens, torch.ones_like(dlooked_up))


@mistake("The rows are still in the order of the places. The gradient has the shape of `embedding`: one row per token.")
def dembedding__still_by_place(dlooked_up):
    return dlooked_up.clone()


@mistake("You multiply by the embedding itself. Looking a row up is a copy: its slope is 1.")
def dembedding__times_itself(dlooked_up, embedding, tokens):
    return torch.zeros_like(embedding).index_add_(0, tokens, dlooked_up) * embedding


# the matrix product


@mistake("This is the transpose of the gradient. Write the three shapes down: only one order gives (rows, inner).")
def dleft__transposed(dmatmul, right):
    return right @ dmatmul.T


@mistake("The upstream gradient is missing: these are sums of `right` alone. Put `dmatmul` into the product.")
def dleft__upstream_forgotten(dmatmul, right):
    return torch.ones_like(dmatmul) @ right.T


@mistake("You sum before you multiply. Each `dmatmul[i, j]` belongs to its own `right[k, j]`: multiply, then sum.")
def dleft__product_of_sums(dmatmul, right):
    return dmatmul.sum(1, keepdim=True) * right.sum(1)


@mistake("You average over the columns. A number of `left` acts on every column of its row in full: sum.")
def dleft__mean(dmatmul, right):
    return dmatmul @ right.T / right.shape[1]


@mistake("This is the transpose of the gradient. Write the three shapes down: only one order gives (inner, columns).")
def dright__transposed(dmatmul, left):
    return dmatmul.T @ left


@mistake("The upstream gradient is missing: these are sums of `left` alone. Put `dmatmul` into the product.")
def dright__upstream_forgotten(dmatmul, left):
    return left.T @ torch.ones_like(dmatmul)


@mistake("You sum before you multiply. Each `dmatmul[i, j]` belongs to its own `left[i, k]`: multiply, then sum.")
def dright__product_of_sums(dmatmul, left):
    return left.sum(0).unsqueeze(1) * dmatmul.sum(0)


@mistake("You average over the rows. A number of `right` acts on every row of the product in full: sum.")
def dright__mean(dmatmul, left):
    return left.T @ dmatmul / left.shape[0]


# the small network


@mistake("The slope 1 - a² is written with what comes *out* of tanh. You square what went in.")
def dz__at_the_input(da, z):
    return (1 - z**2) * da


@mistake("That is the slope of a sigmoid, a·(1 - a). The line is a tanh.")
def dz__sigmoid(da, a):
    return a * (1 - a) * da


@mistake("`a` is already the output of tanh. You apply tanh to it a second time.")
def dz__tanh_twice(da, a):
    return (1 - torch.tanh(a) ** 2) * da


@mistake("The square is missing. tanh is steepest in the middle and flat at *both* ends: is your slope so?")
def dz__not_squared(da, a):
    return (1 - a) * da


@mistake(
    "You multiply by `a`. In the middle, where `a` is near zero, tanh is steepest: what does your factor say there?"
)
def dz__times_itself(da, a):
    return a * da


@mistake("This is the transpose of the gradient. Write the shapes of `x`, `dz` and `W` side by side.")
def dW__transposed(dz, x):
    return dz.T @ x


@mistake("You divide by the number of rows. The loss is a sum over them, not a mean.")
def dW__mean(dz, x):
    return x.T @ dz / x.shape[0]


@mistake("The tanh is skipped: `da` is the gradient above it. `W` feeds `z`, so start from `dz`.")
def dW__tanh_skipped(da, x):
    return x.T @ da


@mistake("You sum over the rows before you multiply. Each row of `dz` belongs to its own row of `x`.")
def dW__product_of_sums(dz, x):
    return x.sum(0).unsqueeze(1) * dz.sum(0)


@mistake("Nothing was summed. `b` was added to every row: what it gets back from all of them is added up.")
def db__no_sum(dz):
    return dz.clone()


@mistake("You average over the rows. `b` acts on each of them in full: sum.")
def db__mean(dz):
    return dz.mean(0)


@mistake("The numbers are right, and there is an axis of size 1 too many: `b` is (columns,), so no `keepdim`.")
def db__keepdim(dz):
    return dz.sum(0, keepdim=True)


@mistake("The tanh is skipped: `da` is the gradient above it. `b` feeds `z`, so start from `dz`.")
def db__tanh_skipped(da):
    return da.sum(0)


@mistake("You sum along the columns. `b` was copied down the rows: sum over that axis.")
def db__wrong_axis(dz):
    return dz.sum(1)


@mistake("This is the transpose of the gradient. Write the shapes of `x`, `dz` and `W` side by side.")
def dx__transposed(dz, W):
    return W @ dz.T


@mistake("The tanh is skipped: `da` is the gradient above it. `x` feeds `z`, so start from `dz`.")
def dx__tanh_skipped(da, W):
    return da @ W.T


@mistake("The upstream gradient is missing: these are sums of `W` alone. Put `dz` into the product.")
def dx__upstream_forgotten(dz, W):
    return torch.ones_like(dz) @ W.T


@mistake("You average over the columns of `W`. A number of `x` acts on every one of them in full: sum.")
def dx__mean(dz, W):
    return dz @ W.T / W.shape[1]


# questions


@mistake("You give each number half of it. But raising either of them raises the sum by just as much.")
def through_add__half_each(a, b, dy):
    return dy / 2, dy / 2


@mistake("You multiply by the other number, which is the rule for a product. This line adds.")
def through_add__other_number_multiplied(a, b, dy):
    return dy * b, dy * a


@mistake("These are the slopes of the sum, without `dy`. The chain rule multiplies the two.")
def through_add__slopes_alone(a, b, dy):
    return 1, 1


@mistake("You multiply each number by `dy`. Does the slope of a sum depend on how large its terms are?")
def through_add__times_own_number(a, b, dy):
    return dy * a, dy * b


@mistake("The two are swapped. If `b` is large, which of the two numbers does the product react to more?")
def through_multiply__numbers_swapped(a, b, dy):
    return dy * a, dy * b


@mistake("`dy` comes through unchanged: that is the rule for an addition. This line multiplies.")
def through_multiply__added_up(a, b, dy):
    return dy, dy


@mistake("These are the slopes of the product, without `dy`. The chain rule multiplies the two.")
def through_multiply__other_number_alone(a, b, dy):
    return b, a


@mistake("Both numbers get `dy` times the whole product. What is the slope of a·b in `a` alone?")
def through_multiply__times_the_product(a, b, dy):
    return dy * a * b, dy * a * b


@mistake(
    "Each row has the true classes of *all* examples marked. Row i reads only its own, `labels[i]`: index rows and "
    "columns together."
)
def nonzero_places__every_label_in_every_row(labels, classes):
    places = torch.zeros(len(labels), classes, dtype=torch.bool)
    places[:, labels] = True
    return places


@mistake("This marks the places that are zero. Which element of each row does the loss read?")
def nonzero_places__turned_round(labels, classes):
    return F.one_hot(labels, classes) == 0


@mistake(
    "Everything is marked. But the loss reads a few places of `logprobs` only; what is never read has no influence."
)
def nonzero_places__everywhere(labels, classes):
    return torch.ones(len(labels), classes, dtype=torch.bool)


@mistake("Rows and columns are swapped: there is a row for each example, and a column for each class.")
def nonzero_places__rows_and_columns_swapped(labels, classes):
    return (F.one_hot(labels, classes) == 1).T


@mistake("Only the gates at the upper end are counted. tanh saturates at -1 as well.")
def closed_share__upper_end_only(h, threshold):
    return (h > threshold).double().mean()


@mistake("A gate exactly at the threshold is counted as closed. The question says: further from zero than it.")
def closed_share__threshold_included(h, threshold):
    return (h.abs() >= threshold).double().mean()


@mistake("This is the share of open gates. Closed ones are those whose `h` is far from zero.")
def closed_share__open_ones(h, threshold):
    return (h.abs() <= threshold).double().mean()


@mistake("This is how many there are. A share is that number over the number of all elements.")
def closed_share__number(h, threshold):
    return (h.abs() > threshold).sum()


@mistake("The square of `h` is compared. The threshold is meant for the distance from zero itself.")
def closed_share__square(h, threshold):
    return (h**2 > threshold).double().mean()


@mistake("The gate, 1 - h², is compared with the threshold. The question puts the threshold on `h`.")
def closed_share__slope_below_threshold(h, threshold):
    return (1 - h**2 < threshold).double().mean()


@mistake("You average first and square afterwards. A layer of -1 and 1 has mean 0: are its gates open?")
def mean_gate__square_of_the_mean(h):
    return 1 - h.mean() ** 2


@mistake("This is the mean of h²: how closed the gates are. What is left open of each?")
def mean_gate__closedness(h):
    return (h**2).mean()


@mistake("The distance from zero stands where its square belongs: the slope of tanh is 1 minus h *squared*.")
def mean_gate__distance_for_square(h):
    return (1 - h.abs()).mean()


@mistake("This is the sum over all gates. Divide by how many there are.")
def mean_gate__not_divided(h):
    return (1 - h**2).sum()


@mistake("`h` is the output of tanh already. Here it goes through tanh a second time.")
def mean_gate__through_tanh_again(h):
    return (1 - torch.tanh(h) ** 2).mean()


@mistake("The softmax runs down the columns, over the examples. Each example's classes share a probability of 1.")
def push_and_pull__softmax_over_examples(logits, labels):
    return torch.softmax(logits, 0), F.one_hot(labels, logits.shape[1])


@mistake("The two are swapped: a positive term in the gradient pushes its logit *down*.")
def push_and_pull__push_for_pull(logits, labels):
    return F.one_hot(labels, logits.shape[1]), torch.softmax(logits, 1)


@mistake(
    "You have taken the two terms together at the true class: that is the net force. The question is about each term "
    "by itself."
)
def push_and_pull__net_force(logits, labels):
    forces = torch.softmax(logits, 1) - F.one_hot(labels, logits.shape[1])
    return forces.clamp(min=0), (-forces).clamp(min=0)


@mistake("The pull is right; in the push the true class is left out. The softmax has a number for it, too.")
def push_and_pull__true_class_not_pushed(logits, labels):
    one_hot = F.one_hot(labels, logits.shape[1])
    return torch.softmax(logits, 1) * (1 - one_hot), one_hot


@mistake(
    "Both are divided by the number of examples. That division belongs to the mean over a batch, and this question has "
    "none."
)
def push_and_pull__divided_by_n(logits, labels):
    n, classes = logits.shape
    return torch.softmax(logits, 1) / n, F.one_hot(labels, classes) / n


@mistake("The softmax is not finished: exponentials of the logits, not yet divided by the sum of their row.")
def push_and_pull__not_normalised(logits, labels):
    return logits.exp(), F.one_hot(labels, logits.shape[1])


@mistake("Once is how often it counts if each place overwrites the one before. The places' gradients are added.")
def accumulation_factor__once(tokens, token):
    return (tokens == token).any()


@mistake("This is the token's share of the batch. Gradients are added, not averaged.")
def accumulation_factor__share(tokens, token):
    return (tokens == token).double().mean()


@mistake("You count contexts. A token that occurs twice in the same context sends back two gradients.")
def accumulation_factor__contexts(tokens, token):
    return (tokens == token).any(1).sum()


@mistake("You count how often it occurs *again*. The first time counts as well.")
def accumulation_factor__without_the_first(tokens, token):
    return ((tokens == token).sum() - 1).clamp(min=0)
