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
    The gradients are those of a sum over the examples, from `dlogits` on. The loss is the mean: what does that do to
    the share of each?

turned_round: dlogits = -dlogits / n
    The gradients have the opposite sign, from `dlogits` on. Is the 1 at the true class subtracted from the
    probabilities there, or the other way round? Or is the minus of the loss lost?

- dlogits[torch.arange(n), Yb] -= 1
- dlogits = dlogits / n
only_probabilities_divided:
        dlogits = dlogits / n
        dlogits[torch.arange(n), Yb] -= 1
    In `dlogits`, the probabilities are divided by n, and the 1 of the true class is not. The mean is over all of it.

- dlogits[torch.arange(n), Yb] -= 1
true_class_forgotten:
    `dlogits` has the probabilities alone. The true class's own logit is in the loss as well: which term does it add,
    and does that term reach your `dlogits`?
prediction_for_target: dlogits[torch.arange(n), logits.argmax(1)] -= 1
    In `dlogits` the 1 is taken off at the class that the net believes in. Which of `logits.argmax(1)` and `Yb` does the
    loss look at?

# linear layer 2

- dout = (1 - h**2) * dh
no_tanh: dout = dh
    From `dout` on, the gradients lack the slope of tanh: `h = tanh(out)` lies between the second linear layer and batch
    norm.
sigmoid_s_slope: dout = h * (1 - h) * dh
    `h * (1 - h)` is the slope of a sigmoid. This is a tanh: what is its slope, written with its output?

# batch norm: scale and shift

- dxhat = dout * gamma
no_gamma: dxhat = dout
    Between `xhat` and `out` there is a multiplication by `gamma`. The gradient that goes on to `x` has no `gamma` in
    it.

- dbeta = dout.sum(0)
before_tanh: dbeta = dh.sum(0)
    `dbeta` is the sum of the gradient of `h`. What lies between `h` and the line that adds `beta`?

- dgamma = (dout * xhat).sum(0)
dgamma_centred_only: dgamma = (dout * (x - mean)).sum(0)
    In `dgamma` the values are centred, but not yet divided by the standard deviation. Which value is multiplied by
    `gamma` in the forward pass?

# batch norm: the normalisation

- from_variance = xhat * (dxhat * xhat).mean(0)
variance_path_not_normalised: from_variance = (x - mean) * (dxhat * (x - mean)).mean(0)
    In batch norm the path through the variance is built from `x - mean`, and powers of the standard deviation got lost
    on the way. Count how often you divide by it.

- torch.sqrt(var + eps)
eps_outside_the_root: (torch.sqrt(var) + eps)
    In the backward pass of batch norm, `eps` is added after the root. The forward pass adds it to the variance, under
    the root.

- / torch.sqrt(var + eps)
variance_for_deviation: / (var + eps)
    Your backward pass of batch norm divides by the variance. The forward pass divides by its root: check the square
    root and the exponent. Or do you divide twice?
no_deviation:
    `dx` lacks a division by the standard deviation: all three paths go through the division that gives `xhat`.

# linear layer 1

- db = dx.sum(0)
db_batch_norm_skipped: db = dxhat.sum(0)
    `db` is the sum of the gradient of `xhat`, above the normalisation. `b` is added into `x`: whose gradient belongs to
    it?

- demb = dembcat.view(emb.shape)
features_before_places: demb = dembcat.view(n, C.shape[1], -1).transpose(1, 2)
    In `demb` the numbers are right, and in another order: each row is cut into features first and places second. In
    which order did the forward `view` lay them side by side?

- dC.index_add_(0, Xb.view(-1), demb.reshape(-1, C.shape[1]))
last_place_only: dC.index_add_(0, Xb[:, -1], demb[:, -1])
    In `dC` only the last place of every context comes back. A context has several places, and each of them looked up a
    row.
first_place_only: dC.index_add_(0, Xb[:, 0], demb[:, 0])
    In `dC` only the first place of every context comes back. A context has several places, and each of them looked up a
    row.
whole_context_to_each_token:
        for place in range(Xb.shape[1]):
            dC.index_add_(0, Xb[:, place], demb.sum(1))
    In `dC` each token gets the sum over its whole context. A place's gradient belongs to the token at that place only:
    pair `demb[i, j]` with `Xb[i, j]`.

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
    A gradient with the right number of elements gets through in another shape: a row passes for a column. Do you
    compare the shapes themselves?
dimensions_only:
        if mine.ndim != reference.ndim or mine.numel() != reference.numel():
            return False, False, float("inf")
        mine = mine.reshape(reference.shape)
    A gradient of shape (2, 3) is taken for one of shape (3, 2): both have two axes and six elements. Is each axis
    compared with the one at its own place?

- exact = bool((mine == reference).all())
exact_by_any: exact = bool((mine == reference).any())
    One equal element is enough for `exact` here. All of them must be equal.
exact_is_approximate: exact = torch.allclose(mine, reference)
    Your `exact` says whether the two are close. Exact means that every element is equal, to the last bit.

- approximate = torch.allclose(mine, reference)
loose: approximate = torch.allclose(mine, reference, atol=1e-3)
    Your `approximate` accepts more than the default tolerances of `torch.allclose`: 1e-5 of an element, plus 1e-8.
atol_of_the_notebook: approximate = torch.allclose(mine, reference, atol=1e-5)
    Your `approximate` accepts a zero that is off by 7e-8. The default absolute tolerance of `torch.allclose` is 1e-8:
    small elements may be quite wrong in yours.
approximate_is_exact: approximate = exact
    Your `approximate` is True only where every bit is equal. Rounding makes right gradients differ in the last bits.

- maxdiff = (mine - reference).abs().max().item()
signed: maxdiff = (mine - reference).max().item()
    Your `maxdiff` picks the largest difference with its sign: an element that is much too small does not show. Where do
    you take absolute values, before or after `max`?
sum_of_all: maxdiff = (mine - reference).abs().sum().item()
    Your `maxdiff` adds up all differences. It should be the largest of them.
norm: maxdiff = (mine - reference).norm().item()
    Your `maxdiff` is the norm of the difference. It should be its largest element.
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
    A gradient with an axis too many gets through: `allclose` and `-` broadcast, and `flatten` forgets the shape.
    Compare the shapes first.

- matches[name] = same_shape and torch.allclose(mine, reference, atol=atol)
missing_passes: matches[name] = mine is None or (same_shape and torch.allclose(mine, reference, atol=atol))
    A gradient that is missing passes, so a file without any gradient would pass as well.
own_tolerance: matches[name] = same_shape and torch.allclose(mine, reference, atol=1e-5)
    A zero that is off by 6e-6 matches here whatever `atol` is, even 1e-9. Use the tolerance that the caller gives.
default_tolerance: matches[name] = same_shape and torch.allclose(mine, reference)
    A zero that is off by 6e-6 never matches here, whatever `atol` is. Do you pass `atol` on to `allclose`, and by this
    name?
absolute_only: matches[name] = same_shape and bool(((mine - reference).abs() <= atol).all())
    You compare the differences with `atol` alone. The docstring asks for `torch.allclose`, which also allows a share of
    each element: next to a gradient of 10,000, a difference of 0.01 is small.
exactly_equal: matches[name] = same_shape and torch.equal(mine, reference)
    No gradient matches here, not even a right one. Right ones differ in the last bits: do you ask whether they are
    equal, or whether they are close?
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
    `all_match` is True whatever the answers are. If you write `all(matches)`: does it look at the dictionary's names,
    or at its values?
last_decides: return matches[name], matches
    `all_match` only says whether the last gradient matches. Does each turn of the loop forget the one before it?
other_way_round: return not all(matches.values()), matches
    `all_match` is the wrong way round: it is True when a gradient is wrong.

-     matches[name] = same_shape and torch.allclose(mine, reference, atol=atol)
- return all(matches.values()), matches
stops_at_the_first:
            matches[name] = same_shape and torch.allclose(mine, reference, atol=atol)
            if not matches[name]:
                break
        return all(matches.values()), matches
    Your loop stops at the first gradient that does not match. Those after it have no entry then: go through all names.
""")
