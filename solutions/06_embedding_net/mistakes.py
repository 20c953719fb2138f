"""Known wrong lines of lesson 06, each with the message that its author gets.

Each is an edit of the solution. A wrong line makes all gradients below it wrong, too, and they get the same message.
(`db` is the exception: for the whole pass it is zero, and it stays zero after many wrong lines.)
"""

from grader.lesson.mistakes import edit

# --- cross-entropy ---

no_one_over_n = edit(
    "backward__no_one_over_n",
    "`dlogits` is the gradient of the examples' losses added up, and so is all below it. The loss is their mean: what "
    "does that do to the share of each?",
    old="dlogits = dlogits / n",
    new="dlogits = dlogits * 1.0",
)

sign = edit(
    "backward__sign",
    "All signs are flipped from `dlogits` on: the true class is pushed down, and the others are pulled up. A gradient "
    "points uphill; the update goes against it. Follow the minus in front of the logarithm.",
    old="dlogits = dlogits / n",
    new="dlogits = -dlogits / n",
)

one_hot_forgotten = edit(
    "backward__one_hot_forgotten",
    "In `dlogits` every class is pushed down, the true one as well: its rows do not sum to zero. The true class's "
    "logit stands in the loss a second time: what comes back from there?",
    old="    dlogits[torch.arange(n), Yb] -= 1\n",
    new="",
)

one_hot_after_division = edit(
    "backward__one_hot_after_division",
    "In `dlogits` the 1 of the true class is taken off after the division by n, so it counts n times too much. The "
    "mean divides both parts: do the rows sum to zero?",
    old="    dlogits[torch.arange(n), Yb] -= 1\n    dlogits = dlogits / n\n",
    new="    dlogits = dlogits / n\n    dlogits[torch.arange(n), Yb] -= 1\n",
)

whole_columns = edit(
    "backward__whole_columns",
    "In `dlogits`, `[:, Yb]` picks the true classes of all examples in every row. A row has one true class of its "
    "own: pair row i with `Yb[i]`.",
    old="dlogits[torch.arange(n), Yb] -= 1",
    new="dlogits[:, Yb] -= 1",
)

softmax_over_the_batch = edit(
    "backward__softmax_over_the_batch",
    "The softmax in `dlogits` runs over the examples, as if they competed with each other. Check its axis: each row, "
    "one example, should sum to one.",
    old="F.softmax(logits, 1)",
    new="F.softmax(logits, 0)",
)

log_softmax = edit(
    "backward__log_softmax",
    "`dlogits` is made from log-probabilities where probabilities belong. Check the name of the function: with or "
    "without the log?",
    old="F.softmax(logits, 1)",
    new="F.log_softmax(logits, 1)",
)

prediction_for_target = edit(
    "backward__prediction_for_target",
    "In `dlogits` the 1 is taken off at the class that the net believes in. Which of `logits.argmax(1)` and `Yb` does "
    "the loss look at?",
    old="dlogits[torch.arange(n), Yb] -= 1",
    new="dlogits[torch.arange(n), logits.argmax(1)] -= 1",
)

over_classes = edit(
    "backward__over_classes",
    "`dlogits` is divided by the number of classes. The forward pass takes one mean: over what, and how many are "
    "there?",
    old="dlogits = dlogits / n",
    new="dlogits = dlogits / logits.shape[1]",
)

over_all_elements = edit(
    "backward__over_all_elements",
    "`dlogits` is divided by the number of all logits. The mean is over the losses, and there is one for each example.",
    old="dlogits = dlogits / n",
    new="dlogits = dlogits / logits.numel()",
)

# --- linear layer 2 ---

dW2_transposed = edit(
    "backward__dW2_transposed",
    "`dW2` is the transpose of the gradient. A gradient has the shape of its value: write the shape of `W2` beside it.",
    old="dW2 = h.T @ dlogits",
    new="dW2 = dlogits.T @ h",
)

dW2_over_n = edit(
    "backward__dW2_over_n",
    "`dW2` is divided by n once too often: the mean over the batch is in `dlogits` already, and the matrix product "
    "rightly sums over the examples.",
    old="dW2 = h.T @ dlogits",
    new="dW2 = h.T @ dlogits / n",
)

dW2_before_tanh = edit(
    "backward__dW2_before_tanh",
    "`dW2` is made from `out`, the value before the tanh. Which value is it that the forward pass multiplies by `W2`?",
    old="dW2 = h.T @ dlogits",
    new="dW2 = out.T @ dlogits",
)

db2_keepdim = edit(
    "backward__db2_keepdim",
    "The numbers of `db2` are right, its shape is not: `b2` is a plain vector, and your gradient has a 1 in front. "
    "Check `keepdim`.",
    old="db2 = dlogits.sum(0)",
    new="db2 = dlogits.sum(0, keepdim=True)",
)

db2_mean = edit(
    "backward__db2_mean",
    "`db2` is a mean over the batch. One bias serves every example, so its gradients add up; the mean of the loss is "
    "already inside `dlogits`.",
    old="db2 = dlogits.sum(0)",
    new="db2 = dlogits.mean(0)",
)

db2_wrong_axis = edit(
    "backward__db2_wrong_axis",
    "`db2` sums over the classes and leaves one number per example. There should be one number per class: along which "
    "axis was `b2` copied?",
    old="db2 = dlogits.sum(0)",
    new="db2 = dlogits.sum(1)",
)

db2_no_sum = edit(
    "backward__db2_no_sum",
    "`db2` still has a row for each example. `b2` was copied into every row: what undoes a copy on the way back?",
    old="db2 = dlogits.sum(0)",
    new="db2 = dlogits.clone()",
)

dh_reshaped_weights = edit(
    "backward__dh_reshaped_weights",
    "On the way from `dlogits` to `h`, `W2` was reshaped where it should be transposed: the shape fits, the numbers "
    "stand in other places. Compare `W2.reshape(...)` with `W2.T` on a small example.",
    old="dh = dlogits @ W2.T",
    new="dh = dlogits @ W2.reshape(W2.shape[1], W2.shape[0])",
)

# --- tanh ---

tanh_skipped = edit(
    "backward__tanh_skipped",
    "The gradient of `h` went on unchanged, as if there were no tanh. What is its slope, and where is it nearly zero?",
    old="dout = (1 - h**2) * dh",
    new="dout = dh.clone()",
)

tanh_of_its_input = edit(
    "backward__tanh_of_its_input",
    "The slope of the tanh is taken with the value that goes in. One minus the square is right for what comes *out*: "
    "which of `out` and `h` is that?",
    old="dout = (1 - h**2) * dh",
    new="dout = (1 - out**2) * dh",
)

tanh_twice = edit(
    "backward__tanh_twice",
    "`h` has already gone through tanh. Here it goes through tanh a second time before it is squared.",
    old="dout = (1 - h**2) * dh",
    new="dout = (1 - torch.tanh(h) ** 2) * dh",
)

sigmoid_s_slope = edit(
    "backward__sigmoid_s_slope",
    "`h * (1 - h)` is the slope of a sigmoid. This is a tanh: what is its slope, written with its output?",
    old="dout = (1 - h**2) * dh",
    new="dout = h * (1 - h) * dh",
)

tanh_not_squared = edit(
    "backward__tanh_not_squared",
    "`1 - h` is not the slope of the tanh: at -h the slope is the same as at h. Something is missing that takes the "
    "sign off.",
    old="dout = (1 - h**2) * dh",
    new="dout = (1 - h) * dh",
)

tanh_upstream_forgotten = edit(
    "backward__tanh_upstream_forgotten",
    "What goes on below the tanh is its slope alone, and all that came from the loss is lost. The chain rule "
    "multiplies: where is `dh`?",
    old="dout = (1 - h**2) * dh",
    new="dout = 1 - h**2",
)

# --- batch norm: scale and shift ---

gain_and_bias_swapped = edit(
    "backward__gain_and_bias_swapped",
    "`dgamma` and `dbeta` are swapped. Both have the same shape, so only their values show it: look at which value "
    "has which name in the last line.",
    old='        "dgamma": dgamma,\n        "dbeta": dbeta,\n',
    new='        "dgamma": dbeta,\n        "dbeta": dgamma,\n',
)

dgamma_keepdim = edit(
    "backward__dgamma_keepdim",
    "The numbers of `dgamma` are right, its shape is not: `gamma` is a plain vector here. Check `keepdim`.",
    old="dgamma = (dout * xhat).sum(0)",
    new="dgamma = (dout * xhat).sum(0, keepdim=True)",
)

dgamma_mean = edit(
    "backward__dgamma_mean",
    "`dgamma` is a mean over the batch. One `gamma` serves every example, and every copy of it counts in full.",
    old="dgamma = (dout * xhat).sum(0)",
    new="dgamma = (dout * xhat).mean(0)",
)

dgamma_no_sum = edit(
    "backward__dgamma_no_sum",
    "`dgamma` still has a row for each example. `gamma` was copied into every row: what undoes a copy on the way back?",
    old="dgamma = (dout * xhat).sum(0)",
    new="dgamma = dout * xhat",
)

dgamma_centred_only = edit(
    "backward__dgamma_centred_only",
    "In `dgamma` the values are centred, but not yet divided by the standard deviation. Which value is multiplied by "
    "`gamma` in the forward pass?",
    old="dgamma = (dout * xhat).sum(0)",
    new="dgamma = (dout * (x - mean)).sum(0)",
)

dgamma_with_the_product = edit(
    "backward__dgamma_with_the_product",
    "`dgamma` multiplies by `out`, which already contains gain and bias. Which value is multiplied by `gamma` in the "
    "forward pass?",
    old="dgamma = (dout * xhat).sum(0)",
    new="dgamma = (dout * out).sum(0)",
)

dbeta_keepdim = edit(
    "backward__dbeta_keepdim",
    "The numbers of `dbeta` are right, its shape is not: `beta` is a plain vector here. Check `keepdim`.",
    old="dbeta = dout.sum(0)",
    new="dbeta = dout.sum(0, keepdim=True)",
)

dbeta_mean = edit(
    "backward__dbeta_mean",
    "`dbeta` is a mean over the batch. One `beta` serves every example, and every copy of it counts in full.",
    old="dbeta = dout.sum(0)",
    new="dbeta = dout.mean(0)",
)

dbeta_scaled = edit(
    "backward__dbeta_scaled",
    "There is a `gamma` in `dbeta`. The shift is added after the scaling: does `gamma` touch it at all?",
    old="dbeta = dout.sum(0)",
    new="dbeta = (dout * gamma).sum(0)",
)

gain_forgotten = edit(
    "backward__gain_forgotten",
    "The gradient passed the scaling unchanged, as if `gamma` were one. What happens to `xhat` on the way to `out`?",
    old="dxhat = dout * gamma",
    new="dxhat = dout.clone()",
)

divided_by_the_gain = edit(
    "backward__divided_by_the_gain",
    "The gradient is divided by `gamma`, which would undo the forward pass. A gradient is scaled by the same factor "
    "as the value was.",
    old="dxhat = dout * gamma",
    new="dxhat = dout / gamma",
)

bias_for_gain = edit(
    "backward__bias_for_gain",
    "The gradient is multiplied by `beta` on its way to `xhat`. Which of the two does the forward pass multiply "
    "`xhat` by?",
    old="dxhat = dout * gamma",
    new="dxhat = dout * beta",
)

# --- batch norm: the normalisation ---

no_mean_path = edit(
    "backward__no_mean_path",
    "In batch norm the path through the mean is missing: each `x` moves the mean of its column, and with it all of "
    "the column. (`db` shows it at once: what should it be?)",
    old="dx = (dxhat - from_mean - from_variance)",
    new="dx = (dxhat - from_variance)",
)

statistics_constant = edit(
    "backward__statistics_constant",
    "Batch norm has only its direct path here: mean and variance are treated as constants. They are made from `x`, so "
    "two more paths lead through them.",
    old="dx = (dxhat - from_mean - from_variance) / torch",
    new="dx = dxhat / torch",
)

no_variance_path = edit(
    "backward__no_variance_path",
    "In batch norm the path through the variance is missing: each `x` changes the spread of its column, and with it "
    "all of the column.",
    old="dx = (dxhat - from_mean - from_variance)",
    new="dx = (dxhat - from_mean)",
)

mean_path_added = edit(
    "backward__mean_path_added",
    "In batch norm the path through the mean has the wrong sign: when the mean goes up, every `xhat` of the column "
    "goes down.",
    old="dx = (dxhat - from_mean - from_variance)",
    new="dx = (dxhat + from_mean - from_variance)",
)

variance_path_added = edit(
    "backward__variance_path_added",
    "In batch norm the path through the variance has the wrong sign: when the spread goes up, `xhat` shrinks.",
    old="dx = (dxhat - from_mean - from_variance)",
    new="dx = (dxhat - from_mean + from_variance)",
)

variance_path_halved = edit(
    "backward__variance_path_halved",
    "In batch norm the path through the variance is half of what it should be. The ½ of the root meets the 2 of the "
    "square: is the square's derivative in it?",
    old="dx = (dxhat - from_mean - from_variance)",
    new="dx = (dxhat - from_mean - 0.5 * from_variance)",
)

bessel = edit(
    "backward__bessel",
    "There is a Bessel correction in the path through the variance. How does this forward pass divide its variance, "
    "by n or by n - 1?",
    old="from_variance = xhat * (dxhat * xhat).mean(0)",
    new="from_variance = xhat * (dxhat * xhat).sum(0) / (n - 1)",
)

variance_path_not_divided = edit(
    "backward__variance_path_not_divided",
    "In batch norm the sum over the batch in the path through the variance lacks its 1/n. The variance is an average: "
    "each example has only a share in it.",
    old="from_variance = xhat * (dxhat * xhat).mean(0)",
    new="from_variance = xhat * (dxhat * xhat).sum(0)",
)

own_share_forgotten = edit(
    "backward__own_share_forgotten",
    "In batch norm the path through the variance is the same for every example. How strongly an example moves the "
    "variance depends on its own distance from the mean.",
    old="from_variance = xhat * (dxhat * xhat).mean(0)",
    new="from_variance = (dxhat * xhat).mean(0)",
)

variance_path_not_normalised = edit(
    "backward__variance_path_not_normalised",
    "In batch norm the path through the variance is built from `x - mean`, and powers of the standard deviation got "
    "lost on the way. Count how often you divide by it.",
    old="from_variance = xhat * (dxhat * xhat).mean(0)",
    new="from_variance = (x - mean) * (dxhat * (x - mean)).mean(0)",
)

mean_path_not_divided = edit(
    "backward__mean_path_not_divided",
    "In batch norm the path through the mean is a sum where an average belongs. How much does a mean of n numbers "
    "move when one of them moves by one? (`db` shows it, too.)",
    old="from_mean = dxhat.mean(0)",
    new="from_mean = dxhat.sum(0)",
)

mean_over_the_units = edit(
    "backward__mean_over_the_units",
    "In batch norm the average runs over the hidden units. Mean and variance are taken down each column, over the "
    "batch.",
    old="from_mean = dxhat.mean(0)",
    new="from_mean = dxhat.mean(1, keepdim=True)",
)

eps_forgotten = edit(
    "backward__eps_forgotten",
    "In batch norm's way back the `eps` beside the variance is missing. It matters wherever the variance is small.",
    old="torch.sqrt(var + eps)",
    new="torch.sqrt(var)",
)

eps_outside_the_root = edit(
    "backward__eps_outside_the_root",
    "In batch norm's way back `eps` is added after the root; the forward pass adds it to the variance, under the root.",
    old="torch.sqrt(var + eps)",
    new="(torch.sqrt(var) + eps)",
)

unbiased_deviation = edit(
    "backward__unbiased_deviation",
    "The standard deviation is the unbiased one, as `x.std(0)` gives by default. The forward pass divides by n: use "
    "its `var`.",
    old="torch.sqrt(var + eps)",
    new="torch.sqrt(x.var(0) + eps)",
)

variance_for_deviation = edit(
    "backward__variance_for_deviation",
    "Batch norm's way back divides by the variance. The forward pass divides by its root: check the square root, or "
    "the exponent.",
    old="/ torch.sqrt(var + eps)",
    new="/ (var + eps)",
)

no_deviation = edit(
    "backward__no_deviation",
    "The standard deviation is missing in batch norm's way back: all three paths pass the division that makes `xhat`.",
    old=" / torch.sqrt(var + eps)",
    new="",
)

# --- linear layer 1 ---

dW_transposed = edit(
    "backward__dW_transposed",
    "`dW` is the transpose of the gradient. A gradient has the shape of its value: write the shape of `W` beside it.",
    old="dW = embcat.T @ dx",
    new="dW = dx.T @ embcat",
)

dW_over_n = edit(
    "backward__dW_over_n",
    "`dW` is divided by n once too often: the mean over the batch has been in every gradient since `dlogits`.",
    old="dW = embcat.T @ dx",
    new="dW = embcat.T @ dx / n",
)

dW_batch_norm_skipped = edit(
    "backward__dW_batch_norm_skipped",
    "`dW` is made from the gradient of `out` and jumps over the batch norm. `embcat @ W` ends in `x`: whose gradient "
    "belongs to it?",
    old="dW = embcat.T @ dx",
    new="dW = embcat.T @ dout",
)

dW_scale_only = edit(
    "backward__dW_scale_only",
    "`dW` is made from the gradient of `xhat`: the normalisation is not gone back through yet. `embcat @ W` ends in "
    "`x`: whose gradient belongs to it?",
    old="dW = embcat.T @ dx",
    new="dW = embcat.T @ dxhat",
)

db_keepdim = edit(
    "backward__db_keepdim",
    "`db` has a 1 in front, because the summed axis was kept. `b` is a plain vector: check `keepdim`.",
    old="db = dx.sum(0)",
    new="db = dx.sum(0, keepdim=True)",
)

db_no_sum = edit(
    "backward__db_no_sum",
    "`db` still has a row for each example. `b` was copied into every row: what undoes a copy on the way back?",
    old="db = dx.sum(0)",
    new="db = dx.clone()",
)

db_wrong_axis = edit(
    "backward__db_wrong_axis",
    "`db` sums over the hidden units and leaves one number per example. There is one bias per hidden unit: along "
    "which axis was it copied?",
    old="db = dx.sum(0)",
    new="db = dx.sum(1)",
)

db_batch_norm_skipped = edit(
    "backward__db_batch_norm_skipped",
    "`db` is made from a gradient above the normalisation. `b` is added into `x`: whose gradient belongs to it?",
    old="db = dx.sum(0)",
    new="db = dxhat.sum(0)",
)

dembcat_reshaped_weights = edit(
    "backward__dembcat_reshaped_weights",
    "On the way to `embcat`, `W` was reshaped where it should be transposed: the shape fits, the numbers stand in "
    "other places. Compare `W.reshape(...)` with `W.T` on a small example.",
    old="dembcat = dx @ W.T",
    new="dembcat = dx @ W.reshape(W.shape[1], W.shape[0])",
)

dembcat_batch_norm_skipped = edit(
    "backward__dembcat_batch_norm_skipped",
    "The gradient of `embcat` is made from that of `out` and jumps over the batch norm. `embcat @ W` ends in `x`: "
    "whose gradient belongs to it?",
    old="dembcat = dx @ W.T",
    new="dembcat = dout @ W.T",
)

# --- embedding ---

demb_not_reshaped = edit(
    "backward__demb_not_reshaped",
    "The numbers of `demb` are right, its shape is not yet that of `emb`: undo what the forward line did to the shape.",
    old="demb = dembcat.view(emb.shape)",
    new="demb = dembcat",
)

features_before_places = edit(
    "backward__features_before_places",
    "In `demb` each row is split into features first and places second. In which order did the forward `view` lay "
    "them side by side?",
    old="demb = dembcat.view(emb.shape)",
    new="demb = dembcat.view(n, C.shape[1], -1).transpose(1, 2)",
)

places_before_examples = edit(
    "backward__places_before_examples",
    "In `demb` examples and places are mixed up. A row of the matrix before it belongs to one example, with all its "
    "places.",
    old="demb = dembcat.view(emb.shape)",
    new="demb = dembcat.view(Xb.shape[1], n, -1).transpose(0, 1)",
)

demb_times_itself = edit(
    "backward__demb_times_itself",
    "There is a factor `emb` too many in `demb`. Looking at the same numbers in another shape multiplies them by "
    "nothing.",
    old="demb = dembcat.view(emb.shape)",
    new="demb = dembcat.view(emb.shape) * emb",
)

duplicates_lost = edit(
    "backward__duplicates_lost",
    "In `dC` a token that occurs several times keeps one of its gradients only: with `+=` as with `=`, `dC[Xb]` on "
    "the left writes each row once. Gradients of the same row have to be accumulated.",
    old="dC.index_add_(0, Xb.view(-1), demb.reshape(-1, C.shape[1]))",
    new="dC[Xb] += demb",
)

mean_per_token = edit(
    "backward__mean_per_token",
    "`dC` averages over a token's occurrences. A row that is used more often moves the loss more: its gradients add "
    "up.",
    old="dC.index_add_(0, Xb.view(-1), demb.reshape(-1, C.shape[1]))",
    new="dC.index_add_(0, Xb.view(-1), demb.reshape(-1, C.shape[1]))\n"
    "    dC /= torch.bincount(Xb.view(-1), minlength=len(C)).clamp(min=1).view(-1, 1)",
)

starts_from_C = edit(
    "backward__starts_from_C",
    "`dC` adds the gradient to the embeddings themselves. A gradient starts from zero and collects.",
    old="dC = torch.zeros_like(C)",
    new="dC = C.clone()",
)

first_place_only = edit(
    "backward__first_place_only",
    "In `dC` only the first place of every context comes back. A context has several places, and each of them looked "
    "up a row.",
    old="dC.index_add_(0, Xb.view(-1), demb.reshape(-1, C.shape[1]))",
    new="dC.index_add_(0, Xb[:, 0], demb[:, 0])",
)

whole_context_to_each_token = edit(
    "backward__whole_context_to_each_token",
    "In `dC` each token gets the sum over its whole context. A place's gradient belongs to the token at that place "
    "only: pair `demb[i, j]` with `Xb[i, j]`.",
    old="dC.index_add_(0, Xb.view(-1), demb.reshape(-1, C.shape[1]))",
    new="for place in range(Xb.shape[1]):\n        dC.index_add_(0, Xb[:, place], demb.sum(1))",
)

true_class_for_tokens = edit(
    "backward__true_class_for_tokens",
    "`dC` puts the gradients into the rows of the true classes. Which rows did the forward pass look up: those in "
    "`Xb` or those in `Yb`?",
    old="dC.index_add_(0, Xb.view(-1), demb.reshape(-1, C.shape[1]))",
    new="dC.index_add_(0, Yb, demb.sum(1))",
)

# --- what is returned ---

forward_order = edit(
    "backward__forward_order",
    "The gradients come back in the order of the forward pass, the table first. A tuple has to have the order that the "
    "docstring gives; a dictionary needs none.",
    old="    return {\n"
    '        "dW2": dW2,\n        "db2": db2,\n        "dgamma": dgamma,\n        "dbeta": dbeta,\n'
    '        "dW": dW,\n        "db": db,\n        "demb": demb,\n        "dC": dC,\n    }\n',
    new="    return dC, demb, dW, db, dgamma, dbeta, dW2, db2\n",
)
