"""Known wrong lines of lesson 06, each with the message that its author gets.

Each is an edit of the solution. A wrong line makes all gradients below it wrong, too, and they get the same message.
(`db` is the exception: for the whole pass it is zero, and it stays zero after many wrong lines.)
"""

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
# cross-entropy
[backward]
- dlogits = dlogits / n
no_one_over_n: dlogits = dlogits * 1.0
    `dlogits` is the gradient of the examples' losses added up, and so is all below it. The loss is their mean: what
    does that do to the share of each?
sign: dlogits = -dlogits / n
    All signs are flipped from `dlogits` on: the true class is pushed down, and the others are pulled up. A gradient
    points uphill; the update goes against it. Follow the minus in front of the logarithm.

- dlogits[torch.arange(n), Yb] -= 1
one_hot_forgotten:
    In `dlogits` every class is pushed down, the true one as well: its rows do not sum to zero. The logit of the true
    class appears in the loss a second time: what comes back from there?

- dlogits[torch.arange(n), Yb] -= 1
- dlogits = dlogits / n
one_hot_after_division:
        dlogits = dlogits / n
        dlogits[torch.arange(n), Yb] -= 1
    In `dlogits` the 1 of the true class is taken off after the division by n, so it counts n times too much. The mean
    divides both parts: do the rows sum to zero?

- dlogits[torch.arange(n), Yb] -= 1
whole_columns: dlogits[:, Yb] -= 1
    In `dlogits`, `[:, Yb]` picks the true classes of all examples in every row. A row has one true class of its own:
    pair row i with `Yb[i]`.

- F.softmax(logits, 1)
softmax_over_the_batch: F.softmax(logits, 0)
    The softmax in `dlogits` runs over the examples, as if they competed with each other. Check its axis: each row, one
    example, should sum to one.
log_softmax: F.log_softmax(logits, 1)
    `dlogits` is made from log-probabilities where probabilities belong. Check the name of the function: with or without
    the log?

- dlogits[torch.arange(n), Yb] -= 1
prediction_for_target: dlogits[torch.arange(n), logits.argmax(1)] -= 1
    In `dlogits` the 1 is taken off at the class that the net believes in. Which of `logits.argmax(1)` and `Yb` does the
    loss look at?

- dlogits = dlogits / n
over_classes: dlogits = dlogits / logits.shape[1]
    `dlogits` is divided by the number of classes. The forward pass takes one mean: over what, and how many are there?
over_all_elements: dlogits = dlogits / logits.numel()
    `dlogits` is divided by the number of all logits. The mean is over the losses, and there is one for each example.

# linear layer 2
- dW2 = h.T @ dlogits
dW2_transposed: dW2 = dlogits.T @ h
    `dW2` is the transpose of the gradient. A gradient has the shape of its value: compare it with the shape of `W2`.
dW2_over_n: dW2 = h.T @ dlogits / n
    `dW2` is divided by n twice: the mean over the batch is in `dlogits` already, and the matrix product rightly sums
    over the examples.
dW2_before_tanh: dW2 = out.T @ dlogits
    `dW2` is made from `out`, the value before the tanh. Which value is it that the forward pass multiplies by `W2`?

- db2 = dlogits.sum(0)
db2_keepdim: db2 = dlogits.sum(0, keepdim=True)
    The numbers of `db2` are right, its shape is not: `b2` is a plain vector, and your gradient has a 1 in front. Check
    `keepdim`.
db2_mean: db2 = dlogits.mean(0)
    `db2` is a mean over the batch. One bias serves every example, so its gradients add up; the mean of the loss is
    already inside `dlogits`.
db2_wrong_axis: db2 = dlogits.sum(1)
    `db2` sums over the classes and leaves one number per example. There should be one number per class: along which
    axis was `b2` copied?
db2_no_sum: db2 = dlogits.clone()
    `db2` still has a row for each example. `b2` was copied into every row: what undoes a copy on the way back?

- dh = dlogits @ W2.T
dh_reshaped_weights: dh = dlogits @ W2.reshape(W2.shape[1], W2.shape[0])
    On the way from `dlogits` to `h`, `W2` was reshaped where it should be transposed: the shape fits, the numbers stand
    in other places. Compare `W2.reshape(...)` with `W2.T` on a small example.

- dout = (1 - h**2) * dh
tanh_skipped: dout = dh.clone()
    The gradient of `h` went on unchanged, as if there were no tanh. What is its slope, and where is it nearly zero?
tanh_of_its_input: dout = (1 - out**2) * dh
    The slope of the tanh is taken with the value that goes in. One minus the square is right for what comes *out*:
    which of `out` and `h` is that?
tanh_twice: dout = (1 - torch.tanh(h) ** 2) * dh
    `h` has already gone through tanh. Here it goes through tanh a second time before it is squared.
sigmoid_s_slope: dout = h * (1 - h) * dh
    `h * (1 - h)` is the slope of a sigmoid. This is a tanh: what is its slope, written with its output?
tanh_not_squared: dout = (1 - h) * dh
    `1 - h` is not the slope of the tanh: at -h the slope is the same as at h. Something is missing that takes the sign
    off.
tanh_upstream_forgotten: dout = 1 - h**2
    What goes on below the tanh is its slope alone, and all that came from the loss is lost. The chain rule multiplies:
    where is `dh`?

# batch norm: scale and shift
- "dgamma": dgamma,
- "dbeta": dbeta,
gain_and_bias_swapped:
        "dgamma": dbeta,
        "dbeta": dgamma,
    `dgamma` and `dbeta` are swapped. Both have the same shape, so only their values show it: look at which value has
    which name in the last line.

- dgamma = (dout * xhat).sum(0)
dgamma_keepdim: dgamma = (dout * xhat).sum(0, keepdim=True)
    The numbers of `dgamma` are right, its shape is not: `gamma` is a plain vector here. Check `keepdim`.
dgamma_mean: dgamma = (dout * xhat).mean(0)
    `dgamma` is a mean over the batch. One `gamma` serves every example, and every copy of it counts in full.
dgamma_no_sum: dgamma = dout * xhat
    `dgamma` still has a row for each example. `gamma` was copied into every row: what undoes a copy on the way back?
dgamma_centred_only: dgamma = (dout * (x - mean)).sum(0)
    In `dgamma` the values are centred, but not yet divided by the standard deviation. Which value is multiplied by
    `gamma` in the forward pass?
dgamma_with_the_product: dgamma = (dout * out).sum(0)
    `dgamma` multiplies by `out`, which already contains gain and bias. Which value is multiplied by `gamma` in the
    forward pass?

- dbeta = dout.sum(0)
dbeta_keepdim: dbeta = dout.sum(0, keepdim=True)
    The numbers of `dbeta` are right, its shape is not: `beta` is a plain vector here. Check `keepdim`.
dbeta_mean: dbeta = dout.mean(0)
    `dbeta` is a mean over the batch. One `beta` serves every example, and every copy of it counts in full.
dbeta_scaled: dbeta = (dout * gamma).sum(0)
    There is a `gamma` in `dbeta`. The shift is added after the scaling: does `gamma` touch it at all?

- dxhat = dout * gamma
gain_forgotten: dxhat = dout.clone()
    The gradient passed the scaling unchanged, as if `gamma` were one. What happens to `xhat` on the way to `out`?
divided_by_the_gain: dxhat = dout / gamma
    The gradient is divided by `gamma`, which would undo the forward pass. A gradient is scaled by the same factor as
    the value was.
bias_for_gain: dxhat = dout * beta
    The gradient is multiplied by `beta` on its way to `xhat`. Which of the two does the forward pass multiply `xhat`
    by?

# batch norm: the normalisation
- dx = (dxhat - from_mean - from_variance)
no_mean_path: dx = (dxhat - from_variance)
    In batch norm the path through the mean is missing: each `x` moves the mean of its column, and with it all of the
    column. (`db` shows it at once: what should it be?)

- dx = (dxhat - from_mean - from_variance) / torch
statistics_constant: dx = dxhat / torch
    Batch norm has only its direct path here: mean and variance are treated as constants. They are computed from `x`, so
    two more paths lead through them.

- dx = (dxhat - from_mean - from_variance)
no_variance_path: dx = (dxhat - from_mean)
    In batch norm the path through the variance is missing: each `x` changes the spread of its column, and with it all
    of the column.
mean_path_added: dx = (dxhat + from_mean - from_variance)
    In batch norm the path through the mean has the wrong sign: when the mean goes up, every `xhat` of the column goes
    down.
variance_path_added: dx = (dxhat - from_mean + from_variance)
    In batch norm the path through the variance has the wrong sign: when the spread goes up, `xhat` shrinks.
variance_path_halved: dx = (dxhat - from_mean - 0.5 * from_variance)
    In batch norm the path through the variance is half of what it should be. The ½ of the root meets the 2 of the
    square: is the square's derivative in it?

- from_variance = xhat * (dxhat * xhat).mean(0)
bessel: from_variance = xhat * (dxhat * xhat).sum(0) / (n - 1)
    There is a Bessel correction in the path through the variance. How does this forward pass divide its variance, by n
    or by n - 1?
variance_path_not_divided: from_variance = xhat * (dxhat * xhat).sum(0)
    In batch norm the sum over the batch in the path through the variance lacks its 1/n. The variance is an average:
    each example has only a share in it.
own_share_forgotten: from_variance = (dxhat * xhat).mean(0)
    In batch norm the path through the variance is the same for every example. How strongly an example moves the
    variance depends on its own distance from the mean.
variance_path_not_normalised: from_variance = (x - mean) * (dxhat * (x - mean)).mean(0)
    In batch norm the path through the variance is built from `x - mean`, and powers of the standard deviation got lost
    on the way. Count how often you divide by it.

- from_mean = dxhat.mean(0)
mean_path_not_divided: from_mean = dxhat.sum(0)
    In batch norm the path through the mean is a sum where an average belongs. How much does a mean of n numbers move
    when one of them moves by one? (`db` shows it, too.)
mean_over_the_units: from_mean = dxhat.mean(1, keepdim=True)
    In batch norm the average runs over the hidden units. Mean and variance are taken down each column, over the batch.

- torch.sqrt(var + eps)
eps_forgotten: torch.sqrt(var)
    In the backward pass of batch norm, the `eps` under the root is missing. It matters wherever the variance is small.
eps_outside_the_root: (torch.sqrt(var) + eps)
    In the backward pass of batch norm, `eps` is added after the root. The forward pass adds it to the variance, under
    the root.
unbiased_deviation: torch.sqrt(x.var(0) + eps)
    The standard deviation is the unbiased one, as `x.std(0)` gives by default. The forward pass divides by n: use its
    `var`.

- / torch.sqrt(var + eps)
variance_for_deviation: / (var + eps)
    Your backward pass of batch norm divides by the variance. The forward pass divides by its root: check the square
    root, or the exponent.
no_deviation:
    The standard deviation is missing in the backward pass of batch norm: all three paths go through the division that
    gives `xhat`.

# linear layer 1
- dW = embcat.T @ dx
dW_transposed: dW = dx.T @ embcat
    `dW` is the transpose of the gradient. A gradient has the shape of its value: compare it with the shape of `W`.
dW_over_n: dW = embcat.T @ dx / n
    `dW` is divided by n twice: every gradient since `dlogits` already contains the mean over the batch.
dW_batch_norm_skipped: dW = embcat.T @ dout
    `dW` is computed from the gradient of `out`, without batch norm's backward pass. `embcat @ W` gives `x`: which
    gradient belongs here?
dW_scale_only: dW = embcat.T @ dxhat
    `dW` is computed from the gradient of `xhat`, before you go back through the normalisation. `embcat @ W` gives `x`:
    which gradient belongs here?

- db = dx.sum(0)
db_keepdim: db = dx.sum(0, keepdim=True)
    `db` has a 1 in front, because the summed axis was kept. `b` is a plain vector: check `keepdim`.
db_no_sum: db = dx.clone()
    `db` still has a row for each example. `b` was copied into every row: what undoes a copy on the way back?
db_wrong_axis: db = dx.sum(1)
    `db` sums over the hidden units and leaves one number per example. There is one bias per hidden unit: along which
    axis was it copied?
db_batch_norm_skipped: db = dxhat.sum(0)
    `db` is made from a gradient above the normalisation. `b` is added into `x`: whose gradient belongs to it?

- dembcat = dx @ W.T
dembcat_reshaped_weights: dembcat = dx @ W.reshape(W.shape[1], W.shape[0])
    On the way to `embcat`, `W` was reshaped where it should be transposed: the shape fits, the numbers stand in other
    places. Compare `W.reshape(...)` with `W.T` on a small example.
dembcat_batch_norm_skipped: dembcat = dout @ W.T
    The gradient of `embcat` is made from that of `out` and jumps over the batch norm. `embcat @ W` ends in `x`: whose
    gradient belongs to it?

- demb = dembcat.view(emb.shape)
demb_not_reshaped: demb = dembcat
    The numbers of `demb` are right, its shape is not yet that of `emb`: undo what the forward line did to the shape.
features_before_places: demb = dembcat.view(n, C.shape[1], -1).transpose(1, 2)
    In `demb` each row is split into features first and places second. In which order did the forward `view` lay them
    side by side?
places_before_examples: demb = dembcat.view(Xb.shape[1], n, -1).transpose(0, 1)
    In `demb` examples and places are mixed up. A row of the matrix before it belongs to one example, with all its
    places.
demb_times_itself: demb = dembcat.view(emb.shape) * emb
    There is a factor `emb` too many in `demb`. Looking at the same numbers in another shape multiplies them by nothing.

- dC.index_add_(0, Xb.view(-1), demb.reshape(-1, C.shape[1]))
duplicates_lost: dC[Xb] += demb
    In `dC` a token that occurs several times keeps one of its gradients only: with `+=` as with `=`, `dC[Xb]` on the
    left writes each row once. Gradients of the same row have to be accumulated.
mean_per_token:
        dC.index_add_(0, Xb.view(-1), demb.reshape(-1, C.shape[1]))
        dC /= torch.bincount(Xb.view(-1), minlength=len(C)).clamp(min=1).view(-1, 1)
    `dC` averages over a token's occurrences. A row that is used more often moves the loss more: its gradients add up.

- dC = torch.zeros_like(C)
starts_from_C: dC = C.clone()
    `dC` adds the gradient to the embeddings themselves. A gradient starts from zero and collects.

- dC.index_add_(0, Xb.view(-1), demb.reshape(-1, C.shape[1]))
first_place_only: dC.index_add_(0, Xb[:, 0], demb[:, 0])
    In `dC` only the first place of every context comes back. A context has several places, and each of them looked up a
    row.
whole_context_to_each_token:
        for place in range(Xb.shape[1]):
            dC.index_add_(0, Xb[:, place], demb.sum(1))
    In `dC` each token gets the sum over its whole context. A place's gradient belongs to the token at that place only:
    pair `demb[i, j]` with `Xb[i, j]`.
true_class_for_tokens: dC.index_add_(0, Yb, demb.sum(1))
    `dC` puts the gradients into the rows of the true classes. Which rows did the forward pass look up: those in `Xb` or
    those in `Yb`?

# what is returned
- return {
-     "dW2": dW2,
-     "db2": db2,
-     "dgamma": dgamma,
-     "dbeta": dbeta,
-     "dW": dW,
-     "db": db,
-     "demb": demb,
-     "dC": dC,
- }
forward_order: return dC, demb, dW, db, dgamma, dbeta, dW2, db2
    Your tuple has the order of the forward pass, the table first. It has to have the order that the docstring
    gives; a dictionary needs none.
""")


MISTAKES_OF_COMPARISONS = mistake_list("""
[cmp]
- if mine.shape != reference.shape:
-     return False, False, float("inf")
shapes_not_compared:
        try:
            mine - reference
        except RuntimeError:
            return False, False, float("inf")
    A gradient of another shape gets through: `==` and `allclose` broadcast, so (1, 64) looks equal to (64,). Compare
    the shapes first.
numbers_only:
        if mine.numel() != reference.numel():
            return False, False, float("inf")
        mine = mine.reshape(reference.shape)
    You compare the number of elements, not the shape: a row passes for a column.
dimensions_only:
        if mine.ndim != reference.ndim or mine.numel() != reference.numel():
            return False, False, float("inf")
        mine = mine.reshape(reference.shape)
    You compare the number of axes, not their sizes. A transposed gradient has as many axes as the right one.

- exact = bool((mine == reference).all())
exact_by_any: exact = bool((mine == reference).any())
    One equal element is enough for `exact` here. All of them must be equal.
exact_is_approximate: exact = torch.allclose(mine, reference)
    Your `exact` says whether the two are close. Exact means that every element is equal, to the last bit.

- approximate = torch.allclose(mine, reference)
loose: approximate = torch.allclose(mine, reference, atol=1e-3)
    Your `approximate` accepts more than the default tolerances of `torch.allclose`: 1e-5 of an element, plus 1e-8.
atol_of_the_notebook: approximate = torch.allclose(mine, reference, atol=1e-5)
    Your `approximate` uses a larger absolute tolerance than the default of `torch.allclose`, which is 1e-8. Small
    elements may then be quite wrong.
approximate_is_exact: approximate = exact
    Your `approximate` is True only where every bit is equal. Rounding makes right gradients differ in the last bits.

- maxdiff = (mine - reference).abs().max().item()
signed: maxdiff = (mine - reference).max().item()
    Your `maxdiff` is the largest difference with its sign: an element that is much too small does not show. Take
    absolute values first.
mean: maxdiff = (mine - reference).abs().mean().item()
    Your `maxdiff` is the mean of the differences. One wrong element among many right ones hardly shows in it.
sum_of_all: maxdiff = (mine - reference).abs().sum().item()
    Your `maxdiff` adds up all differences. It should be the largest of them.
norm: maxdiff = (mine - reference).norm().item()
    Your `maxdiff` is the norm of the difference. It should be its largest element.
relative: maxdiff = ((mine - reference).abs() / reference.abs().clamp(min=1e-12)).max().item()
    Your `maxdiff` is relative to the size of each element. The lecture's is the difference itself.
maxima_compared: maxdiff = abs(mine.max() - reference.max()).item()
    Your `maxdiff` compares the largest element of one with the largest of the other. Subtract first: each element from
    the one at its own place.
sizes_first: maxdiff = (mine.abs() - reference.abs()).abs().max().item()
    You take absolute values before the difference, so a wrong sign does not show. Subtract first.

- return exact, approximate, maxdiff
approximate_first: return approximate, exact, maxdiff
    `exact` and `approximate` have changed places. The docstring has `exact` first.
other_order: return maxdiff, exact, approximate
    The three answers come in another order than the docstring says: exact, approximate, maxdiff.

[compare_all]
- same_shape = mine is not None and mine.shape == reference.shape
shapes_not_compared:
        same_shape = mine is not None
        try:
            same_shape and mine - reference
        except RuntimeError:
            same_shape = False
    A gradient of another shape gets through, because `allclose` broadcasts. Compare the shapes first.

- matches[name] = same_shape and torch.allclose(mine, reference, atol=atol)
missing_passes: matches[name] = mine is None or (same_shape and torch.allclose(mine, reference, atol=atol))
    A gradient that is missing passes, so a file without any gradient would pass as well.
own_tolerance: matches[name] = same_shape and torch.allclose(mine, reference, atol=1e-5)
    The tolerance is always 1e-5 here. Use the one that the caller gives.
default_tolerance: matches[name] = same_shape and torch.allclose(mine, reference)
    You compare with the default absolute tolerance of `allclose`. Pass `atol` on to it, and by this name.
absolute_only: matches[name] = same_shape and bool(((mine - reference).abs() <= atol).all())
    You compare the differences with `atol` alone. The docstring asks for `torch.allclose`, which also allows a share of
    each element: next to a gradient of 10,000, a difference of 0.01 is small.
exactly_equal: matches[name] = same_shape and torch.equal(mine, reference)
    Right gradients do not match here, because their last bits differ. Ask whether they are close.
too_loose: matches[name] = same_shape and torch.allclose(mine, reference, rtol=0.1, atol=atol)
    A gradient that is wrong by some percent matches. Leave the relative tolerance at its default.
sizes_only: matches[name] = same_shape and torch.allclose(mine.abs(), reference.abs(), atol=atol)
    A gradient of the wrong sign matches. Compare the numbers themselves.

- mine = gradients.get(name)
by_order: mine = list(gradients.values())[len(matches)] if len(matches) < len(gradients) else None
    You pair the two dicts by their order, which need not be the same. Look each gradient up by its name.

- return all(matches.values()), matches
any_is_enough: return any(matches.values()), matches
    `all_match` is True as soon as one gradient matches. All of them must.
names_are_true: return all(matches), matches
    `all_match` is True whatever the answers are. Does `all` look at the dictionary's names here, or at its values?
last_decides: return matches[name], matches
    `all_match` only says whether the last gradient matches: each turn of the loop forgets the one before it.
other_way_round: return not all(matches.values()), matches
    `all_match` is the wrong way round: it is True when a gradient is wrong.

-     matches[name] = same_shape and torch.allclose(mine, reference, atol=atol)
- return all(matches.values()), matches
stops_at_the_first:
            matches[name] = same_shape and torch.allclose(mine, reference, atol=atol)
            if not matches[name]:
                break
        return all(matches.values()), matches
    Your loop stops at the first gradient that does not match. The others have no entry then: go through all names.
""")
