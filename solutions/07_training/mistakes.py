"""Known mistakes of lesson 07, each with the message that its author gets.

Most are edits of the solution. A wrong line in `gradients` also makes the gradients below it and the runs of `train`
wrong. They get the same message. (`db1` is the exception: it is zero, and it stays zero after many wrong lines.)
"""

import torch
import torch.nn.functional as F

from grader.lesson.mistakes import edit, mistake

# --- learning_rate ---

never_lowered = edit(
    "learning_rate__never_lowered",
    "The learning rate is 0.1 to the end. In the second half of the run it should be 0.01.",
    old="return 0.1 if step < max_steps / 2 else 0.01",
    new="return 0.1",
)

one_step_late = edit(
    "learning_rate__one_step_late",
    "The learning rate falls one step late. Steps are counted from 0: of 10 steps, 0 to 4 are the first half.",
    old="return 0.1 if step < max_steps / 2 else 0.01",
    new="return 0.1 if step <= max_steps / 2 else 0.01",
)

one_step_early = edit(
    "learning_rate__one_step_early",
    "The learning rate falls one step early. Steps are counted from 0: of 10 steps, 0 to 4 are the first half.",
    old="return 0.1 if step < max_steps / 2 else 0.01",
    new="return 0.1 if step + 1 < max_steps / 2 else 0.01",
)

the_lecture_s_half = edit(
    "learning_rate__the_lecture_s_half",
    "The learning rate falls at step 100,000 in every run. That is half of the lecture's; take half of `max_steps`.",
    old="return 0.1 if step < max_steps / 2 else 0.01",
    new="return 0.1 if step < 100_000 else 0.01",
)

halves_swapped = edit(
    "learning_rate__halves_swapped",
    "The two rates have changed places. Large steps come first, small ones at the end.",
    old="return 0.1 if step < max_steps / 2 else 0.01",
    new="return 0.01 if step < max_steps / 2 else 0.1",
)

one_zero_too_many = edit(
    "learning_rate__one_zero_too_many",
    "The second rate is 0.001. It should be 0.01.",
    old="return 0.1 if step < max_steps / 2 else 0.01",
    new="return 0.1 if step < max_steps / 2 else 0.001",
)

# --- update ---

ascent = edit(
    "update__ascent",
    "The parameters walk uphill: the gradient points to where the loss grows. Check the sign of the step.",
    old="parameter.add_(gradient, alpha=-learning_rate)",
    new="parameter.add_(gradient, alpha=learning_rate)",
)

nothing_changes = edit(
    "update__nothing_changes",
    "The parameters are as they were. An operation such as `p - ...` makes a new tensor: giving it the name `p`, or "
    "returning it, does not change the list's tensors. Change those in place, as `p -= ...` does.",
    old="parameter.add_(gradient, alpha=-learning_rate)",
    new="parameter = parameter - learning_rate * gradient",
)

rate_ignored = edit(
    "update__rate_ignored",
    "The step is the whole gradient: the learning rate is not in it.",
    old="parameter.add_(gradient, alpha=-learning_rate)",
    new="parameter.sub_(gradient)",
)

rate_written_in = edit(
    "update__rate_written_in",
    "The step is 0.1 times the gradient, whatever `learning_rate` is. Take the one that is given.",
    old="parameter.add_(gradient, alpha=-learning_rate)",
    new="parameter.add_(gradient, alpha=-0.1)",
)

step_for_parameter = edit(
    "update__step_for_parameter",
    "The parameters *are* the step now: `=` where `+=` belongs. What they had learnt is gone.",
    old="parameter.add_(gradient, alpha=-learning_rate)",
    new="parameter.copy_(-learning_rate * gradient)",
)

first_one_only = edit(
    "update__first_one_only",
    "Only the first parameter is changed. Is there a `return` or a `break` inside the loop?",
    old="        parameter.add_(gradient, alpha=-learning_rate)\n",
    new="        parameter.add_(gradient, alpha=-learning_rate)\n        return\n",
)

swapped_in_update = edit(
    "update__gain_and_bias_swapped",
    "The gain is moved by the bias's gradient, and the bias by the gain's. `gradients` has the same order as "
    "`parameters`.",
    old="for parameter, gradient in zip(parameters, gradients, strict=True):",
    new="for parameter, gradient in zip(parameters, [*gradients[:-2], gradients[-1], gradients[-2]], strict=True):",
)

# --- train ---


accumulated = edit(
    "train__accumulated",
    "The gradients of all steps so far are added up, and each step walks along the sum. That is what autograd does "
    "when `p.grad = None` is forgotten; each of your steps should start afresh.",
    old="""        update(parameters, slopes, learning_rate(step, max_steps))
        losses.append(loss.item())
""",
    new="""        total = slopes if not losses else [a + b for a, b in zip(total, slopes)]
        update(parameters, total, learning_rate(step, max_steps))
        losses.append(loss.item())
""",
)

shadowed = edit(
    "train__ix_shadowed",
    "An inner loop, such as the one over the examples for `dC`, uses a name of the training loop again (`i`, or "
    "`ix`). Afterwards the name means something else: here `learning_rate` got the number of an example. Give inner "
    "loops names of their own.",
    old="        update(parameters, slopes, learning_rate(step, max_steps))\n",
    new="""        for step in range(len(ix)):
            pass
        update(parameters, slopes, learning_rate(step, max_steps))
""",
)

start_ignored = edit(
    "train__start_ignored",
    "The steps are counted from 0 in each piece of the run, so the second piece begins with the learning rate of the "
    "first step. `start` says how many steps there were before.",
    old="for step, ix in enumerate(batches, start):",
    new="for step, ix in enumerate(batches):",
)

rate_of_the_piece = edit(
    "train__rate_of_the_piece",
    "The learning rate falls in the middle of `batches`. That may be a piece of the run only: ask with the number of "
    "the step in the whole run, and with `max_steps`.",
    old="update(parameters, slopes, learning_rate(step, max_steps))",
    new="update(parameters, slopes, learning_rate(step - start, len(batches)))",
)

whole_set = edit(
    "train__whole_set",
    "Each step looks at all examples. `batches` says which of them belong to it: `X[ix]` and `Y[ix]`.",
    old="loss, slopes = gradients(parameters, X[ix], Y[ix])",
    new="loss, slopes = gradients(parameters, X, Y)",
)

one_batch_for_ever = edit(
    "train__one_batch_for_ever",
    "Every step uses the first batch. Each has its own entry of `batches`.",
    old="    for step, ix in enumerate(batches, start):\n",
    new="    batches = list(batches)\n    for step, ix in enumerate([batches[0]] * len(batches), start):\n",
)

losses_after_the_update = edit(
    "train__losses_after_the_update",
    "The parameters are right, but each loss is noted after its step: it has been computed a second time. Note the "
    "one that came with the gradients.",
    old="losses.append(loss.item())",
    new="losses.append(gradients(parameters, X[ix], Y[ix])[0].item())",
)

last_loss_only = edit(
    "train__last_loss_only",
    "Only the last loss is returned. Return the list of all losses, one per step.",
    old="    return losses\n",
    new="    return losses[-1]\n",
)

works_on_copies = edit(
    "train__works_on_copies",
    "The losses are right, but the parameters that you were given are as they were: the training happened on copies.",
    old="    losses = []\n",
    new="    parameters = [p.clone() for p in parameters]\n    losses = []\n",
)

updates_once = edit(
    "train__one_step_only",
    "There is one step, and then it ends. Is the `return` inside the loop?",
    old="        losses.append(loss.item())\n",
    new="        losses.append(loss.item())\n        return losses\n",
)

# --- gradients: forward pass ---

loss_of_all_classes = edit(
    "gradients__loss_of_all_classes",
    "The loss is the mean over all log-probabilities. Only one of each row counts: the one of the token that came.",
    old="loss = F.nll_loss(logprobs, Yb)",
    new="loss = -logprobs.mean()",
)

loss_without_minus = edit(
    "gradients__loss_without_minus",
    "The loss is negative: a log-probability is below zero, and the loss is its opposite. Look for the minus sign.",
    old="loss = F.nll_loss(logprobs, Yb)",
    new="loss = -F.nll_loss(logprobs, Yb)",
)

loss_in_tens = edit(
    "gradients__loss_in_tens",
    "This is the logarithm of the loss to base 10, which the lecture stores for its plot. Return the loss itself.",
    old="loss = F.nll_loss(logprobs, Yb)",
    new="loss = F.nll_loss(logprobs, Yb).log10()",
)


@mistake(
    "The batch's variance is divided by n. This network divides it by n - 1 (`unbiased=True`), in the forward pass and "
    "so on the way back."
)
def gradients__biased_variance(parameters, Xb, Yb):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    n = Xb.shape[0]
    embcat = C[Xb].view(n, -1)
    hprebn = embcat @ W1 + b1
    bnvar_inv = (hprebn.var(0, keepdim=True, unbiased=False) + 1e-5) ** -0.5
    bnraw = (hprebn - hprebn.mean(0, keepdim=True)) * bnvar_inv
    h = torch.tanh(bngain * bnraw + bnbias)
    logits = h @ W2 + b2
    loss = F.cross_entropy(logits, Yb)
    dlogits = (F.softmax(logits, 1) - F.one_hot(Yb, b2.shape[0])) / n
    dhpreact = (1 - h**2) * (dlogits @ W2.T)
    dbnbias, dbngain = dhpreact.sum(0, keepdim=True), (dhpreact * bnraw).sum(0, keepdim=True)
    dhprebn = bngain * bnvar_inv / n * (n * dhpreact - dbnbias - bnraw * dbngain)
    demb = (dhprebn @ W1.T).view(-1, C.shape[1])
    dC = torch.zeros_like(C).index_add_(0, Xb.view(-1), demb)
    return loss, [dC, embcat.T @ dhprebn, dhprebn.sum(0), h.T @ dlogits, dlogits.sum(0), dbngain, dbnbias]


biased_forward_only = edit(
    "gradients__biased_forward_only",
    "Forward, the variance is divided by n; on the way back, your gradient is that of one divided by n - 1. Forward "
    "is where the n is wrong.",
    old="bnvar = (bndiff * bndiff).sum(0, keepdim=True) / (n - 1)",
    new="bnvar = (bndiff * bndiff).sum(0, keepdim=True) / n",
)

eps_forgotten = edit(
    "gradients__eps_forgotten",
    "The 1e-5 beside the batch's variance is missing. It matters wherever the variance is small.",
    old="bnvar_inv = (bnvar + 1e-5).rsqrt()",
    new="bnvar_inv = bnvar.rsqrt()",
)

eps_beside_the_root = edit(
    "gradients__eps_beside_the_root",
    "The 1e-5 is added to the standard deviation, after the root. It belongs beside the variance, under the root.",
    old="bnvar_inv = (bnvar + 1e-5).rsqrt()",
    new="bnvar_inv = 1 / (bnvar.sqrt() + 1e-5)",
)

# --- gradients: cross-entropy ---

no_one_over_n = edit(
    "gradients__no_one_over_n",
    "The gradients belong to the examples' losses added up: all are n times too large. The loss is their mean; is "
    "`dlogits` divided by n?",
    old="""    dlogits = logprobs.exp_().div_(n)
    dlogits.scatter_add_(1, Yb.unsqueeze(1), dlogits.new_full((n, 1), -1 / n))
""",
    new="""    dlogits = logprobs.exp_()
    dlogits.scatter_add_(1, Yb.unsqueeze(1), dlogits.new_full((n, 1), -1.0))
""",
)

loss_summed = edit(
    "gradients__loss_summed",
    "The loss is the sum over the batch, and the gradients belong to that sum: both are n times too large. The loss "
    "should be the mean.",
    old="""    loss = F.nll_loss(logprobs, Yb)
    # Cross-entropy: (probabilities - one-hot) / n. The probabilities are a by-product of the loss.
    dlogits = logprobs.exp_().div_(n)
    dlogits.scatter_add_(1, Yb.unsqueeze(1), dlogits.new_full((n, 1), -1 / n))
""",
    new="""    loss = F.nll_loss(logprobs, Yb, reduction="sum")
    dlogits = logprobs.exp_()
    dlogits.scatter_add_(1, Yb.unsqueeze(1), dlogits.new_full((n, 1), -1.0))
""",
)

one_hot_forgotten = edit(
    "gradients__one_hot_forgotten",
    "In `dlogits` every class is pushed down, the true one as well: its rows do not sum to zero. What pulls the true "
    "class up?",
    old="    dlogits.scatter_add_(1, Yb.unsqueeze(1), dlogits.new_full((n, 1), -1 / n))\n",
    new="",
)

one_hot_after_division = edit(
    "gradients__one_hot_after_division",
    "In `dlogits` the 1 of the true class is taken off after the division by n, so it counts n times too much. Do the "
    "rows sum to zero?",
    old="dlogits.new_full((n, 1), -1 / n)",
    new="dlogits.new_full((n, 1), -1.0)",
)

whole_columns = edit(
    "gradients__whole_columns",
    "In `dlogits`, `[:, Yb]` picks the true classes of all examples in every row. A row has one of its own: pair row "
    "i with `Yb[i]`.",
    old="dlogits.scatter_add_(1, Yb.unsqueeze(1), dlogits.new_full((n, 1), -1 / n))",
    new="dlogits[:, Yb] -= 1 / n",
)

softmax_over_the_batch = edit(
    "gradients__softmax_over_the_batch",
    "The softmax in `dlogits` runs over the examples, as if they competed with each other. Check its axis: a row, one "
    "example, should sum to one.",
    old="dlogits = logprobs.exp_().div_(n)",
    new="dlogits = F.softmax(logits, 0) / n",
)

log_softmax = edit(
    "gradients__log_softmax",
    "`dlogits` is made of log-probabilities where probabilities belong.",
    old="dlogits = logprobs.exp_().div_(n)",
    new="dlogits = logprobs / n",
)

sign = edit(
    "gradients__sign",
    "All gradients have the wrong sign: these point downhill, a gradient points uphill. It is the update that goes "
    "against it.",
    old="    dW2 = h.T @ dlogits\n",
    new="    dlogits = -dlogits\n    dW2 = h.T @ dlogits\n",
)

# --- gradients: linear layer 2 and tanh ---

W2_transposed = edit(
    "gradients__dW2_transposed",
    "`dW2` is the transpose of the gradient. Write the shape of `W2` beside it.",
    old="dW2 = h.T @ dlogits",
    new="dW2 = dlogits.T @ h",
)

W2_before_tanh = edit(
    "gradients__dW2_before_tanh",
    "`dW2` is made from what goes into the tanh. Which value is it that the forward pass multiplies by `W2`?",
    old="dW2 = h.T @ dlogits",
    new="dW2 = torch.addcmul(bnbias, bngain, bnraw).T @ dlogits",
)

W2_over_n = edit(
    "gradients__dW2_over_n",
    "`dW2` is divided by n once too often: the mean over the batch is in `dlogits` already.",
    old="dW2 = h.T @ dlogits",
    new="dW2 = h.T @ dlogits / n",
)

b2_mean = edit(
    "gradients__db2_mean",
    "`db2` is a mean over the batch. One bias serves every example, so its gradients add up; the 1/n of the loss is "
    "in `dlogits` already.",
    old="db2 = dlogits.sum(0)",
    new="db2 = dlogits.mean(0)",
)

b2_keepdim = edit(
    "gradients__db2_keepdim",
    "The numbers of `db2` are right, its shape is not: `b2` is a plain vector. Check `keepdim`.",
    old="db2 = dlogits.sum(0)",
    new="db2 = dlogits.sum(0, keepdim=True)",
)

b2_wrong_axis = edit(
    "gradients__db2_wrong_axis",
    "`db2` sums over the classes and leaves one number per example. Along which axis was `b2` copied?",
    old="db2 = dlogits.sum(0)",
    new="db2 = dlogits.sum(1)",
)

tanh_skipped = edit(
    "gradients__tanh_skipped",
    "The gradient of `h` went on unchanged, as if there were no tanh. What is its slope, and where is it nearly zero?",
    old="dhpreact = dh.addcmul_(dh * h, h, value=-1)",
    new="dhpreact = dh",
)

tanh_not_squared = edit(
    "gradients__tanh_not_squared",
    "The slope of the tanh is taken as one minus `h`. It is one minus the *square* of `h`: negative values of `h` "
    "close the gate as well.",
    old="dhpreact = dh.addcmul_(dh * h, h, value=-1)",
    new="dhpreact = (1 - h) * dh",
)

tanh_of_its_input = edit(
    "gradients__tanh_of_its_input",
    "The slope of the tanh is taken with the value that goes in. One minus the square is right for what comes out, "
    "`h`.",
    old="dhpreact = dh.addcmul_(dh * h, h, value=-1)",
    new="dhpreact = (1 - torch.addcmul(bnbias, bngain, bnraw) ** 2) * dh",
)

sigmoid_s_slope = edit(
    "gradients__sigmoid_s_slope",
    "`h * (1 - h)` is the slope of a sigmoid. This is a tanh: what is its slope, written with its output?",
    old="dhpreact = dh.addcmul_(dh * h, h, value=-1)",
    new="dhpreact = h * (1 - h) * dh",
)

# --- gradients: batch norm ---

gain_and_bias_keepdim = edit(
    "gradients__keepdim_forgotten",
    "The gradients of gain and bias lack `keepdim=True`: both parameters have the shape (1, H), not (H,).",
    old="    through_mean, through_variance = dbnbias / n, dbngain / (n - 1)\n",
    new="""    through_mean, through_variance = dbnbias / n, dbngain / (n - 1)
    dbnbias, dbngain = dbnbias[0], dbngain[0]
""",
)

gain_without_bnraw = edit(
    "gradients__dbngain_without_bnraw",
    "`dbngain` is the gradient of the bias. The gain *multiplies* something: that belongs into its gradient. (Or have "
    "the two changed places in what `gradients` returns?)",
    old="    through_mean, through_variance = dbnbias / n, dbngain / (n - 1)\n",
    new="""    through_mean, through_variance = dbnbias / n, dbngain / (n - 1)
    dbngain = dbnbias
""",
)

gain_not_normalised = edit(
    "gradients__dbngain_not_normalised",
    "`dbngain` is made with `hprebn` minus its mean, before it is divided by the standard deviation. The gain "
    "multiplies what is normalised already.",
    old="    through_mean, through_variance = dbnbias / n, dbngain / (n - 1)\n",
    new="""    through_mean, through_variance = dbnbias / n, dbngain / (n - 1)
    dbngain = dbngain / bnvar_inv
""",
)

gain_and_bias_swapped = edit(
    "gradients__gain_and_bias_swapped",
    "The gradients of gain and bias have changed places in what `gradients` returns: the gain comes first, as in "
    "`parameters`. Both have the same shape, so nothing else would tell you.",
    old="return loss, [dC, dW1, db1, dW2, db2, dbngain, dbnbias]",
    new="return loss, [dC, dW1, db1, dW2, db2, dbnbias, dbngain]",
)

backward_order = edit(
    "gradients__backward_order",
    "The gradients come in the order in which you found them. They belong in the order of `parameters`: C, W1, b1, "
    "W2, b2, bngain, bnbias.",
    old="return loss, [dC, dW1, db1, dW2, db2, dbngain, dbnbias]",
    new="return loss, [dW2, db2, dbngain, dbnbias, dW1, db1, dC]",
)

no_bessel = edit(
    "gradients__no_bessel",
    "In the gradient of batch norm, the path through the variance is that of a variance divided by n. The forward "
    "pass divides by n - 1. (Training would hardly tell: it goes nearly as well.)",
    old="through_mean, through_variance = dbnbias / n, dbngain / (n - 1)",
    new="through_mean, through_variance = dbnbias / n, dbngain / n",
)

bessel_in_the_mean = edit(
    "gradients__bessel_in_the_mean",
    "In the gradient of batch norm, the path through the mean has n - 1 in it. Bessel's correction belongs to the "
    "variance only.",
    old="through_mean, through_variance = dbnbias / n, dbngain / (n - 1)",
    new="through_mean, through_variance = dbnbias / (n - 1), dbngain / (n - 1)",
)

no_mean_term = edit(
    "gradients__no_mean_term",
    "In the gradient of batch norm, the path through the mean is missing: each `hprebn` moves the mean of its column. "
    "`db1` tells: it should be zero.",
    old="through_mean, through_variance = dbnbias / n, dbngain / (n - 1)",
    new="through_mean, through_variance = 0 * dbnbias, dbngain / (n - 1)",
)

no_variance_term = edit(
    "gradients__no_variance_term",
    "In the gradient of batch norm, the path through the variance is missing: each `hprebn` changes the spread of its "
    "column.",
    old="through_mean, through_variance = dbnbias / n, dbngain / (n - 1)",
    new="through_mean, through_variance = dbnbias / n, 0 * dbngain",
)

statistics_constant = edit(
    "gradients__statistics_constant",
    "In the gradient of batch norm only the direct path is there: mean and variance are treated as constants. That is "
    "right at evaluation; in training they are made from the batch.",
    old="through_mean, through_variance = dbnbias / n, dbngain / (n - 1)",
    new="through_mean, through_variance = 0 * dbnbias, 0 * dbngain",
)

gain_missing = edit(
    "gradients__gain_missing",
    "The gain is missing in the gradient of batch norm. All three paths pass it.",
    old=".mul_(bngain * bnvar_inv)",
    new=".mul_(bnvar_inv)",
)

deviation_missing = edit(
    "gradients__deviation_missing",
    "`bnvar_inv` is missing in the gradient of batch norm: all three paths pass the division by the standard "
    "deviation.",
    old=".mul_(bngain * bnvar_inv)",
    new=".mul_(bngain)",
)

b1_after_batch_norm = edit(
    "gradients__db1_after_batch_norm",
    "`db1` is the gradient of a bias *behind* batch norm. `b1` is added before it, and batch norm takes it off again.",
    old="db1 = dhprebn.sum(0)",
    new="db1 = dbnbias[0]",
)

batch_norm_skipped = edit(
    "gradients__batch_norm_skipped",
    "`dhpreact` was used where `dhprebn` belongs: on the way to the first layer, the gradient has to pass batch norm.",
    old="dhprebn = dhpreact.sub_(through_mean).addcmul_(bnraw, through_variance, value=-1).mul_(bngain * bnvar_inv)",
    new="dhprebn = dhpreact",
)

sums_over_the_units = edit(
    "gradients__sums_over_the_units",
    "In the gradient of batch norm the sums run over the hidden units. Mean and variance are taken down each column, "
    "over the batch.",
    old="    through_mean, through_variance = dbnbias / n, dbngain / (n - 1)\n",
    new="""    through_mean = dhpreact.sum(1, keepdim=True) / n
    through_variance = (dhpreact * bnraw).sum(1, keepdim=True) / (n - 1)
""",
)

# --- gradients: linear layer 1 and embedding ---

W1_transposed = edit(
    "gradients__dW1_transposed",
    "`dW1` is the transpose of the gradient. Write the shape of `W1` beside it.",
    old="dW1 = embcat.T @ dhprebn",
    new="dW1 = dhprebn.T @ embcat",
)

W1_over_n = edit(
    "gradients__dW1_over_n",
    "`dW1` is divided by n once too often: the mean over the batch is in `dlogits` already.",
    old="dW1 = embcat.T @ dhprebn",
    new="dW1 = embcat.T @ dhprebn / n",
)

b1_keepdim = edit(
    "gradients__db1_keepdim",
    "`db1` has a 1 too many in its shape: `b1` is a plain vector. Check `keepdim`.",
    old="db1 = dhprebn.sum(0)",
    new="db1 = dhprebn.sum(0, keepdim=True)",
)

copies_lost = edit(
    "gradients__copies_lost",
    "`dC[Xb] += demb` writes each row once, however many copies there are, so only one gradient per row remains. The "
    "gradients of copies add up: use a loop or `index_add_`.",
    old="dC = torch.zeros_like(C).index_add_(0, tokens, dembcat.view(-1, C.shape[1]))",
    new="dC = torch.zeros_like(C)\n    dC[Xb] += dembcat.view(*Xb.shape, -1)",
)

mean_of_copies = edit(
    "gradients__mean_of_copies",
    "Each row of `dC` is divided by the number of its copies. The gradients of copies add up, they are not averaged.",
    old="    dC = torch.zeros_like(C).index_add_(0, tokens, dembcat.view(-1, C.shape[1]))\n",
    new="""    dC = torch.zeros_like(C).index_add_(0, tokens, dembcat.view(-1, C.shape[1]))
    dC = dC / tokens.bincount(minlength=C.shape[0]).clamp(min=1).unsqueeze(1)
""",
)

wrong_pieces = edit(
    "gradients__wrong_pieces",
    "The gradient of `embcat` was cut into embeddings in another order than the forward pass put them together. Undo "
    "the `view` with a `view`.",
    old="dembcat.view(-1, C.shape[1])",
    new="dembcat.view(n, C.shape[1], -1).transpose(1, 2).reshape(-1, C.shape[1])",
)

parameters_changed = edit(
    "gradients__changes_parameters",
    "The gradients are right, but `gradients` changes a parameter on its way. It should only look at them: writing in "
    "place is for tensors of your own.",
    old="    db1 = dhprebn.sum(0)\n",
    new="    db1 = b1.add_(dhprebn.sum(0) + 0.1) - b1 + dhprebn.sum(0)\n",
)

# --- calibrate ---

calibrate_biased = edit(
    "calibrate__biased",
    "The variance is divided by N. This network's batch norm is defined with N - 1, in training and here.",
    old="bnvar = (hprebn - bnmean).square().sum(0, keepdim=True) / (X.shape[0] - 1)",
    new="bnvar = (hprebn - bnmean).square().mean(0, keepdim=True)",
)

one_batch = edit(
    "calibrate__one_batch",
    "These are the statistics of the first 32 examples. Use all examples.",
    old="hprebn = torch.addmm(b1, C[X].view(X.shape[0], -1), W1)",
    new="X = X[:32]\n    hprebn = torch.addmm(b1, C[X].view(X.shape[0], -1), W1)",
)

batches_averaged = edit(
    "calibrate__batches_averaged",
    "The variance is an average over batches of 32, each about its own mean. How far the batches' means lie apart is "
    "not in it.",
    old="    return bnmean, bnvar\n",
    new="""    pieces = hprebn.split(32)
    bnvar = torch.stack([piece.var(0, keepdim=True) for piece in pieces]).mean(0)
    return torch.stack([piece.mean(0, keepdim=True) for piece in pieces]).mean(0), bnvar
""",
)

deviation_for_variance = edit(
    "calibrate__deviation",
    "The second result is the standard deviation. It should be the variance: the root comes later, after the 1e-5.",
    old="    return bnmean, bnvar\n",
    new="    return bnmean, bnvar.sqrt()\n",
)

inverse_for_variance = edit(
    "calibrate__bnvar_inv",
    "The second result is one over the standard deviation, `bnvar_inv`. It should be the variance itself.",
    old="    return bnmean, bnvar\n",
    new="    return bnmean, (bnvar + 1e-5) ** -0.5\n",
)

eps_in_the_variance = edit(
    "calibrate__eps_added",
    "The 1e-5 is in the variance already, and will be added a second time where it is used. Return the variance alone.",
    old="    return bnmean, bnvar\n",
    new="    return bnmean, bnvar + 1e-5\n",
)

variance_first = edit(
    "calibrate__variance_first",
    "Mean and variance have changed places in what is returned.",
    old="    return bnmean, bnvar\n",
    new="    return bnvar, bnmean\n",
)

calibrate_keepdim = edit(
    "calibrate__keepdim",
    "The numbers are right, but the shapes are (H,). They should be (1, H), like that of `bngain`: `keepdim=True`.",
    old="    return bnmean, bnvar\n",
    new="    return bnmean[0], bnvar[0]\n",
)

about_zero = edit(
    "calibrate__about_zero",
    "The variance is the mean of the squares. The mean has to be taken off before squaring.",
    old="bnvar = (hprebn - bnmean).square().sum(0, keepdim=True) / (X.shape[0] - 1)",
    new="bnvar = hprebn.square().sum(0, keepdim=True) / (X.shape[0] - 1)",
)

bias_left_out = edit(
    "calibrate__b1_left_out",
    "The mean lacks `b1`. Batch norm takes the bias off again, but only if it is in the mean as well.",
    old="hprebn = torch.addmm(b1, C[X].view(X.shape[0], -1), W1)",
    new="hprebn = C[X].view(X.shape[0], -1) @ W1",
)

all_units_together = edit(
    "calibrate__over_the_units",
    "Mean and variance are taken over the hidden units, so there is one of each per example. There should be one of "
    "each per hidden unit.",
    old="    return bnmean, bnvar\n",
    new="    return hprebn.mean(1, keepdim=True), hprebn.var(1, keepdim=True)\n",
)

# --- split_loss ---


def evaluation(name, message, **pieces):
    """A `split_loss` with the forward pass written out in it, and pieces of that replaced.

    It is not `evaluate` that is edited, since `sample` rests on it as well and might go on for ever.
    """
    lines = {
        "bnraw": "(hprebn - bnmean) * (bnvar + 1e-5) ** -0.5",
        "hpreact": "bngain * bnraw + bnbias",
        "h": "torch.tanh(hpreact)",
        "logits": "h @ W2 + b2",
        "loss": "F.cross_entropy(logits, Y)",
        **pieces,
    }
    return edit(
        name,
        message,
        old="    return F.cross_entropy(evaluate(parameters, statistics, X), Y)\n",
        new=f"""    C, W1, b1, W2, b2, bngain, bnbias = parameters
    bnmean, bnvar = statistics
    hprebn = C[X].view(X.shape[0], -1) @ W1 + b1
    bnraw = {lines["bnraw"]}
    hpreact = {lines["hpreact"]}
    h = {lines["h"]}
    logits = {lines["logits"]}
    return {lines["loss"]}
""",
    )


batch_statistics = evaluation(
    "split_loss__batch_statistics",
    "Batch norm takes mean and variance of the examples at hand. At evaluation it uses the ones that it is given: the "
    "answer for one example must not depend on its neighbours, and a single one has no variance.",
    bnraw="(hprebn - hprebn.mean(0)) * ((hprebn - hprebn.mean(0)).square().sum(0) / (len(X) - 1) + 1e-5) ** -0.5",
)

batch_mean = evaluation(
    "split_loss__batch_mean",
    "The variance is the one that is given, but the mean is that of the examples at hand. Both come from `statistics`.",
    bnraw="(hprebn - hprebn.mean(0)) * (bnvar + 1e-5) ** -0.5",
)

evaluation_without_eps = evaluation(
    "split_loss__eps_missing",
    "The 1e-5 beside the variance is missing. It was there in training, so it belongs here.",
    bnraw="(hprebn - bnmean) * bnvar**-0.5",
)

variance_for_deviation = evaluation(
    "split_loss__variance_for_deviation",
    "Batch norm divides by the variance here. It should be its root: check the exponent.",
    bnraw="(hprebn - bnmean) / (bnvar + 1e-5)",
)

batch_norm_left_out = evaluation(
    "split_loss__batch_norm_left_out",
    "`hprebn` goes on to gain and bias without being normalised: `statistics` is not used.",
    bnraw="hprebn",
)

gain_and_bias_left_out = evaluation(
    "split_loss__gain_and_bias_left_out",
    "Gain and bias of batch norm are missing: evaluation needs them as much as training did.",
    hpreact="bnraw",
)

gain_for_bias = evaluation(
    "split_loss__gain_for_bias",
    "Gain and bias have changed places. The gain multiplies, the bias is added; in `parameters` the gain comes first.",
    hpreact="bnbias * bnraw + bngain",
)

tanh_forgotten = evaluation(
    "split_loss__tanh_forgotten",
    "The tanh is missing: the logits come from h, not from what goes into it.",
    h="hpreact",
)

second_bias_forgotten = evaluation(
    "split_loss__b2_forgotten",
    "`b2` is missing: the logits have a bias.",
    logits="h @ W2",
)

split_summed = evaluation(
    "split_loss__summed",
    "This is the sum of the examples' losses. Return their mean: it makes sets of different sizes comparable.",
    loss='F.cross_entropy(logits, Y, reduction="sum")',
)

softmax_before = evaluation(
    "split_loss__softmax_before",
    "Probabilities were given to `F.cross_entropy`, which takes a softmax of its own: it wants the logits.",
    loss="F.cross_entropy(F.softmax(logits, 1), Y)",
)

first_batch_only = evaluation(
    "split_loss__first_batch",
    "This is the loss of the first 32 examples. Use all of them.",
    loss="F.cross_entropy(logits[:32], Y[:32])",
)

# --- sample ---


def sampler(name, message, **pieces):
    """A sampler with pieces of it replaced. It stops at 500 tokens: some of them would go on for ever."""
    lines = {
        "start": "[0] * block",
        "probs": "F.softmax(logits, 1)",
        "draw": "torch.multinomial(probs, 1, generator=generator).item()",
        "end": "return name",
        "move": "[*context[1:], ix]",
        "most": "500",
        **pieces,
    }
    return edit(
        name,
        message,
        old="""    context = [0] * (W1.shape[0] // C.shape[1])
    name = []
    while True:
        logits = evaluate(parameters, statistics, torch.tensor([context]))
        probs = F.softmax(logits, 1)
        ix = torch.multinomial(probs, 1, generator=generator).item()
        if ix == 0:
            return name
        name.append(ix)
        context = [*context[1:], ix]
""",
        new=f"""    block = W1.shape[0] // C.shape[1]
    context = {lines["start"]}
    name = []
    while len(name) < {lines["most"]}:
        logits = evaluate(parameters, statistics, torch.tensor([context]))
        probs = {lines["probs"]}
        ix = {lines["draw"]}
        if ix == 0:
            {lines["end"]}
        name.append(ix)
        context = {lines["move"]}
    return name
""",
    )


context_stays = sampler(
    "sample__context_stays",
    "The context never changes: each token is drawn as if it were the first. Where does the new token go?",
    move="context",
)

newest_first = sampler(
    "sample__newest_first",
    "From the second token on, the context is not what the network saw in training: there the newest token stands at "
    "the right end, and the others have moved on to the left by one place.",
    move="[ix, *context[:-1]]",
)

last_token_only = sampler(
    "sample__last_token_only",
    "Only the newest token is in the context, with zeros before it. The network has been trained on all its places.",
    move="[0] * (block - 1) + [ix]",
)

starts_with_ones = sampler(
    "sample__wrong_start",
    "The context does not begin as zeros. In training, a name's first token was seen after a row of zeros.",
    start="[1] * block",
)

most_probable = sampler(
    "sample__most_probable",
    "Always the most probable token is taken, so all names are the same. Draw: a token with probability 0.3 should "
    "come three times in ten.",
    draw="probs.argmax(1).item()",
)

softmax_over_contexts = sampler(
    "sample__wrong_axis",
    "All tokens are equally likely: the softmax runs along the wrong axis. There is one row, so along axis 0 each "
    "token is compared with itself.",
    probs="F.softmax(logits, 0)",
)

softmax_again = sampler(
    "sample__softmax_twice",
    "The softmax is taken twice, which makes all tokens nearly equally likely.",
    probs="F.softmax(F.softmax(logits, 1), 1)",
)

stop_kept = sampler(
    "sample__stop_kept",
    "The 0 that ends the name is still in the list. Return what stands before it.",
    end="return [*name, 0]",
)

cut_short = sampler(
    "sample__cut_short",
    "Names are cut off before the network ends them. A name ends with token 0, and with nothing else.",
    most="block",
)

generator_ignored = sampler(
    "sample__generator_ignored",
    "The names are well drawn, but not with `generator`: from the same state of it comes another name each time. Pass "
    "it on, `generator=generator`.",
    draw="torch.multinomial(probs, 1).item()",
)

sharpened = sampler(
    "sample__sharpened",
    "The probabilities are squared, or the logits doubled: what is likely is drawn too often. Draw with the network's "
    "probabilities as they are.",
    probs="F.softmax(logits, 1) ** 2",
)
