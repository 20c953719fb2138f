"""Known wrong formulas of lesson 02, each with the message that its author gets."""

import torch
import torch.nn.functional as F

from grader.lesson.mistakes import mistake

# cross-entropy


@mistake(
    "This is the gradient of the losses' sum. The loss is their mean over the batch: what does that do to each one?"
)
def dlogits__no_one_over_n(logits, Y, N):
    gradient = F.softmax(logits, 1)
    gradient[range(N), Y] -= 1
    return gradient


@mistake(
    "Every logit is pushed down here and none is pulled up: the true class has no say. The rows of this gradient "
    "should sum to zero; look for what is missing at `Y`."
)
def dlogits__no_minus_one(logits, Y, N):
    return F.softmax(logits, 1) / N


@mistake(
    "The 1 of the true class is taken off after the division by N, so it counts N times too much. The mean divides "
    "both parts."
)
def dlogits__minus_one_after_division(logits, Y, N):
    gradient = F.softmax(logits, 1) / N
    gradient[range(N), Y] -= 1
    return gradient


@mistake(
    "The softmax runs over the examples instead of the classes. Check its axis: every row, one example, should sum to "
    "one."
)
def dlogits__softmax_over_the_batch(logits, Y, N):
    gradient = F.softmax(logits, 0)
    gradient[range(N), Y] -= 1
    return gradient / N


@mistake(
    "`[:, Y]` picks whole columns, in every row. You want one place a row: index rows and columns together, so that "
    "they are paired."
)
def dlogits__whole_columns(logits, Y, N):
    gradient = F.softmax(logits, 1)
    gradient[:, Y] -= 1
    return gradient / N


@mistake(
    "These are log-probabilities where probabilities belong. Check the name of the function: with or without the log?"
)
def dlogits__log_softmax(logits, Y, N):
    gradient = F.log_softmax(logits, 1)
    gradient[range(N), Y] -= 1
    return gradient / N


@mistake(
    "The sign is flipped: a step against this gradient would make the true class less likely. Look at the minus in "
    "front of the log-likelihood."
)
def dlogits__sign(logits, Y, N):
    return (F.one_hot(Y, logits.shape[1]) - F.softmax(logits, 1)) / N


@mistake(
    "This divides by the number of classes, or by something else than the number of examples. Over what does the loss "
    "take its mean?"
)
def dlogits__over_classes(logits, Y, N):
    gradient = F.softmax(logits, 1)
    gradient[range(N), Y] -= 1
    return gradient / logits.shape[1]


@mistake(
    "This divides by the number of all logits. The mean is over the losses, and there is one loss for each example."
)
def dlogits__over_all_elements(logits, Y, N):
    gradient = F.softmax(logits, 1)
    gradient[range(N), Y] -= 1
    return gradient / logits.numel()


@mistake(
    "The 1 is taken off at the class the net believes in, not at the true one. Which of `logits.argmax(1)` and `Y` "
    "does the loss look at?"
)
def dlogits__prediction_for_target(logits, Y, N):
    gradient = F.softmax(logits, 1)
    gradient[range(N), logits.argmax(1)] -= 1
    return gradient / N


# linear layer 2


@mistake(
    "The weights were reshaped where they should be transposed: the shape fits, but the numbers stand in other places. "
    "Compare `W2.reshape(...)` with `W2.T` on a small example."
)
def dh_bn__reshaped_weights(dlogits, W2):
    return dlogits @ W2.reshape(W2.shape[1], W2.shape[0])


@mistake(
    "There is a division by N too many. The mean over the batch is in the loss, so it is already inside `dlogits`."
)
def dh_bn__over_n(dlogits, W2, N):
    return dlogits @ W2.T / N


@mistake(
    "This is the transpose of the gradient: hidden units down, examples across. Swap the order of the two factors."
)
def dh_bn__transposed(dlogits, W2):
    return W2 @ dlogits.T


@mistake(
    "There is an `h_bn` too many. A product is linear in each factor, so the gradient of one factor holds the other "
    "factor only."
)
def dh_bn__times_itself(dlogits, W2, h_bn):
    return dlogits @ W2.T * h_bn


@mistake(
    "The sums over the classes were taken before multiplying, as if `(a * b).sum()` were `a.sum() * b.sum()`. Keep "
    "each class's gradient with that class's weights."
)
def dh_bn__sums_multiplied(dlogits, W2):
    return dlogits.sum(1, keepdim=True) * W2.sum(1)


@mistake(
    "This is the transpose of the gradient. A gradient has the shape of its value: write the shape of `W2` beside it."
)
def dW2__transposed(dlogits, h_bn):
    return dlogits.T @ h_bn


@mistake(
    "There is a division by N too many. The mean over the batch is in the loss, so it is already inside `dlogits`."
)
def dW2__over_n(dlogits, h_bn, N):
    return h_bn.T @ dlogits / N


@mistake(
    "This uses the normalised values before `gamma` and `beta`. Which value is it that the forward pass multiplies by "
    "`W2`?"
)
def dW2__before_scale_and_shift(dlogits, h_norm):
    return h_norm.T @ dlogits


@mistake("This uses `h`, the values before batch norm. Which value is it that the forward pass multiplies by `W2`?")
def dW2__before_batch_norm(dlogits, h):
    return h.T @ dlogits


@mistake(
    "Only the last example is left: each turn of the loop replaced the one before. Every example uses `W2`, so their "
    "gradients add up."
)
def dW2__last_example_only(dlogits, h_bn):
    return torch.outer(h_bn[-1], dlogits[-1])


@mistake("The summed axis was kept, so there is a 1 in front. `b2` is a plain vector: check `keepdim`.")
def db2__keepdim(dlogits):
    return dlogits.sum(0, keepdim=True)


@mistake(
    "This is a mean over the batch. One bias serves every example, so its gradients add up; the mean of the loss is "
    "already inside `dlogits`."
)
def db2__mean(dlogits):
    return dlogits.mean(0)


@mistake(
    "This still has a row for each example. `b2` was broadcast over the rows: what undoes a broadcast on the way back?"
)
def db2__no_sum(dlogits):
    return dlogits.clone()


@mistake(
    "The sum runs over the classes and leaves one number per example. There should be one number per class: which "
    "axis was `b2` broadcast over?"
)
def db2__wrong_axis(dlogits):
    return dlogits.sum(1)


# batch norm: scale and shift


@mistake(
    "This still has a row for each example. `gamma` was broadcast over the rows: what undoes a broadcast on the way "
    "back?"
)
def dgamma__no_sum(dh_bn, h_norm):
    return dh_bn * h_norm


@mistake("The summed axis was kept, so there is a 1 in front. `gamma` is a plain vector here: check `keepdim`.")
def dgamma__keepdim(dh_bn, h_norm):
    return (dh_bn * h_norm).sum(0, keepdim=True)


@mistake(
    "This is a mean over the batch. One `gamma` serves every example, so its gradients add up; the mean of the loss is "
    "already inside `dh_bn`."
)
def dgamma__mean(dh_bn, h_norm):
    return (dh_bn * h_norm).mean(0)


@mistake("This multiplies by `h`. Look at the line of `h_bn` again: which value is multiplied by `gamma` there?")
def dgamma__not_normalised(dh_bn, h):
    return (dh_bn * h).sum(0)


@mistake(
    "The values are centred, but not yet divided by the standard deviation. Look at the line of `h_bn`: what stands "
    "beside `gamma` there?"
)
def dgamma__centred_only(dh_bn, h, h_mean):
    return (dh_bn * (h - h_mean)).sum(0)


@mistake(
    "This is the gradient of something that is added. `gamma` is multiplied: what is the local derivative of a product?"
)
def dgamma__factor_forgotten(dh_bn):
    return dh_bn.sum(0)


@mistake(
    "The sum runs over the hidden units and leaves one number per example. There is one `gamma` per hidden unit: "
    "which axis was it broadcast over?"
)
def dgamma__wrong_axis(dh_bn, h_norm):
    return (dh_bn * h_norm).sum(1)


@mistake(
    "This still has a row for each example. `beta` was broadcast over the rows: what undoes a broadcast on the way "
    "back?"
)
def dbeta__no_sum(dh_bn):
    return dh_bn.clone()


@mistake("The summed axis was kept, so there is a 1 in front. `beta` is a plain vector here: check `keepdim`.")
def dbeta__keepdim(dh_bn):
    return dh_bn.sum(0, keepdim=True)


@mistake(
    "This is a mean over the batch. One `beta` serves every example, so its gradients add up; the mean of the loss is "
    "already inside `dh_bn`."
)
def dbeta__mean(dh_bn):
    return dh_bn.mean(0)


@mistake("There is a `gamma` in it. `beta` is added after the scaling: does `gamma` touch it at all?")
def dbeta__scaled(dh_bn, gamma):
    return (dh_bn * gamma).sum(0)


@mistake(
    "The sum runs over the hidden units and leaves one number per example. There is one `beta` per hidden unit: which "
    "axis was it broadcast over?"
)
def dbeta__wrong_axis(dh_bn):
    return dh_bn.sum(1)


@mistake("The gradient went through unchanged, as if `gamma` were one. What happens to `h_norm` on the way to `h_bn`?")
def dh_norm__gain_forgotten(dh_bn):
    return dh_bn.clone()


@mistake(
    "This divides by `gamma`, which undoes the forward pass. A gradient is scaled by the same factor as the value was, "
    "not by its inverse."
)
def dh_norm__divided(dh_bn, gamma):
    return dh_bn / gamma


@mistake(
    "`beta` was added, as in the forward pass. What is added on the way forward has a local derivative of one, and "
    "leaves no trace in the gradient of its neighbour."
)
def dh_norm__bias_added(dh_bn, gamma, beta):
    return gamma * dh_bn + beta


@mistake(
    "The rows were summed away. `h_norm` has the full shape, nothing was broadcast to it: so nothing is summed for it."
)
def dh_norm__summed(dh_bn, gamma):
    return (gamma * dh_bn).sum(0)


@mistake(
    "There is an `h_norm` too many. Which of the two factors of a product is left over in the gradient of the other?"
)
def dh_norm__times_itself(dh_bn, gamma, h_norm):
    return gamma * dh_bn * h_norm


@mistake(
    "The numbers are right, but `dh_norm = dh_bn` gives one tensor two names, and `*=` changes it under both: all that "
    "uses `dh_bn` later is spoilt. Make a new tensor."
)
def dh_norm__changes_dh_bn(dh_bn, gamma):
    dh_norm = dh_bn
    dh_norm *= gamma
    return dh_norm


# batch norm: the normalisation


@mistake(
    "The path through the mean is missing: each `h` moves the mean of its column, and with it all of `h_norm` there."
)
def dh__no_mean_term(dh_norm, h_norm, h_var, N):
    return (N * dh_norm - h_norm * (dh_norm * h_norm).sum(0)) / (N * (h_var + 1e-5).sqrt())


@mistake(
    "The path through the variance is missing: each `h` changes the spread of its column, and with it all of `h_norm` "
    "there."
)
def dh__no_variance_term(dh_norm, h_norm, h_var, N):
    return (N * dh_norm - dh_norm.sum(0)) / (N * (h_var + 1e-5).sqrt())


@mistake(
    "Only the direct path is here: mean and variance are treated as constants. They are made from `h` too, so two more "
    "paths lead through them."
)
def dh__statistics_constant(dh_norm, h_var):
    return dh_norm / (h_var + 1e-5).sqrt()


@mistake(
    "There is a Bessel correction, N/(N-1), in the path through the variance. How does this forward pass divide its "
    "variance, by N or by N - 1?"
)
def dh__bessel(dh_norm, h_norm, h_var, N):
    third = N / (N - 1) * h_norm * (dh_norm * h_norm).sum(0)
    return (N * dh_norm - dh_norm.sum(0) - third) / (N * (h_var + 1e-5).sqrt())


@mistake(
    "The standard deviation is the unbiased one, computed with N - 1, as `h.std(0)` gives by default. The forward "
    "pass divides by N: use its `h_var`."
)
def dh__unbiased_deviation(dh_norm, h_norm, h, N):
    deviation = (h.var(0) + 1e-5).sqrt()
    return (N * dh_norm - dh_norm.sum(0) - h_norm * (dh_norm * h_norm).sum(0)) / (N * deviation)


@mistake(
    "The 1e-5 of the forward pass is missing under the root. It matters wherever the variance is small, and where the "
    "variance is zero it is all there is."
)
def dh__eps_forgotten(dh_norm, h_norm, h_var, N):
    return (N * dh_norm - dh_norm.sum(0) - h_norm * (dh_norm * h_norm).sum(0)) / (N * h_var.sqrt())


@mistake("The 1e-5 is added after the root here; the forward pass adds it to the variance, under the root.")
def dh__eps_outside_the_root(dh_norm, h_norm, h_var, N):
    return (N * dh_norm - dh_norm.sum(0) - h_norm * (dh_norm * h_norm).sum(0)) / (N * (h_var.sqrt() + 1e-5))


@mistake(
    "The sums run over the hidden units. Mean and variance are taken down each column, over the batch: so are the sums "
    "that belong to them."
)
def dh__wrong_axis(dh_norm, h_norm, h_var, N):
    second = dh_norm.sum(1, keepdim=True)
    third = h_norm * (dh_norm * h_norm).sum(1, keepdim=True)
    return (N * dh_norm - second - third) / (N * (h_var + 1e-5).sqrt())


@mistake("This divides by the variance. The forward pass divides by its root: check the square root, or the exponent.")
def dh__variance_for_deviation(dh_norm, h_norm, h_var, N):
    return (N * dh_norm - dh_norm.sum(0) - h_norm * (dh_norm * h_norm).sum(0)) / (N * (h_var + 1e-5))


@mistake(
    "The standard deviation is missing: the three paths are there, but all of them pass the division that makes "
    "`h_norm`."
)
def dh__no_deviation(dh_norm, h_norm, N):
    return (N * dh_norm - dh_norm.sum(0) - h_norm * (dh_norm * h_norm).sum(0)) / N


@mistake(
    "The sums over the batch lack their 1/N. Mean and variance are both averages, so each example has only an Nth part "
    "in them."
)
def dh__sums_not_divided(dh_norm, h_norm, h_var):
    return (dh_norm - dh_norm.sum(0) - h_norm * (dh_norm * h_norm).sum(0)) / (h_var + 1e-5).sqrt()


@mistake(
    "Everything is N times too large: the bracket was multiplied by N, and the 1/N in front that makes up for it is "
    "missing."
)
def dh__times_n(dh_norm, h_norm, h_var, N):
    return (N * dh_norm - dh_norm.sum(0) - h_norm * (dh_norm * h_norm).sum(0)) / (h_var + 1e-5).sqrt()


@mistake("The path through the mean has the wrong sign: when the mean goes up, every `h_norm` of the column goes down.")
def dh__mean_term_added(dh_norm, h_norm, h_var, N):
    return (N * dh_norm + dh_norm.sum(0) - h_norm * (dh_norm * h_norm).sum(0)) / (N * (h_var + 1e-5).sqrt())


@mistake("The path through the variance has the wrong sign: when the spread goes up, `h_norm` shrinks.")
def dh__variance_term_added(dh_norm, h_norm, h_var, N):
    return (N * dh_norm - dh_norm.sum(0) + h_norm * (dh_norm * h_norm).sum(0)) / (N * (h_var + 1e-5).sqrt())


@mistake(
    "The path through the variance is the same for every example here. How strongly an example moves the variance "
    "depends on its own distance from the mean."
)
def dh__variance_term_without_own_share(dh_norm, h_norm, h_var, N):
    return (N * dh_norm - dh_norm.sum(0) - (dh_norm * h_norm).sum(0)) / (N * (h_var + 1e-5).sqrt())


@mistake(
    "In the path through the variance stands `h - h_mean` where the normalised value belongs, or a power of the "
    "standard deviation is missing. Count how often you divide by it."
)
def dh__variance_term_not_normalised(dh_norm, h, h_mean, h_var, N):
    centred = h - h_mean
    return (N * dh_norm - dh_norm.sum(0) - centred * (dh_norm * centred).sum(0)) / (N * (h_var + 1e-5).sqrt())


@mistake("There is a `gamma` in it, and that is one too many: `dh_norm` has come through `gamma` already.")
def dh__gain_twice(dh_norm, h_norm, h_var, gamma, N):
    return gamma * (N * dh_norm - dh_norm.sum(0) - h_norm * (dh_norm * h_norm).sum(0)) / (N * (h_var + 1e-5).sqrt())


@mistake("The mean of the whole matrix is subtracted. Every hidden unit has a mean of its own: one number per column.")
def dh__mean_of_everything(dh_norm, h_norm, h_var):
    return (dh_norm - dh_norm.mean() - h_norm * (dh_norm * h_norm).mean(0)) / (h_var + 1e-5).sqrt()


# linear layer 1


@mistake(
    "This is the transpose of the gradient. A gradient has the shape of its value: write the shape of `W` beside it."
)
def dW__transposed(dh, X):
    return dh.T @ X


@mistake("There is a division by N too many. The mean over the batch is in the loss, so it is already inside `dh`.")
def dW__over_n(dh, X, N):
    return X.T @ dh / N


@mistake(
    "`X` was reshaped where it should be transposed: the shape fits, but the numbers stand in other places. Compare "
    "`X.reshape(...)` with `X.T` on a small example."
)
def dW__reshaped_input(dh, X):
    return X.reshape(X.shape[1], X.shape[0]) @ dh


@mistake("The gradient used is the one after the normalisation. `W` makes `h`: which gradient belongs to `h` itself?")
def dW__normalisation_skipped(dh_norm, X):
    return X.T @ dh_norm


@mistake(
    "Only the last example is left: each turn of the loop replaced the one before. Every example uses `W`, so their "
    "gradients add up."
)
def dW__last_example_only(dh, X):
    return torch.outer(X[-1], dh[-1])


@mistake(
    "For the loss of this net that is the right number, because batch norm takes every constant off again. But this "
    "function has to be right for any `dh`: write the rule, not its result."
)
def db__zeros(dh, b):
    return torch.zeros_like(b)


@mistake("The summed axis was kept, so there is a 1 in front. `b` is a plain vector: check `keepdim`.")
def db__keepdim(dh):
    return dh.sum(0, keepdim=True)


@mistake(
    "This is a mean over the batch. One bias serves every example, so its gradients add up; the mean of the loss is "
    "already inside `dh`."
)
def db__mean(dh):
    return dh.mean(0)


@mistake(
    "This still has a row for each example. `b` was broadcast over the rows: what undoes a broadcast on the way back?"
)
def db__no_sum(dh):
    return dh.clone()


@mistake(
    "The sum runs over the hidden units and leaves one number per example. There is one bias per hidden unit: which "
    "axis was it broadcast over?"
)
def db__wrong_axis(dh):
    return dh.sum(1)


@mistake(
    "The weights were reshaped where they should be transposed: the shape fits, but the numbers stand in other places. "
    "Compare `W.reshape(...)` with `W.T` on a small example."
)
def dX__reshaped_weights(dh, W):
    return dh @ W.reshape(W.shape[1], W.shape[0])


@mistake("This is the transpose of the gradient: features down, examples across. Swap the order of the two factors.")
def dX__transposed(dh, W):
    return W @ dh.T


@mistake("There is a division by N too many. The mean over the batch is in the loss, so it is already inside `dh`.")
def dX__over_n(dh, W, N):
    return dh @ W.T / N


@mistake(
    "There is an `X` too many. A product is linear in each factor, so the gradient of one factor holds the other "
    "factor only."
)
def dX__times_itself(dh, W, X):
    return dh @ W.T * X


@mistake("The gradient used is the one after the normalisation. `X` makes `h`: which gradient belongs to `h` itself?")
def dX__normalisation_skipped(dh_norm, W):
    return dh_norm @ W.T
