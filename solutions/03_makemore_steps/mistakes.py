"""Known wrong answers of lesson 03, each with the message that its author gets.

Most of them occur in public solutions of the lecture's exercise. A message says what the formula computes and what to
check.
"""

import torch
import torch.nn.functional as F

from grader.lesson.mistakes import mistake

# --- loss -> logprobs ---


@mistake("This is the gradient of a sum over the examples. The loss is a mean: how much does one of n numbers move it?")
def dlogprobs__no_one_over_n(logprobs, Yb, n):
    gradient = torch.zeros_like(logprobs)
    gradient[range(n), Yb] = -1.0
    return gradient


@mistake(
    "The sign is flipped. Read the forward line from the left: what comes before `logprobs`? A better log-probability "
    "should lower the loss."
)
def dlogprobs__plus_one_over_n(logprobs, Yb, n):
    gradient = torch.zeros_like(logprobs)
    gradient[range(n), Yb] = 1.0 / n
    return gradient


@mistake(
    "Every element gets the same gradient here, yet the loss reads only one element of each row. What is the gradient "
    "of something that is never read?"
)
def dlogprobs__dense(logprobs, n):
    return torch.full_like(logprobs, -1.0 / n)


@mistake(
    "`[:, Yb]` picks, in every row, the true classes of all examples. The forward line pairs row i with `Yb[i]`: index "
    "rows and columns together."
)
def dlogprobs__every_label_in_every_row(logprobs, Yb, n):
    gradient = torch.zeros_like(logprobs)
    gradient[:, Yb] = -1.0 / n
    return gradient


@mistake(
    "You divide by the number of all elements of `logprobs`. The mean is taken after the indexing: how many numbers "
    "are left by then?"
)
def dlogprobs__over_all_elements(logprobs, Yb, n):
    gradient = torch.zeros_like(logprobs)
    gradient[range(n), Yb] = -1.0 / logprobs.numel()
    return gradient


@mistake(
    "You put the log-probabilities themselves into the gradient. The loss is linear in them: does its slope depend on "
    "their values?"
)
def dlogprobs__times_logprobs(logprobs, Yb, n):
    gradient = torch.zeros_like(logprobs)
    gradient[range(n), Yb] = -logprobs[range(n), Yb] / n
    return gradient


# --- logprobs -> probs ---


@mistake(
    "This is the local derivative of the logarithm alone. The chain rule multiplies it by what comes from above: where "
    "is `dlogprobs`?"
)
def dprobs__upstream_forgotten(probs):
    return 1 / probs


@mistake(
    "You multiply where the derivative of a logarithm divides. A useful picture: should an unlikely true class get a "
    "small gradient or a large one?"
)
def dprobs__times_probs(dlogprobs, probs):
    return dlogprobs * probs


@mistake(
    "The upstream gradient goes through unchanged, as if the logarithm were not there. What is its slope at `probs`?"
)
def dprobs__log_forgotten(dlogprobs):
    return dlogprobs


@mistake(
    "You divide by the logarithm's output. Its derivative is a function of what goes in: which of the two tensors is "
    "that?"
)
def dprobs__over_logprobs(dlogprobs, logprobs):
    return dlogprobs / logprobs


@mistake("Dividing by the square is the derivative of 1/x (apart from its sign), not of the logarithm.")
def dprobs__over_probs_squared(dlogprobs, probs):
    return dlogprobs / probs**2


# --- probs = counts * counts_sum_inv ---


@mistake(
    "Right before the last step: one number of `counts_sum_inv` was copied along its whole row, and each copy brings a "
    "contribution back. How do the contributions of copies combine?"
)
def dcounts_sum_inv__no_sum(dprobs, counts):
    return counts * dprobs


@mistake(
    "The numbers are right, the shape is not: `counts_sum_inv` is a column. A flat vector times a column silently "
    "becomes a square matrix in the next product. See what `keepdim` does."
)
def dcounts_sum_inv__no_keepdim(dprobs, counts):
    return (counts * dprobs).sum(1)


@mistake(
    "You sum `counts` on its own and multiply afterwards. A sum of products is not a product with a sum: multiply "
    "element by element first, then add up."
)
def dcounts_sum_inv__counts_summed_first(dprobs, counts):
    return counts.sum(1, keepdim=True) * dprobs


@mistake(
    "You sum the two factors separately and multiply the sums. Each copy's contribution is a product of its own; add "
    "up after multiplying."
)
def dcounts_sum_inv__product_of_sums(dprobs, counts):
    return counts.sum(1, keepdim=True) * dprobs.sum(1, keepdim=True)


@mistake(
    "You add up along the batch. `counts_sum_inv` was copied along the other axis: compare its shape with that of "
    "`counts`."
)
def dcounts_sum_inv__wrong_axis(dprobs, counts):
    return (counts * dprobs).sum(0, keepdim=True)


@mistake(
    "You average the contributions of the copies. Every copy counts in full: raising the one number raises all of them."
)
def dcounts_sum_inv__mean(dprobs, counts):
    return (counts * dprobs).mean(1, keepdim=True)


@mistake(
    "The other factor of the product is lost: the derivative of a * b with respect to a is b. What was "
    "`counts_sum_inv` multiplied by?"
)
def dcounts_sum_inv__other_factor_forgotten(dprobs):
    return dprobs.sum(1, keepdim=True)


# --- counts_sum_inv = counts_sum**-1 ---


@mistake(
    "The size is right, the sign is not. A power brings its exponent down in front: which sign has this one? (When a "
    "number grows, its inverse shrinks.)"
)
def dcounts_sum__sign(dcounts_sum_inv, counts_sum):
    return counts_sum**-2 * dcounts_sum_inv


@mistake(
    "The exponent in front is right, but the exponent itself has to go down by one: from -1, that is away from zero."
)
def dcounts_sum__exponent_kept(dcounts_sum_inv, counts_sum):
    return -(counts_sum**-1) * dcounts_sum_inv


@mistake(
    "1/x is what the logarithm's derivative looks like. Here x is raised to a power: use the power rule, both for the "
    "factor in front and for the new exponent."
)
def dcounts_sum__logarithms_rule(dcounts_sum_inv, counts_sum):
    return dcounts_sum_inv / counts_sum


@mistake("The exponent went up by one instead of down: a power -1 turned into a power 0, and `counts_sum` disappeared.")
def dcounts_sum__exponent_up(dcounts_sum_inv):
    return -dcounts_sum_inv


@mistake("This is the local derivative alone. The chain rule multiplies it by the gradient that comes from above.")
def dcounts_sum__upstream_forgotten(counts_sum):
    return -(counts_sum**-2)


# --- counts: used twice ---


@mistake(
    "This is the path through `probs`. `counts` is read in a second line of the forward pass; look for it, and add "
    "what comes back from there."
)
def dcounts__only_through_probs(dprobs, counts_sum_inv):
    return counts_sum_inv * dprobs


@mistake("This is the path through the row sum. `counts` is also a factor of `probs`: add what comes back from there.")
def dcounts__only_through_the_sum(dcounts_sum, counts):
    return dcounts_sum * torch.ones_like(counts)


@mistake(
    "The path through the row sum has a factor too many: how much does a sum grow when one of its terms grows by one?"
)
def dcounts__sum_times_counts(dprobs, counts_sum_inv, dcounts_sum, counts):
    return counts_sum_inv * dprobs + counts * dcounts_sum


@mistake(
    "You subtract the second path. The contributions of all paths add up; a minus sign, where there is one, already "
    "sits inside the contribution."
)
def dcounts__second_path_subtracted(dprobs, counts_sum_inv, dcounts_sum):
    return counts_sum_inv * dprobs - dcounts_sum


@mistake(
    "You share the sum's gradient out among the elements of the row. A sum passes it to each of its terms in full; "
    "only a mean divides."
)
def dcounts__sum_shared_out(dprobs, counts_sum_inv, dcounts_sum, counts):
    return counts_sum_inv * dprobs + dcounts_sum / counts.shape[1]


@mistake(
    "On the path through `probs`, `counts` is multiplied by `counts_sum_inv`, not by `counts_sum`. Take the factor "
    "that stands in the forward line."
)
def dcounts__sum_for_its_inverse(dprobs, counts_sum, dcounts_sum):
    return counts_sum * dprobs + dcounts_sum


@mistake("On the path through `probs` the other factor is missing: the derivative of a * b with respect to a is b.")
def dcounts__other_factor_forgotten(dprobs, dcounts_sum):
    return dprobs + dcounts_sum


# --- counts = norm_logits.exp() ---


@mistake(
    "The upstream gradient goes through unchanged, as if the exponential were not there. What is its slope, and which "
    "tensor holds that already?"
)
def dnorm_logits__exp_forgotten(dcounts):
    return dcounts


@mistake(
    "You multiply by the input of the exponential. Its derivative is the exponential itself: the forward pass has "
    "computed it already."
)
def dnorm_logits__norm_logits_for_counts(dcounts, norm_logits):
    return norm_logits * dcounts


@mistake("This is the local derivative alone; multiply it by the gradient that comes from above.")
def dnorm_logits__upstream_forgotten(counts):
    return counts


@mistake(
    "You take the exponential of `counts`, which is an exponential already. At which point is the derivative to be "
    "taken?"
)
def dnorm_logits__exp_of_counts(dcounts, counts):
    return counts.exp() * dcounts


@mistake(
    "The rule for powers, where x is the base and the exponent comes down, does not hold here: x is the exponent. What "
    "is the derivative of e to the x?"
)
def dnorm_logits__power_rule(dcounts, norm_logits):
    return norm_logits * (norm_logits - 1).exp() * dcounts


@mistake("You divide by `counts`: that would be the way back through a logarithm. This is an exponential.")
def dnorm_logits__over_counts(dcounts, counts):
    return dcounts / counts


# --- norm_logits = logits - logit_maxes ---


@mistake(
    "In the whole network this gradient is zero, up to rounding, since shifting a row does not change its softmax. But "
    "this function has to work for any upstream gradient: compute it from `dnorm_logits`."
)
def dlogit_maxes__zeros(logit_maxes):
    return torch.zeros_like(logit_maxes)


@mistake(
    "You average along the row. The row's maximum was subtracted from each element, so each brings its contribution "
    "back in full."
)
def dlogit_maxes__mean(dnorm_logits):
    return -dnorm_logits.mean(1, keepdim=True)


@mistake("The sign is flipped: what happens to `norm_logits` when the maximum, which is subtracted, grows?")
def dlogit_maxes__sign(dnorm_logits):
    return dnorm_logits.sum(1, keepdim=True)


@mistake("The numbers are right, the shape is not: `logit_maxes` is a column. Check what `keepdim` does to a sum.")
def dlogit_maxes__no_keepdim(dnorm_logits):
    return -dnorm_logits.sum(1)


@mistake(
    "One number per row was copied along that row. You have the contribution of each copy, but you still have to "
    "combine them into one number per row."
)
def dlogit_maxes__no_sum(dnorm_logits):
    return -dnorm_logits


@mistake(
    "There is a factor `logit_maxes` too many. The forward line subtracts it: does the slope of a difference depend on "
    "how large the terms are?"
)
def dlogit_maxes__times_logit_maxes(dnorm_logits, logit_maxes):
    return (-dnorm_logits * logit_maxes).sum(1, keepdim=True)


@mistake("You add up along the batch. Each row has a maximum of its own, copied along that row: which axis is that?")
def dlogit_maxes__wrong_axis(dnorm_logits):
    return -dnorm_logits.sum(0, keepdim=True)


# --- logits: used twice ---


@mistake(
    "You have the path through `norm_logits`. `logits` is read in one more line, where the row maximum is taken: its "
    "gradient is close to zero in the whole network, but it is a path."
)
def dlogits__no_max_branch(dnorm_logits):
    return dnorm_logits


@mistake(
    "The maximum's gradient goes to every column here. A maximum takes one element of the row and ignores the others: "
    "who should get the gradient?"
)
def dlogits__max_to_every_column(dnorm_logits, dlogit_maxes):
    return dnorm_logits + dlogit_maxes


@mistake(
    "You send the maximum's gradient to the true class. The true class need not have the largest logit: whose position "
    "does a maximum remember?"
)
def dlogits__max_at_true_class(dnorm_logits, dlogit_maxes, Yb, n):
    gradient = dnorm_logits.clone()
    gradient[range(n), Yb] += dlogit_maxes.view(-1)
    return gradient


@mistake(
    "You subtract the maximum's path. The minus of `logits - logit_maxes` is inside `dlogit_maxes` already; paths add "
    "up."
)
def dlogits__max_subtracted(dnorm_logits, dlogit_maxes, logits):
    return dnorm_logits - F.one_hot(logits.max(1).indices, logits.shape[1]) * dlogit_maxes


@mistake(
    "This is the maximum's path alone. Most of the gradient comes through `norm_logits`, where `logits` stands as it "
    "is: add that."
)
def dlogits__only_the_max_branch(dlogit_maxes, logits):
    return F.one_hot(logits.max(1).indices, logits.shape[1]) * dlogit_maxes


@mistake(
    "At the row's maximum you put the second path in place of the first. An element with two paths gets both: `=` "
    "forgets what `+=` keeps."
)
def dlogits__max_replaces(dnorm_logits, dlogit_maxes, logits, n):
    gradient = dnorm_logits.clone()
    gradient[range(n), logits.max(1).indices] = dlogit_maxes.view(-1)
    return gradient


@mistake(
    "You scale the maximum's path by the logits. A maximum hands its winner's value on unchanged: what is its slope "
    "there?"
)
def dlogits__max_times_logits(dnorm_logits, dlogit_maxes, logits):
    return dnorm_logits + F.one_hot(logits.max(1).indices, logits.shape[1]) * dlogit_maxes * logits


@mistake(
    "The numbers are right, but your `dlogits` and `dnorm_logits` are one tensor with two names, so `+=` changed "
    "`dnorm_logits`, too. In a notebook `cmp` would then turn red for a line that was right: begin with a copy."
)
def dlogits__changes_dnorm_logits(dnorm_logits, dlogit_maxes, logits):
    gradient = dnorm_logits
    gradient += F.one_hot(logits.max(1).indices, logits.shape[1]) * dlogit_maxes
    return gradient


# --- logits = h @ W2 + b2 ---


@mistake(
    "This is the transpose of the gradient: (hidden, batch). Write down the shapes of the two factors and find the "
    "order whose product has the shape of `h`."
)
def dh__transposed(dlogits, W2):
    return W2 @ dlogits.T


@mistake(
    "You already go through the tanh here. That is the next step: `h` is its output, and this gradient is with respect "
    "to `h`."
)
def dh__tanh_included(dlogits, W2, h):
    return (dlogits @ W2.T) * (1 - h**2)


@mistake(
    "There is one division by n too many. The mean over the batch was taken into account at the loss, and is already "
    "in `dlogits`."
)
def dh__over_n(dlogits, W2, n):
    return dlogits @ W2.T / n


@mistake(
    "You use `dnorm_logits`. The product `h @ W2` ends in `logits`, so its upstream gradient is the one of `logits`, "
    "with all its paths."
)
def dh__dnorm_logits_for_dlogits(dnorm_logits, W2):
    return dnorm_logits @ W2.T


@mistake(
    "You sum both factors over the classes before you multiply. The products over the classes are what a matrix "
    "product multiplies first and sums afterwards."
)
def dh__sums_multiplied(dlogits, W2):
    return dlogits.sum(1, keepdim=True) * W2.sum(1)


@mistake(
    "This is the transpose of the gradient: (vocabulary, hidden). A gradient has the shape of its own tensor: which "
    "factor has to come first?"
)
def dW2__transposed(dlogits, h):
    return dlogits.T @ h


@mistake(
    "There is one division by n too many: the mean over the batch is already in `dlogits`. The matrix product sums "
    "over the examples, and a sum is right."
)
def dW2__over_n(dlogits, h, n):
    return h.T @ dlogits / n


@mistake("You take the value before the tanh. Look at the forward line: which tensor is multiplied by `W2`?")
def dW2__before_the_activation(dlogits, hpreact):
    return hpreact.T @ dlogits


@mistake(
    "You use `dnorm_logits`. `W2` acts on `logits`, so its upstream gradient is the one of `logits`, with all its "
    "paths."
)
def dW2__dnorm_logits_for_dlogits(dnorm_logits, h):
    return h.T @ dnorm_logits


@mistake(
    "You put the tanh's slope where its value belongs: 1 - h**2 is needed on the way down to `hpreact`, but `W2` is "
    "multiplied by `h` itself."
)
def dW2__slope_for_value(dlogits, h):
    return (1 - h**2).T @ dlogits


@mistake(
    "The numbers are right, the shape is not: `b2` is a vector, and your gradient is a matrix with one row. Leave out "
    "what keeps the dimension."
)
def db2__keepdim(dlogits):
    return dlogits.sum(0, keepdim=True)


@mistake(
    "You average over the batch. The bias was copied into every row, and every copy's contribution counts in full; the "
    "1/n of the loss is already in `dlogits`."
)
def db2__mean(dlogits):
    return dlogits.mean(0)


@mistake("Each row's contribution is here, but `b2` is one vector for the whole batch: combine them.")
def db2__no_sum(dlogits):
    return dlogits


@mistake("You add up over the classes, which gives one number for each example. `b2` has one number for each class.")
def db2__wrong_axis(dlogits):
    return dlogits.sum(1)


@mistake(
    "You add up everything into one number. `b2` has one number for each class, and each gets the sum of its own "
    "column."
)
def db2__summed_too_much(dlogits):
    return dlogits.sum()


# --- h = tanh(hpreact) ---


@mistake("You put tanh's input into the formula that wants its output. Which of `hpreact` and `h` is tanh(x) already?")
def dhpreact__of_hpreact(dh, hpreact):
    return (1 - hpreact**2) * dh


@mistake("You apply tanh to `h`, which is tanh of something already: one tanh too many in the slope.")
def dhpreact__tanh_twice(dh, h):
    return (1 - torch.tanh(h) ** 2) * dh


@mistake(
    "h (1 - h) is the slope of the sigmoid. The activation here is tanh: derive its slope, or look it up, in terms of "
    "its output."
)
def dhpreact__sigmoids_slope(dh, h):
    return h * (1 - h) * dh


@mistake("This is tanh's slope alone. The chain rule multiplies it by the gradient that comes from above.")
def dhpreact__upstream_forgotten(h):
    return 1 - h**2


@mistake("A square is missing in the slope. Try h = -1: a closed gate must let nothing through, at either end.")
def dhpreact__square_forgotten(dh, h):
    return (1 - h) * dh


@mistake("The square is around the wrong thing. Try h = -1: a closed gate must let nothing through, at either end.")
def dhpreact__square_misplaced(dh, h):
    return (1 - h) ** 2 * dh


@mistake(
    "The upstream gradient goes through unchanged, as if the tanh were not there. How steep is tanh where h is close "
    "to 1?"
)
def dhpreact__tanh_forgotten(dh):
    return dh


# --- hpreact = bngain * bnraw + bnbias ---


@mistake(
    "One gain for each neuron was copied to every example. Each example's contribution is here; combine them into one "
    "row."
)
def dbngain__no_sum(dhpreact, bnraw):
    return bnraw * dhpreact


@mistake(
    "The gain is not multiplied by `bndiff`, which is centred only, but by what is centred and scaled. Look at the "
    "forward line again."
)
def dbngain__bndiff_for_bnraw(dhpreact, bndiff):
    return (bndiff * dhpreact).sum(0, keepdim=True)


@mistake(
    "You multiply by the line's result. The derivative of a * b + c with respect to a is b: which tensor is that here?"
)
def dbngain__hpreact_for_bnraw(dhpreact, hpreact):
    return (hpreact * dhpreact).sum(0, keepdim=True)


@mistake(
    "The numbers are right, the shape is not: `bngain` is a matrix with one row. Check what `keepdim` does to a sum."
)
def dbngain__no_keepdim(dhpreact, bnraw):
    return (bnraw * dhpreact).sum(0)


@mistake(
    "You average over the batch. The gain was copied to every example, and every copy's contribution counts in full."
)
def dbngain__mean(dhpreact, bnraw):
    return (bnraw * dhpreact).mean(0, keepdim=True)


@mistake("You add up over the neurons, which gives one number for each example. There is one gain for each neuron.")
def dbngain__wrong_axis(dhpreact, bnraw):
    return (bnraw * dhpreact).sum(1, keepdim=True)


@mistake(
    "This is what an added term gets. The gain multiplies: what is the derivative of a product with respect to one "
    "factor?"
)
def dbngain__other_factor_forgotten(dhpreact):
    return dhpreact.sum(0, keepdim=True)


@mistake(
    "Each example's contribution is here, but there is one bias for each neuron and the whole batch: combine them."
)
def dbnbias__no_sum(dhpreact):
    return dhpreact


@mistake(
    "You average over the batch. The bias was copied to every example, and every copy's contribution counts in full."
)
def dbnbias__mean(dhpreact):
    return dhpreact.mean(0, keepdim=True)


@mistake(
    "The numbers are right, the shape is not: `bnbias` is a matrix with one row. Check what `keepdim` does to a sum."
)
def dbnbias__no_keepdim(dhpreact):
    return dhpreact.sum(0)


@mistake("You add up over the neurons, which gives one number for each example. There is one bias for each neuron.")
def dbnbias__wrong_axis(dhpreact):
    return dhpreact.sum(1, keepdim=True)


@mistake("There is a factor `bnraw`, which belongs to the gain. The bias is only added: what is its local derivative?")
def dbnbias__times_bnraw(dhpreact, bnraw):
    return (bnraw * dhpreact).sum(0, keepdim=True)


@mistake("There is a factor `bnbias` too many. An added term's slope does not depend on how large the term is.")
def dbnbias__times_itself(dhpreact, bnbias):
    return (bnbias * dhpreact).sum(0, keepdim=True)


@mistake(
    "The upstream gradient goes through unchanged. `bnraw` is multiplied by something in the forward line; that "
    "something is its local derivative."
)
def dbnraw__gain_forgotten(dhpreact):
    return dhpreact


@mistake(
    "You divide by the gain, as if to undo the forward pass. Going back does not invert an operation, it multiplies by "
    "its slope."
)
def dbnraw__over_the_gain(dhpreact, bngain):
    return dhpreact / bngain


@mistake("You add up over the batch, but `bnraw` has its own number for every example: it was not copied by anything.")
def dbnraw__summed(dhpreact, bngain):
    return (bngain * dhpreact).sum(0, keepdim=True)


@mistake("The bias has no place in this gradient: adding a constant shifts `hpreact`, and leaves its slope as it is.")
def dbnraw__bias_added(dhpreact, bngain, bnbias):
    return bngain * dhpreact + bnbias


@mistake(
    "You already multiply by `bnvar_inv`: that is the next step, from `bnraw` to `bndiff`. This gradient is with "
    "respect to `bnraw`."
)
def dbnraw__one_step_too_far(dhpreact, bngain, bnvar_inv):
    return bngain * bnvar_inv * dhpreact


# --- bnraw = bndiff * bnvar_inv ---


@mistake(
    "One number for each neuron was copied to every example. Each example's contribution is here; combine them into "
    "one row."
)
def dbnvar_inv__no_sum(dbnraw, bndiff):
    return bndiff * dbnraw


@mistake(
    "You went two nodes at once: this is the gradient of `bnvar`. First only through the product, to `bnvar_inv`; the "
    "power comes in the next function."
)
def dbnvar_inv__two_nodes_in_one(dbnraw, bndiff, bnvar):
    return -0.5 * (bnvar + 1e-5) ** -1.5 * (bndiff * dbnraw).sum(0, keepdim=True)


@mistake(
    "The numbers are right, the shape is not: `bnvar_inv` is a matrix with one row. Check what `keepdim` does to a sum."
)
def dbnvar_inv__no_keepdim(dbnraw, bndiff):
    return (bndiff * dbnraw).sum(0)


@mistake(
    "You average over the batch. `bnvar_inv` was copied to every example, and every copy's contribution counts in full."
)
def dbnvar_inv__mean(dbnraw, bndiff):
    return (bndiff * dbnraw).mean(0, keepdim=True)


@mistake(
    "You multiply by the product itself. The derivative of a * b with respect to b is a: which tensor was `bnvar_inv` "
    "multiplied by?"
)
def dbnvar_inv__bnraw_for_bndiff(dbnraw, bnraw):
    return (bnraw * dbnraw).sum(0, keepdim=True)


@mistake(
    "You add up over the neurons, which gives one number for each example. `bnvar_inv` has one number for each neuron."
)
def dbnvar_inv__wrong_axis(dbnraw, bndiff):
    return (bndiff * dbnraw).sum(1, keepdim=True)


@mistake(
    "You take the values before the mean was subtracted. Which tensor does the forward line multiply by `bnvar_inv`?"
)
def dbnvar_inv__hprebn_for_bndiff(dbnraw, hprebn):
    return (hprebn * dbnraw).sum(0, keepdim=True)


# --- bnvar_inv = (bnvar + 1e-5)**-0.5 ---


@mistake(
    "The factor in front is right, but the exponent did not change. A power's derivative has an exponent lower by one: "
    "start from -0.5 and subtract."
)
def dbnvar__exponent_kept(dbnvar_inv, bnvar):
    return -0.5 * (bnvar + 1e-5) ** -0.5 * dbnvar_inv


@mistake(
    "The exponent went up by one instead of down. A power's derivative has an exponent lower by one: start from -0.5 "
    "and subtract."
)
def dbnvar__exponent_up(dbnvar_inv, bnvar):
    return -0.5 * (bnvar + 1e-5) ** 0.5 * dbnvar_inv


@mistake(
    "The new exponent is right, and the old one should stand in front as a factor: you have its sign, but not its size."
)
def dbnvar__half_lost(dbnvar_inv, bnvar):
    return -((bnvar + 1e-5) ** -1.5) * dbnvar_inv


@mistake(
    "The size is right, the sign is not: the exponent that comes down in front is negative. (A larger variance makes "
    "its inverse root smaller.)"
)
def dbnvar__sign(dbnvar_inv, bnvar):
    return 0.5 * (bnvar + 1e-5) ** -1.5 * dbnvar_inv


@mistake(
    "The small number that is added to the variance is lost. The derivative has to be taken at the same place as the "
    "forward value: compare what stands in the brackets."
)
def dbnvar__eps_forgotten(dbnvar_inv, bnvar):
    return -0.5 * bnvar**-1.5 * dbnvar_inv


@mistake("This is the local derivative alone. The chain rule multiplies it by the gradient that comes from above.")
def dbnvar__upstream_forgotten(bnvar):
    return -0.5 * (bnvar + 1e-5) ** -1.5


@mistake(
    "In terms of `bnvar_inv` the idea is good, but its power is too low: write (bnvar + 1e-5) to the new exponent as a "
    "power of `bnvar_inv`, and count again."
)
def dbnvar__too_low_a_power_of_the_inverse(dbnvar_inv, bnvar_inv):
    return -0.5 * bnvar_inv**2 * dbnvar_inv


# --- bnvar = 1 / (n - 1) * bndiff2.sum(0) ---


@mistake(
    "You divide by n. The forward pass divides the sum of squares by something else (Bessel's correction): use the "
    "same number."
)
def dbndiff2__one_over_n(dbnvar, bndiff2, n):
    return torch.ones_like(bndiff2) * dbnvar / n


@mistake(
    "The numbers are right, once: `bndiff2` has a row for every example, and each row's elements went into the sum. "
    "What does a sum over the batch become on the way back?"
)
def dbndiff2__not_broadcast(dbnvar, n):
    return dbnvar / (n - 1)


@mistake("The gradient is copied to every example, but the number that multiplies the sum in the forward line is lost.")
def dbndiff2__factor_forgotten(dbnvar, bndiff2):
    return torch.ones_like(bndiff2) * dbnvar


@mistake(
    "You multiply by n - 1 where the forward pass divides. Going back does not invert an operation: a factor stays the "
    "same factor."
)
def dbndiff2__factor_inverted(dbnvar, bndiff2, n):
    return torch.ones_like(bndiff2) * dbnvar * (n - 1)


@mistake(
    "There is a factor `bndiff2` too many: a sum grows by one when any of its terms grows by one, however large the "
    "term is."
)
def dbndiff2__times_itself(dbnvar, bndiff2, n):
    return bndiff2 * dbnvar / (n - 1)


# --- bndiff: used twice ---


@mistake(
    "You have the path through `bnraw`. `bndiff` is read in one more line, on the way to the variance: add what comes "
    "back from there."
)
def dbndiff__only_through_bnraw(dbnraw, bnvar_inv):
    return bnvar_inv * dbnraw


@mistake(
    "You have the path through the variance. `bndiff` is also scaled to become `bnraw`: add what comes back from there."
)
def dbndiff__only_through_bndiff2(dbndiff2, bndiff):
    return 2 * bndiff * dbndiff2


@mistake("On the path through the square, the factor that the exponent leaves in front is lost.")
def dbndiff__two_lost(dbnraw, bnvar_inv, dbndiff2, bndiff):
    return bnvar_inv * dbnraw + bndiff * dbndiff2


@mistake(
    "On the path through the square you multiply by the square. The derivative of x**2 is not x**2: bring the exponent "
    "down and lower it."
)
def dbndiff__square_not_differentiated(dbnraw, bnvar_inv, dbndiff2, bndiff2):
    return bnvar_inv * dbnraw + bndiff2 * dbndiff2


@mistake(
    "You subtract the second path. The contributions of all paths add up; a minus sign, where there is one, already "
    "sits inside the contribution."
)
def dbndiff__second_path_subtracted(dbnraw, bnvar_inv, dbndiff2, bndiff):
    return bnvar_inv * dbnraw - 2 * bndiff * dbndiff2


@mistake("On the path through `bnraw` the other factor is missing: what does the forward line multiply `bndiff` by?")
def dbndiff__other_factor_forgotten(dbnraw, dbndiff2, bndiff):
    return dbnraw + 2 * bndiff * dbndiff2


@mistake(
    "On the path through `bnraw` you multiply by the variance. Look at the forward line: `bndiff` meets its inverse "
    "root there."
)
def dbndiff__variance_for_its_inverse_root(dbnraw, bnvar, dbndiff2, bndiff):
    return bnvar * dbnraw + 2 * bndiff * dbndiff2


# --- bndiff = hprebn - bnmeani ---


@mistake("The sign is flipped: the mean is subtracted. What happens to every `bndiff` when the mean grows?")
def dbnmeani__sign(dbndiff):
    return dbndiff.sum(0, keepdim=True)


@mistake(
    "The numbers are right, the shape is not: `bnmeani` is a matrix with one row. Comparing them by `allclose` hides "
    "this, since the two broadcast: check what `keepdim` does to a sum."
)
def dbnmeani__no_keepdim(dbndiff):
    return -dbndiff.sum(0)


@mistake(
    "You average over the batch. The mean is computed in another line; in this one it is subtracted from every "
    "example, and each brings its contribution back in full."
)
def dbnmeani__mean(dbndiff):
    return -dbndiff.mean(0, keepdim=True)


@mistake(
    "You use `bndiff`'s gradient before it is complete: this is its path through `bnraw` only. Take `dbndiff` after "
    "the path through the variance has been added."
)
def dbnmeani__before_the_second_branch(dbnraw, bnvar_inv):
    return -(bnvar_inv * dbnraw).sum(0, keepdim=True)


@mistake(
    "One mean for each neuron was subtracted from every example. Each example's contribution is here; combine them "
    "into one row."
)
def dbnmeani__no_sum(dbndiff):
    return -dbndiff


@mistake("You add up over the neurons, which gives one number for each example. There is one mean for each neuron.")
def dbnmeani__wrong_axis(dbndiff):
    return -dbndiff.sum(1, keepdim=True)


# --- hprebn: used twice ---


@mistake(
    "You have the path through `bndiff`. `hprebn` also decides the mean that is subtracted: add what comes back "
    "through `bnmeani`."
)
def dhprebn__no_mean_branch(dbndiff):
    return dbndiff


@mistake(
    "On the path through the mean, each element gets the mean's whole gradient. How much does a mean move when one of "
    "its n terms moves by one?"
)
def dhprebn__no_one_over_n(dbndiff, dbnmeani):
    return dbndiff + dbnmeani


@mistake(
    "You divide the mean's path by n - 1. Bessel's correction belongs to the variance; look at how the mean is "
    "computed."
)
def dhprebn__one_over_n_minus_one(dbndiff, dbnmeani, n):
    return dbndiff + dbnmeani / max(n - 1, 1)


@mistake(
    "You subtract the path through the mean. The minus of `hprebn - bnmeani` is inside `dbnmeani` already; paths add "
    "up."
)
def dhprebn__sign(dbndiff, dbnmeani, n):
    return dbndiff - dbnmeani / n


@mistake("This is the path through the mean alone. `hprebn` also stands in `bndiff` as it is: add that.")
def dhprebn__only_the_mean_branch(dbnmeani, hprebn, n):
    return torch.ones_like(hprebn) * dbnmeani / n


@mistake(
    "The numbers are right, but your `dhprebn` and `dbndiff` are one tensor with two names, so `+=` changed `dbndiff`, "
    "too: begin with a copy."
)
def dhprebn__changes_dbndiff(dbndiff, dbnmeani, n):
    gradient = dbndiff
    gradient += dbnmeani / n
    return gradient


# --- hprebn = embcat @ W1 + b1 ---


@mistake(
    "This is the transpose of the gradient. Write down the shapes of the two factors and find the order whose product "
    "has the shape of `embcat`."
)
def dembcat__transposed(dhprebn, W1):
    return W1 @ dhprebn.T


@mistake(
    "You jump over the whole batch norm: `embcat @ W1` ends in `hprebn`, so its upstream gradient is the one of "
    "`hprebn`."
)
def dembcat__batch_norm_skipped(dhpreact, W1):
    return dhpreact @ W1.T


@mistake(
    "There is one division by n too many: the loss's mean over the batch has been in every gradient since `dlogprobs`."
)
def dembcat__over_n(dhprebn, W1, n):
    return dhprebn @ W1.T / n


@mistake(
    "You use `dbndiff`, which lacks the path through the batch's mean. The upstream gradient of this line is the one "
    "of `hprebn`."
)
def dembcat__dbndiff_for_dhprebn(dbndiff, W1):
    return dbndiff @ W1.T


@mistake(
    "You sum both factors over the neurons before you multiply. The products over the neurons are what a matrix "
    "product multiplies first and sums afterwards."
)
def dembcat__sums_multiplied(dhprebn, W1):
    return dhprebn.sum(1, keepdim=True) * W1.sum(1)


@mistake(
    "This is the transpose of the gradient. A gradient has the shape of its own tensor: which factor has to come first?"
)
def dW1__transposed(dhprebn, embcat):
    return dhprebn.T @ embcat


@mistake(
    "There is one division by n too many: the loss's mean over the batch is already inside `dhprebn`. The matrix "
    "product sums over the examples, and a sum is right."
)
def dW1__over_n(dhprebn, embcat, n):
    return embcat.T @ dhprebn / n


@mistake(
    "You jump over the whole batch norm: `embcat @ W1` ends in `hprebn`, so its upstream gradient is the one of "
    "`hprebn`."
)
def dW1__batch_norm_skipped(dhpreact, embcat):
    return embcat.T @ dhpreact


@mistake(
    "You use `dbndiff`, which lacks the path through the batch's mean. The upstream gradient of this line is the one "
    "of `hprebn`."
)
def dW1__dbndiff_for_dhprebn(dbndiff, embcat):
    return embcat.T @ dbndiff


@mistake(
    "In the whole network this gradient is zero, up to rounding, since batch norm removes whatever a bias adds. But "
    "this function has to work for any upstream gradient: compute it from `dhprebn`."
)
def db1__zeros(b1):
    return torch.zeros_like(b1)


@mistake(
    "You average over the batch. The bias was copied into every row, and every copy's contribution counts in full."
)
def db1__mean(dhprebn):
    return dhprebn.mean(0)


@mistake("Each row's contribution is here, but `b1` is one vector for the whole batch: combine them.")
def db1__no_sum(dhprebn):
    return dhprebn


@mistake(
    "The numbers are right, the shape is not: `b1` is a vector, and your gradient is a matrix with one row. Leave out "
    "what keeps the dimension."
)
def db1__keepdim(dhprebn):
    return dhprebn.sum(0, keepdim=True)


@mistake("You add up over the neurons, which gives one number for each example. `b1` has one number for each neuron.")
def db1__wrong_axis(dhprebn):
    return dhprebn.sum(1)


@mistake(
    "You jump over the whole batch norm: `b1` is added into `hprebn`, so its upstream gradient is the one of `hprebn`."
)
def db1__batch_norm_skipped(dhpreact):
    return dhpreact.sum(0)


# --- embcat = emb.view(...), emb = C[Xb] ---


@mistake("The numbers are right, the shape is not yet that of `emb`: undo what the forward line did to the shape.")
def demb__not_reshaped(dembcat):
    return dembcat


@mistake(
    "The shape is right, but the numbers are in another order: you split each row into embedding features first and "
    "places second. In which order did the forward `view` lay them side by side?"
)
def demb__features_before_places(dembcat, emb):
    batch, block, embedding = emb.shape
    return dembcat.view(batch, embedding, block).transpose(1, 2)


@mistake(
    "The shape is right, but the numbers are in another order: examples and places are mixed up. A row of `dembcat` "
    "belongs to one example."
)
def demb__places_before_examples(dembcat, emb):
    batch, block, embedding = emb.shape
    return dembcat.view(block, batch, embedding).transpose(0, 1)


@mistake("There is a factor `emb` too many. Looking at the same numbers in another shape multiplies them by nothing.")
def demb__times_itself(dembcat, emb):
    return dembcat.view(emb.shape) * emb


@mistake(
    "A token that occurs several times keeps one of its contributions only: with `+=` as with `=`, `dC[Xb]` on the "
    "left writes each row once. Contributions of the same row have to be accumulated."
)
def dC__duplicates_lost(demb, C, Xb):
    gradient = torch.zeros_like(C)
    gradient[Xb] += demb
    return gradient


@mistake(
    "You average over a token's occurrences. A row that is used more often moves the loss more: its contributions add "
    "up."
)
def dC__mean_per_token(demb, C, Xb):
    gradient = torch.zeros_like(C).index_add_(0, Xb.view(-1), demb.view(-1, C.shape[1]))
    occurrences = torch.bincount(Xb.view(-1), minlength=C.shape[0]).clamp(min=1)
    return gradient / occurrences.view(-1, 1)


@mistake(
    "You add the gradient to the embeddings themselves. A gradient starts from zero and collects the contributions."
)
def dC__starts_from_C(demb, C, Xb):
    return C.clone().index_add_(0, Xb.view(-1), demb.view(-1, C.shape[1]))


@mistake(
    "Only the first place of every context comes back. A context has several places, and each of them looked up a row."
)
def dC__first_place_only(demb, C, Xb):
    return torch.zeros_like(C).index_add_(0, Xb[:, 0], demb[:, 0])


@mistake(
    "Each token gets the sum over its whole context. A place's gradient belongs to the token at that place only: pair "
    "`demb[i, j]` with `Xb[i, j]`."
)
def dC__whole_context_to_each_token(demb, C, Xb):
    gradient = torch.zeros_like(C)
    for place in range(Xb.shape[1]):
        gradient.index_add_(0, Xb[:, place], demb.sum(1))
    return gradient
