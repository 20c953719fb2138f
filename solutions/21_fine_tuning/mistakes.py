"""Known wrong formulas of lesson 21, each with the message that its author gets."""

import torch
import torch.nn.functional as F

from grader.lesson.mistakes import mistake_list


def from_targets(logits, targets):
    """The softmax minus one at the target: the gradient of a cross-entropy that is a sum."""
    return F.softmax(logits, 2) - F.one_hot(targets, logits.shape[2])


def one_hot_masked(logits, targets, mask):
    """The softmax minus one at the target, where the mask is 1; the softmax alone elsewhere."""
    return F.softmax(logits, 2) - F.one_hot(targets, logits.shape[2]) * mask[..., None]


def over_time(logits, targets):
    """The same with a softmax over the positions."""
    return F.softmax(logits, 1) - F.one_hot(targets, logits.shape[2])


def each_token(said):
    """The share of each token in the mean over the answers of the means over their tokens."""
    return said / said.sum(1, keepdim=True) / len(said)


def is_open(ratio, advantage, clip):
    return ratio * advantage <= ratio.clamp(1 - clip, 1 + clip) * advantage


def row_sum(matrix):
    return matrix.sum(1, keepdim=True)


ADAPTER = mistake_list("""
[dlogits]
nothing_masked: dsft * from_targets(logits, targets) / answer.numel()
    The prompts are learned as well, as if there were no loss mask. Which positions does `sft` read?
mask_only_counts: dsft * from_targets(logits, targets) / answer.sum()
    You divide by the number of answer tokens, but positions of the prompt get a gradient, too.
mask_after_the_mean: dsft * from_targets(logits, targets) * answer[..., None] / answer.numel()
    The divisor is the number of all positions, as if the mask came after the mean. Over which tokens is the mean?
mean_of_means: dsft * from_targets(logits, targets) * answer[..., None] / answer.sum(1)[:, None, None] / len(answer)
    This is a mean over examples of each example's mean. The loss is one mean over the answer tokens of all examples.
over_examples: dsft * from_targets(logits, targets) * answer[..., None] / len(answer)
    You divide by the number of examples. The loss is a mean over tokens.
no_mean: dsft * from_targets(logits, targets) * answer[..., None]
    This is the gradient of a sum. The loss is a mean over the tokens of the answers.
prompts_only: dsft * from_targets(logits, targets) * (1 - answer)[..., None] / answer.sum()
    The prompts are learned here and the answers are not. Where is `answer` 1?
no_upstream: from_targets(logits, targets) * answer[..., None] / answer.sum()
    `dsft` is missing. The loss may be one term of a larger one, with a factor of its own.
no_target: dsft * F.softmax(logits, 2) * answer[..., None] / answer.sum()
    One term is missing: the pull on the token that came. What must each row sum to?
target_only: -dsft * F.one_hot(targets, logits.shape[2]) * answer[..., None] / answer.sum()
    One term is missing: each logit is also in the sum of the softmax. What must each row sum to?
softmax_over_time: dsft * over_time(logits, targets) * answer[..., None] / answer.sum()
    The softmax runs over the positions. Along which axis do the probabilities sum to one?
log_softmax: dsft * (F.log_softmax(logits, 2) - F.one_hot(targets, logits.shape[2])) * answer[..., None] / answer.sum()
    You subtract from the log-probabilities. Which are the probabilities?
shifted_twice: dsft * from_targets(logits, targets.roll(-1, 1)) * answer[..., None] / answer.sum()
    The targets are shifted by one. `targets[b, t]` already is the token that position t has to predict.
one_hot_masked: dsft * one_hot_masked(logits, targets, answer) / answer.sum()
    The mask is on the one-hot part only. At a position of the prompt the softmax is not part of the loss, either.
logits_masked: dsft * from_targets(logits * answer[..., None], targets) / answer.sum()
    You mask the logits, so a prompt has an even distribution, but it still has a gradient. What has to be masked?
sum_of_means: dsft * from_targets(logits, targets) * (answer / answer.sum(1, keepdim=True))[..., None]
    Each example is divided by its own number of tokens. The loss divides by the answer tokens of all examples.

[dup]
no_scale: dlogits
    The constant between `up` and `logits` is missing. What does the line of `logits` multiply `up` by?
scale_squared: dlogits * (alpha / rank) ** 2
    The constant is applied twice. How often does `up` meet it on its way to `logits`?
alpha_only: dlogits * alpha
    Only alpha is here. What does the forward pass divide it by?
rank_only: dlogits / rank
    You divide by the rank. What else is in the constant of the line of `logits`?
inverse: dlogits * (rank / alpha)
    The constant is upside down. Going back multiplies by the same number as the forward pass.
root_of_rank: dlogits * (alpha / rank**0.5)
    You divide by the root of the rank, as a later paper proposes (rsLoRA). This forward pass divides by the rank.
of_features: dlogits * (alpha / x.shape[2])
    You divide alpha by the number of features. Which size does the line of `logits` take?
alpha_times_rank: dlogits * (alpha * rank)
    Alpha is multiplied by the rank. What does the line of `logits` do with it?

[dB]
sums_first: down.sum((0, 1))[:, None] @ dup.sum((0, 1))[None]
    This is a product of sums over all positions, which is not the sum of products: multiply at each position first.
examples_summed_first: down.sum(0).T @ dup.sum(0)
    These are products of sums over the examples, which are not the sum of products: multiply each example first.
positions_summed_first: down.sum(1).T @ dup.sum(1)
    These are products of sums over the positions, which are not the sum of products: multiply each position first.
scale_again: torch.einsum("btr,btv->rv", down, dup) * (alpha / rank)
    The constant is here twice: `dup` has it already.
scale_undone: torch.einsum("btr,btv->rv", down, dup) * (rank / alpha)
    You divide by the constant that `dup` has already. It is in the gradient once.
from_dlogits: torch.einsum("btr,btv->rv", down, dlogits)
    You start from `dlogits`. `B` makes `up`, and a constant lies between `up` and `logits`.
of_the_whole_weight: torch.einsum("btf,btv->fv", x, dup)
    This is the gradient of a whole weight from features to vocabulary. What does `B` multiply?
mean_over_positions: torch.einsum("btr,btv->rv", down, dup) / (len(down) * down.shape[1])
    This is a mean over all positions. The division of the loss is in `dup` already.
mean_over_examples: torch.einsum("btr,btv->rv", down, dup) / len(down)
    This is a mean over the examples. The division of the loss is in `dup` already.
last_position: down[:, -1].T @ dup[:, -1]
    Only the last position counts here. `B` is used at every position.
first_example: down[0].T @ dup[0]
    Only the first example counts here. `B` is used in every example.
reshaped: down.reshape(down.shape[2], -1) @ dup.flatten(0, 1)
    `reshape` and `view` keep the numbers in their order: neither makes a transpose. Flatten batch and time first, then
    transpose.

[ddown]
from_dlogits: dlogits @ B.T
    You start from `dlogits`. `down` goes into `up`, and a constant lies between `up` and `logits`.
scale_again: dup @ B.T * (alpha / rank)
    The constant is here twice: `dup` has it already.
scale_undone: dup @ B.T * (rank / alpha)
    You divide by the constant that `dup` has already. `down` meets it once on its way to the logits.
reshaped: dup @ B.reshape(B.shape[1], B.shape[0])
    This `B` has the right shape and its numbers in other places: reading them in another shape is not a transpose.
inverse: dup @ torch.linalg.pinv(B)
    This is an inverse of `B`. Going back through a product needs the transpose.
mean: dup @ B.T / B.shape[1]
    This is a mean over the vocabulary. One element of `down` moves all elements of `up`: their gradients are added.
times_down: dup @ B.T * down
    This multiplies by `down` itself. The local derivative of a product is the other factor alone.
through_the_layer: dlogits @ W.T @ A
    You go back through the frozen weight and forward through `A`. `down` does not reach the logits through `W`.
without_prompts: dup @ B.T * (answer[..., None])
    Positions outside the answers are cut off here. The mask is in the loss, and so in the upstream gradient.

[dA]
sums_first: x.sum((0, 1))[:, None] @ ddown.sum((0, 1))[None]
    `dA` multiplies sums over all positions. That is not the sum of products: multiply at each position first.
examples_summed_first: x.sum(0).T @ ddown.sum(0)
    `dA` is made of products of sums over the examples. These are not the sum of products: multiply each example first.
positions_summed_first: x.sum(1).T @ ddown.sum(1)
    `dA` is made of products of sums over the positions. These are not the sum of products: multiply each position
    first.
scale_again: torch.einsum("btf,btr->fr", x, ddown) * (alpha / rank)
    The constant is here twice: it came in with `dup`.
of_the_whole_weight: torch.einsum("btf,btv->fv", x, dup)
    This is the gradient of a whole weight from features to vocabulary. `A` makes `down`: what is its upstream gradient?
with_down: torch.einsum("btr,bts->rs", down, ddown)
    You multiply by `down`, which `A` makes. What does `A` multiply?
mean_over_positions: torch.einsum("btf,btr->fr", x, ddown) / (len(x) * x.shape[1])
    `dA` is divided by the number of positions. The division of the loss came in with the upstream gradient.
mean_over_examples: torch.einsum("btf,btr->fr", x, ddown) / len(x)
    `dA` is divided by the number of examples. The division of the loss came in with the upstream gradient.
last_position: x[:, -1].T @ ddown[:, -1]
    Only the last position counts here. `A` is used at every position.
first_example: x[0].T @ ddown[0]
    Only the first example counts here. `A` is used in every example.
reshaped: x.reshape(x.shape[2], -1) @ ddown.flatten(0, 1)
    `reshape` and `view` keep the numbers in their order: neither makes a transpose. Flatten batch and time first, then
    transpose.

[dx]
frozen_means_cut: ddown @ A.T
    The path through `W` is missing. A frozen weight gets no update, but the gradient passes through it.
adapter_skipped: dlogits @ W.T
    The path through the adapter is missing: `x` is read in the line of `down`, too.
merged_without_scale: dlogits @ (W + A @ B).T
    The path through the adapter lacks the constant, as if `W` and the adapter were merged without it.
scale_again: dlogits @ W.T + ddown @ A.T * (alpha / rank)
    The path through the adapter has the constant twice: it came in with `dup`.
scale_on_both: (dlogits @ W.T + ddown @ A.T) * (alpha / rank)
    Both paths are multiplied by the constant. The one through `W` has none, and `ddown` has it already.
dup_through_w: dup @ W.T + ddown @ A.T
    `dup` goes back through `W`. Which gradient arrives at `x @ W`?
subtracted: dlogits @ W.T - ddown @ A.T
    You subtract the two paths. `x` is used twice: what happens to the gradients of two uses?
averaged: (dlogits @ W.T + ddown @ A.T) / 2
    This is the mean of the two paths. `x` is used twice: what happens to the gradients of two uses?
merged_upside_down: dlogits @ (W + A @ B * (rank / alpha)).T
    The constant is upside down in the path through the adapter: which of alpha and rank divides?
""")

DISTILLATION = mistake_list("""
[dkl]
no_t_squared: dkd / len(kl) * torch.ones_like(kl)
    The factor in front of the mean is missing: the square of the temperature.
t_once: dkd * T / len(kl) * torch.ones_like(kl)
    The temperature is here once. Which power of it does the line of `kd` have?
slope_of_t_squared: dkd * 2 * T / len(kl) * torch.ones_like(kl)
    The factor is two times T, which is the slope of its square. T is a constant here: which power does the line of `kd`
    have?
divided_by_t_squared: dkd / T**2 / len(kl) * torch.ones_like(kl)
    You divide by the square of the temperature. What does the line of `kd` do?
no_mean: dkd * T**2 * torch.ones_like(kl)
    This is the gradient of a sum. The line of `kd` takes a mean: over how many numbers?
over_elements: dkd * T**2 / z.numel() * torch.ones_like(kl)
    You divide by the number of all logits. `kl` has one number for each position ("batchmean" in PyTorch).
over_vocabulary: dkd * T**2 / z.shape[1] * torch.ones_like(kl)
    You divide by the size of the vocabulary. Over how many numbers is the mean in the line of `kd`?
no_upstream: T**2 / len(kl) * torch.ones_like(kl)
    `dkd` is missing. The loss may be one term of a larger one, with a factor of its own.
times_kl: dkd * T**2 * kl / len(kl)
    This multiplies by `kl` itself. What is the local derivative of a mean?
one_number: dkd * T**2 / len(kl)
    This is one number. A gradient has the shape of its value: one number for each position.

[dlogq]
sign: dkl[:, None] * p
    The sign is wrong. With which sign is `logq` in the bracket of the line of `kl`?
student_for_teacher: -dkl[:, None] * logq.exp()
    These are the student's probabilities. In KL(p || q), by which ones is the bracket weighted?
teacher_without_t: -dkl[:, None] * F.softmax(v, 1)
    These are the teacher's probabilities without the temperature.
log_of_p: -dkl[:, None] * p.log()
    This multiplies by the logarithm of `p`. Which factor is in front of the bracket?
of_q: -dkl[:, None] * p / logq.exp()
    This is the gradient of q. The value here is its logarithm, and `kl` reads that directly.
two_steps: dkl[:, None] * (logq.exp() - p)
    This goes one step too far, through the log-softmax. `dlogq` is the gradient before that step.
bracket: dkl[:, None] * (p.log() - logq)
    This is the bracket of the line of `kl`: a value, not a derivative.
no_upstream: -p
    `dkl` is missing. Each row has a number of its own there.
mean_over_vocabulary: -dkl[:, None] * p / p.shape[1]
    You divide by the size of the vocabulary. Is `kl` a sum or a mean over it?
p_missing: -dkl[:, None].expand_as(logq)
    The factor in front of the bracket is missing.
of_p: -dkl[:, None] * (p.log() + 1)
    Up to the sign, this is the derivative of `p * p.log()` with respect to `p`. The teacher is a constant: where is
    `logq`?

[dz]
no_t: dlogq - logq.exp() * row_sum(dlogq)
    The division by the temperature is missing. `z` is divided by T before the softmax.
t_squared: (dlogq - logq.exp() * row_sum(dlogq)) / T**2
    You divide by T twice. How often does T lie between `z` and `logq`?
times_t: (dlogq - logq.exp() * row_sum(dlogq)) * T
    You multiply by the temperature. What does the forward pass do with `z`?
direct_path_only: dlogq / T
    One path is missing: each logit is also in the sum of the softmax, and through it in the whole row.
softmax_without_t: (dlogq - F.softmax(z, 1) * row_sum(dlogq)) / T
    This softmax has no temperature. Which probabilities belong to `logq`?
teacher_for_student: (dlogq - p * row_sum(dlogq)) / T
    These are the teacher's probabilities. Whose logits are `z`?
columns: (dlogq - logq.exp() * dlogq.sum(0)) / T
    The sum runs over the positions. Which numbers share one sum in a softmax?
mean: (dlogq - logq.exp() * dlogq.mean(1, keepdim=True)) / T
    The second path has the mean of the row of `dlogq`. It needs the sum.
of_softmax: logq.exp() * (dlogq - row_sum(dlogq * logq.exp())) / T
    This is the way back through a softmax. `logq` is the logarithm of one: what is its derivative?
logarithm_left: (dlogq - logq * row_sum(dlogq)) / T
    The sum is multiplied by the log-probabilities `logq`. It belongs to the probabilities.
no_probabilities: (dlogq - row_sum(dlogq)) / T
    The second path has no probabilities: each logit has a share of its own in the sum of the softmax.
from_the_loss: (logq.exp() - p) * T / len(z)
    This is the gradient for a loss with nothing behind it: `dkd` is not in it. Start from `dlogq`.
added: (dlogq + logq.exp() * row_sum(dlogq)) / T
    The second path has the wrong sign. A larger logit makes the sum larger, which is subtracted.
from_the_paper: (logq.exp() - p) / T
    This is the paper's gradient, whose upstream gradient is 1. Yours is given: start from `dlogq`.
""")

PREFERENCES = mistake_list("""
[dmargin]
own_sigmoid: -ddpo * torch.sigmoid(margin) / len(margin)
    This has the sigmoid of the margin itself: it is largest for pairs that are right already. Which pairs should count
    most?
sign: ddpo * torch.sigmoid(-margin) / len(margin)
    The sign is wrong: does a larger margin make the loss larger or smaller?
no_mean: -ddpo * torch.sigmoid(-margin)
    This is the gradient of a sum. The loss is a mean over the pairs.
slope_of_sigmoid: -ddpo * torch.sigmoid(margin) * torch.sigmoid(-margin) / len(margin)
    This is the slope of a sigmoid. The loss has its logarithm: by what does that divide?
beta_too_early: -ddpo * beta * torch.sigmoid(-margin) / len(margin)
    `beta` is here one step too early. It lies between the margin and the log-probabilities.
beta_in_sigmoid: -ddpo * torch.sigmoid(-beta * margin) / len(margin)
    `beta` is in the margin already.
one_over_sigmoid: -ddpo / torch.sigmoid(margin) / len(margin)
    This is the derivative of the logarithm alone. The slope of the sigmoid is missing.
value: -ddpo * F.logsigmoid(margin) / len(margin)
    This multiplies by the loss of each pair, which is a value and not a derivative.
hard: -ddpo * (margin < 0) / len(margin)
    This counts only the pairs that are in the wrong order. The sigmoid counts all pairs, some more and some less.
all_alike: -ddpo / len(margin) * torch.ones_like(margin)
    All pairs get the same number. How does the slope of the loss depend on the margin?
no_reference: -ddpo * torch.sigmoid(-beta * (logp_w - logp_l)) / len(margin)
    This margin has no reference in it. `margin` compares with the reference model.
no_upstream: -torch.sigmoid(-margin) / len(margin)
    `ddpo` is missing. The loss may be one term of a larger one, with a factor of its own.
tanh: -ddpo * (1 - torch.tanh(margin)) / len(margin)
    This has one minus a tanh. The loss has a sigmoid, whose range is 0 to 1.
log_sigmoid: -ddpo * F.logsigmoid(-margin) / len(margin)
    The logarithm is still there. What is the derivative of logsigmoid?

[dlogp_w]
no_beta: dmargin
    `beta` is missing: the margin is beta times a difference.
sign: -dmargin * beta
    The sign is wrong. With which sign is `logp_w` in the margin?
divided_by_beta: dmargin / beta
    You divide by `beta`. What does the line of `margin` do with it?
beta_squared: dmargin * beta**2
    `beta` is here twice. How often does the line of `margin` have it?
times_the_reward: dmargin * beta * (logp_w - ref_w)
    This multiplies by the difference itself. What is the local derivative of a difference?
from_the_loss: (torch.sigmoid(margin) - 1) * beta / len(margin)
    This starts from the loss again, and `ddpo` is not in it. Start from `dmargin`.
sigmoid_again: dmargin * beta * torch.sigmoid(-margin)
    The sigmoid is here twice: `dmargin` has it already.
mean_over_tokens: dmargin * beta / mask_w.sum(1)
    You divide by the length of the answer, as some later losses do. DPO's log-probability is a sum over the tokens.
mean_over_pairs: dmargin * beta / len(dmargin)
    You divide by the number of pairs. `dmargin` has this division already.
summed: dmargin.sum() * beta
    You add up the pairs. Each log-probability is in one margin only.
half: dmargin * beta / 2
    This is half of the gradient. Each of the two answers has the full local derivative.

[dlogp_l]
as_the_winner: dmargin * beta
    This is what the winning answer has to get. With which sign is `logp_l` in the margin?
no_beta: -dmargin
    `beta` is missing: the margin is beta times a difference.
divided_by_beta: -dmargin / beta
    You divide by `beta`. What does the line of `margin` do with it?
beta_squared: -dmargin * beta**2
    `beta` is here twice. How often does the line of `margin` have it?
times_the_reward: -dmargin * beta * (logp_l - ref_l)
    This multiplies by the difference itself. What is the local derivative of a difference?
sigmoid_again: -dmargin * beta * torch.sigmoid(-margin)
    The sigmoid is here twice: `dmargin` has it already.
mean_over_tokens: -dmargin * beta / mask_l.sum(1)
    You divide by the length of the answer, as some later losses do. DPO's log-probability is a sum over the tokens.
mean_over_pairs: -dmargin * beta / len(dmargin)
    You divide by the number of pairs. `dmargin` has this division already.
summed: -dmargin.sum() * beta
    You add up the pairs. Each log-probability is in one margin only.
half: -dmargin * beta / 2
    This is half of the gradient. Each of the two answers has the full local derivative.

[dlogits_w]
nothing_masked: -from_targets(logits_w, tokens_w) * dlogp_w[:, None, None]
    Prompt and padding get a gradient as well, as if there were no mask.
mask_flipped: -from_targets(logits_w, tokens_w) * (dlogp_w[:, None] * (1 - mask_w))[..., None]
    You let the gradient through where the mask is 0.
sign: from_targets(logits_w, tokens_w) * (dlogp_w[:, None] * mask_w)[..., None]
    This is the gradient of a cross-entropy, which is *minus* a log-probability. The sign is in `dlogp_w` already.
mean_over_tokens: -from_targets(logits_w, tokens_w) * (dlogp_w[:, None] * mask_w / row_sum(mask_w))[..., None]
    You divide by the number of tokens. The log-probability of an answer is a sum over them.
no_token: -F.softmax(logits_w, 2) * (dlogp_w[:, None] * mask_w)[..., None]
    One term is missing: that of the token itself. What must each row sum to?
token_only: F.one_hot(tokens_w, logits_w.shape[2]) * (dlogp_w[:, None] * mask_w)[..., None]
    One term is missing: each logit is also in the sum of the softmax. What must each row sum to?
no_upstream: -from_targets(logits_w, tokens_w) * mask_w[..., None]
    `dlogp_w` is missing. Each pair has a number of its own there.
tokens_of_the_loser: -from_targets(logits_w, tokens_l) * (dlogp_w[:, None] * mask_w)[..., None]
    These are the tokens of the losing answer.
mask_of_the_loser: -from_targets(logits_w, tokens_w) * (dlogp_w[:, None] * mask_l)[..., None]
    This is the mask of the losing answer.
softmax_over_time: -over_time(logits_w, tokens_w) * (dlogp_w[:, None] * mask_w)[..., None]
    The softmax runs over the positions. Along which axis do the probabilities sum to one?
of_the_probability:
        gradient = -from_targets(logits_w, tokens_w) * (dlogp_w[:, None] * mask_w)[..., None]
        gradient * F.softmax(logits_w, 2).gather(2, tokens_w[..., None])
    This is the gradient of a probability. `logp_w` is made of log-probabilities: one factor is too many.
mean_over_pairs: -from_targets(logits_w, tokens_w) * (dlogp_w[:, None] * mask_w)[..., None] / len(mask_w)
    You divide by the number of pairs. `dlogp_w` has this division already.
one_hot_masked: -one_hot_masked(logits_w, tokens_w, mask_w) * dlogp_w[:, None, None]
    The mask is on the one-hot part only. Where the mask is 0, the softmax is not in the sum, either.
logits_masked: -from_targets(logits_w * mask_w[..., None], tokens_w) * dlogp_w[:, None, None]
    You mask the logits, so a prompt has an even distribution, but it still has a gradient. What has to be masked?
tokens_masked: -from_targets(logits_w, tokens_w * mask_w.long()) * dlogp_w[:, None, None]
    Where the mask is 0, you put in token 0, which is a token like all others. What should the gradient be there?

[dlogits_l]
nothing_masked: -from_targets(logits_l, tokens_l) * dlogp_l[:, None, None]
    Prompt and padding get a gradient as well, as if there were no mask.
mask_flipped: -from_targets(logits_l, tokens_l) * (dlogp_l[:, None] * (1 - mask_l))[..., None]
    You let the gradient through where the mask is 0.
sign_again: from_targets(logits_l, tokens_l) * (dlogp_l[:, None] * mask_l)[..., None]
    The sign is wrong: a log-probability is *minus* a cross-entropy. That this answer is the losing one is in `dlogp_l`
    already.
mean_over_tokens: -from_targets(logits_l, tokens_l) * (dlogp_l[:, None] * mask_l / row_sum(mask_l))[..., None]
    You divide by the number of tokens. The log-probability of an answer is a sum over them.
no_token: -F.softmax(logits_l, 2) * (dlogp_l[:, None] * mask_l)[..., None]
    One term is missing: that of the token itself. What must each row sum to?
token_only: F.one_hot(tokens_l, logits_l.shape[2]) * (dlogp_l[:, None] * mask_l)[..., None]
    One term is missing: each logit is also in the sum of the softmax. What must each row sum to?
no_upstream: -from_targets(logits_l, tokens_l) * mask_l[..., None]
    `dlogp_l` is missing. Each pair has a number of its own there.
tokens_of_the_winner: -from_targets(logits_l, tokens_w) * (dlogp_l[:, None] * mask_l)[..., None]
    These are the tokens of the winning answer.
mask_of_the_winner: -from_targets(logits_l, tokens_l) * (dlogp_l[:, None] * mask_w)[..., None]
    This is the mask of the winning answer.
upstream_of_the_winner: -from_targets(logits_l, tokens_l) * (dlogp_w[:, None] * mask_l)[..., None]
    You start from `dlogp_w`. Which log-probability is made of these logits?
softmax_over_time: -over_time(logits_l, tokens_l) * (dlogp_l[:, None] * mask_l)[..., None]
    The softmax runs over the positions. Along which axis do the probabilities sum to one?
one_hot_masked: -one_hot_masked(logits_l, tokens_l, mask_l) * dlogp_l[:, None, None]
    The mask is on the one-hot part only. Where the mask is 0, the softmax is not in the sum, either.
logits_masked: -from_targets(logits_l * mask_l[..., None], tokens_l) * dlogp_l[:, None, None]
    You mask the logits, so a prompt has an even distribution, but it still has a gradient. What has to be masked?
tokens_masked: -from_targets(logits_l, tokens_l * mask_l.long()) * dlogp_l[:, None, None]
    Where the mask is 0, you put in token 0, which is a token like all others. What should the gradient be there?
""")

POLICY_GRADIENT = mistake_list("""
[dgain]
mean_over_all_tokens: -dgrpo * said / said.sum()
    This is one mean over the tokens of all answers, as in DAPO. GRPO first takes the mean of each answer.
mask_after_the_mean: -dgrpo * said / said.shape[1] / len(said)
    Every answer is divided by the number of all places, padding included. How many tokens does each answer have?
sum_over_tokens: -dgrpo * said / len(said)
    You add up the tokens of an answer. GRPO takes their mean.
sum_over_answers: -dgrpo * said / row_sum(said)
    You add up the answers. The loss takes their mean.
nothing_masked: -dgrpo / row_sum(said) / len(said) * torch.ones_like(said)
    Places after the end of an answer get a gradient as well: the mask only counts here.
padding_counts: -dgrpo / said.numel() * torch.ones_like(gain)
    This is a mean over all places, padding included. `said` is 1 where an answer has a token.
sign: dgrpo * each_token(said)
    The sign is wrong: the loss is *minus* the mean of the gains.
no_upstream: -each_token(said)
    `dgrpo` is missing. The loss may be one term of a larger one, with a factor of its own.
advantage_too_early: -dgrpo * advantage * each_token(said)
    The advantage is here one step too early: it lies between the gain and the ratio.
weighted: -dgrpo * weight * each_token(said)
    `weight` belongs to the penalty. Which factor does the gain have?
mean_over_columns: -dgrpo * said / said.sum(0).clamp(min=1) / said.shape[1]
    You divide by the number of answers that have a token at this place. Along which axis is an answer?

[dratio]
never_clipped: dgain * advantage
    The clip never stops the gradient here. Where does the gain no longer depend on the ratio?
both_sides: dgain * advantage * ((ratio - 1).abs() <= clip)
    The gradient stops on both sides. The minimum keeps the product that is not clipped if that one is smaller.
wrong_side: dgain * advantage * (ratio * advantage >= ratio.clamp(1 - clip, 1 + clip) * advantage)
    The clip is on the wrong side: this is the gradient of a maximum.
above_only: dgain * advantage * (ratio <= 1 + clip)
    Every ratio above the interval is stopped. With a negative advantage, which of the two products is smaller there?
below_only: dgain * advantage * (ratio >= 1 - clip)
    Every ratio below the interval is stopped. With a positive advantage, which of the two products is smaller there?
clipped_ratio: dgain * advantage * ratio.clamp(1 - clip, 1 + clip)
    This multiplies by the clipped ratio, a value. What is the local derivative of a clip where it clips?
ratio_too_early: dgain * advantage * ratio * is_open(ratio, advantage, clip)
    The ratio is here one step too early: it is the derivative of the exp in the line of `ratio`.
no_advantage: dgain * is_open(ratio, advantage, clip)
    The advantage is missing: both products have it as a factor.
value: dgain * gain
    This multiplies by the gain itself. What is the gain's derivative with respect to the ratio?
whole_answers: dgain * advantage * is_open(ratio, advantage, clip).all(1, keepdim=True)
    One clipped token stops the whole answer here. In GRPO each token has a ratio of its own.
size_of_advantage: dgain * advantage.abs() * is_open(ratio, advantage, clip)
    The sign of the advantage is lost: a bad answer is treated as a good one.
clipped_only: dgain * advantage * ~is_open(ratio, advantage, clip)
    The gradient passes exactly where it should stop.
lower_limit_is_clip: dgain * advantage * ~(((advantage > 0) & (ratio > 1 + clip)) | ((advantage < 0) & (ratio < clip)))
    The lower limit is `clip` itself here. Where does the interval begin?
around_zero: dgain * advantage * (ratio * advantage <= ratio.clamp(-clip, clip) * advantage)
    The upper limit is `clip` itself, as for a log-ratio, which is clipped around 0. Around which number is the ratio
    clipped?
symmetric_in_log: dgain * advantage * (ratio * advantage <= ratio.clamp(1 / (1 + clip), 1 + clip) * advantage)
    The lower limit is one over the upper one. What does the forward line subtract?
limits_swapped: dgain * advantage * (ratio * advantage <= ratio.clamp(1 + clip, 1 - clip) * advantage)
    The two limits have changed places.
upstream_where_closed: torch.where(is_open(ratio, advantage, clip), dgain * advantage, dgain)
    Where the clip stops the gradient, `dgain` is left. What is the derivative of a product that does not change?

[dpenalty]
sign: -dgrpo * weight * each_token(said)
    The sign is wrong: the penalty is subtracted, and then the whole mean is.
no_weight: dgrpo * each_token(said)
    `weight` is missing: how much does the penalty count?
weight_squared: dgrpo * weight**2 * each_token(said)
    `weight` is here twice. How often does the line of `grpo` have it?
divided_by_weight: dgrpo / weight * each_token(said)
    You divide by `weight`. What does the line of `grpo` do with it?
mean_over_all_tokens: dgrpo * weight * said / said.sum()
    This is one mean over the tokens of all answers. GRPO first takes the mean of each answer.
mask_after_the_mean: dgrpo * weight * said / said.shape[1] / len(said)
    Every answer is divided by the number of all places, padding included. How many tokens does each answer have?
sum_over_tokens: dgrpo * weight * said / len(said)
    You add up the tokens of an answer. GRPO takes their mean.
sum_over_answers: dgrpo * weight * said / row_sum(said)
    You add up the answers. The loss takes their mean.
nothing_masked: dgrpo * weight / row_sum(said) / len(said) * torch.ones_like(said)
    Places after the end of an answer get a gradient as well: the mask only counts here.
no_upstream: weight * each_token(said)
    `dgrpo` is missing. The loss may be one term of a larger one, with a factor of its own.
with_advantage: dgrpo * weight * advantage * each_token(said)
    The advantage belongs to the gain. The penalty does not depend on the reward.

[dlogp]
no_ratio: dratio + dpenalty * (1 - (ref - logp).exp())
    The derivative of the ratio with respect to `logp` is missing. It is an exp: what is the derivative of exp?
divided_by_ratio: dratio / ratio + dpenalty * (1 - (ref - logp).exp())
    `dratio` has one over the ratio as its factor, as if the ratio were a logarithm. It is an exp.
no_penalty: dratio * ratio
    The path through the penalty is missing: `logp` is read in two lines.
penalty_only: dpenalty * (1 - (ref - logp).exp())
    The path through the ratio is missing: `logp` is read in two lines.
penalty_sign: dratio * ratio + dpenalty * ((ref - logp).exp() - 1)
    The path through the penalty has the wrong sign. With which sign is `logp` in the penalty's two terms?
log_ratio_only: dratio * ratio + dpenalty
    The exp of the penalty is missing: the penalty's derivative has two terms.
exp_only: dratio * ratio - dpenalty * (ref - logp).exp()
    One term of the penalty's derivative is missing: `ref - logp` is subtracted there, too.
sides_swapped: dratio * ratio + dpenalty * (1 - (logp - ref).exp())
    Policy and reference are swapped in the exponent of the penalty. Which of the two is subtracted from the other?
old_for_reference: dratio * ratio + dpenalty * (1 - (old - logp).exp())
    You compare with the policy that drew the answers. The penalty compares with the reference.
ratio_for_reference: dratio * ratio + dpenalty * (1 - ratio)
    The penalty uses the ratio to the policy that drew the answers. It compares with the reference.
value: dratio * ratio + dpenalty * penalty
    This multiplies by the penalty itself. What is its derivative?
added: dratio * ratio + dpenalty * (1 + (ref - logp).exp())
    The two terms of the penalty's derivative have opposite signs: it is zero where policy and reference agree.
ratio_on_both: (dratio + dpenalty * (1 - (ref - logp).exp())) * ratio
    The penalty's path is multiplied by the ratio as well. The penalty reads `logp` directly.
""")

PARTS = mistake_list("""
[accumulated]
- share = answer.sum() / total
mean_over_pieces: share = 1 / len(pieces)
    All pieces count alike, so a token in a short piece counts more. The loss is the mean over the tokens of all pieces.
by_examples: share = len(x) / sum(len(piece[0]) for piece in pieces)
    Pieces are weighted by their examples. The loss is a mean over tokens of answers: how many does each piece have?
by_positions: share = answer.numel() / sum(piece[2].numel() for piece in pieces)
    Pieces are weighted by all of their positions. Prompts and padding are not in the loss.
sum_of_means: share = 1.0
    This adds up the means of the pieces, so more pieces give a larger loss. Over what is the loss a mean?
sum_of_tokens: share = answer.sum()
    This is the sum over all tokens. The loss is the mean over the tokens of all pieces.
divided_again: share = answer.sum() / total / len(pieces)
    You also divide by the number of pieces. Dividing by the number of all tokens is enough.
running_total:
        place = [each[2] is answer for each in pieces].index(True)
        share = answer.sum() / sum(each[2].sum() for each in pieces[: place + 1])
    The total grows while the loop runs, so each piece has another divisor. Which one holds for all of them?
- loss += mean * share
loss_of_means: loss += mean / len(pieces)
    The loss is a mean over pieces, while the gradients are those of a mean over tokens.
last_loss: loss = mean * share
    The loss is that of the last piece alone. What happens to the terms of the pieces?
loss_summed: loss += mean
    The losses of the pieces are added up. The loss is the mean over the tokens of all pieces.
loss_of_prompts: loss -= log_probs.sum() / total
    The mask is missing in the loss. The gradients have it.
loss_over_examples: loss -= (log_probs * answer).sum(1).mean()
    The loss adds up means over examples. It is one mean over the tokens of all pieces, as your gradients have it.
- of_A += dA(ddown(of_up, B), x)
- of_B += dB(of_up, down)
last_piece:
        of_A = dA(ddown(of_up, B), x)
        of_B = dB(of_up, down)
    The gradients are those of the last piece alone. Is there a `=` where `+=` belongs?
a_step_for_each_piece:
        of_A += dA(ddown(of_up, B), x)
        of_B += dB(of_up, down)
        B = B - of_B
    You change `B` between two pieces. All pieces belong to the same A and B: the step comes after the last one.
- logits = x @ W + down @ B * scale
no_scale_forward: logits = x @ W + down @ B
    The constant alpha / rank is missing in the forward pass.
frozen_only: logits = x @ W
    The forward pass leaves the adapter out.
- of_up = dlogits(share, logits, targets, answer) * scale
no_scale_backward: of_up = dlogits(share, logits, targets, answer)
    The constant alpha / rank is missing on the way back.
scale_squared: of_up = dlogits(share, logits, targets, answer) * scale**2
    The constant alpha / rank is there twice on the way back.
gradients_over_pieces: of_up = dlogits(1 / len(pieces), logits, targets, answer) * scale
    The gradients are a mean over the pieces. The loss is right: it is a mean over tokens.
not_masked: of_up = dlogits(answer.numel() / total, logits, targets, torch.ones_like(answer)) * scale
    The loss is masked and the gradients are not: prompts and padding are learned as well.
- scale = alpha / A.shape[1]
alpha_only: scale = alpha
    The adapter is multiplied by alpha alone. What is alpha divided by?
by_features: scale = alpha / A.shape[0]
    Alpha is divided by the number of features. `A` is (features, rank): which size is the rank?
- for x, targets, answer in pieces:
prompts_as_well: for x, targets, answer in [(x, targets, torch.ones_like(answer)) for x, targets, answer in pieces]:
    The loss and the gradients read the prompts as well: the mask only counts here.

[fine_tune]
- A, B = A - rate * of_A, B - rate * of_B
ascent: A, B = A + rate * of_A, B + rate * of_B
    These steps go uphill. In which direction does a gradient point?
only_b: B = B - rate * of_B
    `A` never changes. Both matrices of the adapter are trained.
only_a: A = A - rate * of_A
    `B` never changes. Both matrices of the adapter are trained.
one_after_the_other:
        A = A - rate * of_A
        B = B - rate * accumulated(pieces, W, A, B, alpha)[2]
    The gradient of `B` is computed after `A` has moved. Both gradients of a step belong to the same A and B.
b_first:
        B = B - rate * of_B
        A = A - rate * accumulated(pieces, W, A, B, alpha)[1]
    The gradient of `A` is computed after `B` has moved. Both gradients of a step belong to the same A and B.
rate_by_pieces: A, B = A - rate / len(pieces) * of_A, B - rate / len(pieces) * of_B
    Each step is divided by the number of pieces. `accumulated` returns the gradient of the whole batch.
no_rate: A, B = A - of_A, B - of_B
    The learning rate is missing.
in_place:
        A.sub_(rate * of_A)
        B.sub_(rate * of_B)
    The tensors that you were given have changed. Make new ones.
decayed: A, B = A - rate * (of_A + 0.01 * A), B - rate * (of_B + 0.01 * B)
    Both matrices also shrink by themselves (weight decay). Plain gradient descent subtracts the gradient alone.
last_step_missing: A, B = (A - rate * of_A, B - rate * of_B) if len(losses) + 1 < len(batches) else (A, B)
    The step of the last batch is missing: there is one for each loss.
- loss, of_A, of_B = accumulated(pieces, W, A, B, alpha)
first_batch: loss, of_A, of_B = accumulated(batches[0], W, A, B, alpha)
    Every step uses the first batch.
first_piece: loss, of_A, of_B = accumulated(pieces[:1], W, A, B, alpha)
    Every step uses one piece of its batch. A step needs the gradient of the whole batch.
rate_for_alpha: loss, of_A, of_B = accumulated(pieces, W, A, B, rate)
    You pass the learning rate on as alpha.
all_batches: loss, of_A, of_B = accumulated([piece for each in batches for piece in each], W, A, B, alpha)
    Every step uses all batches at once. Each has a batch of its own.
- losses.append(loss)
loss_afterwards: losses.append(accumulated(pieces, W, A, B, alpha)[0])
    The losses are those after each step. Which loss belongs to the gradients of a step?
loss_over_pieces: losses.append(sum(accumulated([each], W, A, B, alpha)[0] for each in pieces) / len(pieces))
    The losses are means over the pieces. The loss of a batch is the mean over its tokens.
in_front: losses.insert(0, loss)
    The last loss comes first in the list.
- loss, of_A, of_B = accumulated(pieces, W, A, B, alpha)
- A, B = A - rate * of_A, B - rate * of_B
a_step_for_each_piece:
        loss = 0
        for piece in pieces:
            mean, of_A, of_B = accumulated([piece], W, A, B, alpha)
            A, B, loss = A - rate * of_A, B - rate * of_B, loss + mean / len(pieces)
    This takes a step after each piece. The pieces of a batch belong to one step.
- losses = []
- for pieces in batches:
-     loss, of_A, of_B = accumulated(pieces, W, A, B, alpha)
-     A, B = A - rate * of_A, B - rate * of_B
never_zeroed:
        losses, of_A, of_B = [], 0, 0
        for pieces in batches:
            loss, *found = accumulated(pieces, W, A, B, alpha)
            of_A, of_B = of_A + found[0], of_B + found[1]
            A, B = A - rate * of_A, B - rate * of_B
    The gradients of all steps so far are added up, as if they were not set to zero between two steps.
momentum:
        losses, of_A, of_B = [], 0, 0
        for pieces in batches:
            loss, *found = accumulated(pieces, W, A, B, alpha)
            of_A, of_B = 0.9 * of_A + found[0], 0.9 * of_B + found[1]
            A, B = A - rate * of_A, B - rate * of_B
    Part of the earlier gradients is in each step (momentum). Plain gradient descent subtracts that of one batch.
from_the_start:
        losses, start = [], (A, B)
        for pieces in batches:
            loss, of_A, of_B = accumulated(pieces, W, *start, alpha)
            A, B = start[0] - rate * of_A, start[1] - rate * of_B
    Each step starts from the first A and B again. It has to go on from those of the step before.

[group_advantages]
no_deviation: rewards - rewards.mean(1, keepdim=True)
    The rewards are centred, but not divided by the deviation of their group.
biased: (rewards - rewards.mean(1, keepdim=True)) / (rewards.std(1, keepdim=True, unbiased=False) + 1e-4)
    This deviation has the divisor `group`. Which divisor does the docstring ask for?
over_everything: (rewards - rewards.mean()) / (rewards.std() + 1e-4)
    Mean and deviation are those of all rewards. An answer is compared with those to the same prompt.
deviation_of_everything: (rewards - rewards.mean(1, keepdim=True)) / (rewards.std() + 1e-4)
    The deviation is that of all rewards. Each group has one of its own.
other_axis: (rewards - rewards.mean(0)) / (rewards.std(0) + 1e-4)
    This compares answers to different prompts. Along which axis is a group?
variance: (rewards - rewards.mean(1, keepdim=True)) / (rewards.var(1, keepdim=True) + 1e-4)
    You divide by the variance. The deviation is its root.
small_number_inside: (rewards - rewards.mean(1, keepdim=True)) / (rewards.var(1, keepdim=True) + 1e-4).sqrt()
    The small number is added to the variance, before the root. It belongs after the root.
no_small_number: (rewards - rewards.mean(1, keepdim=True)) / rewards.std(1, keepdim=True)
    Where all rewards of a group are equal, you divide zero by zero.
smaller_number: (rewards - rewards.mean(1, keepdim=True)) / (rewards.std(1, keepdim=True) + 1e-8)
    The number that you add to the deviation is smaller than the one in the docstring.
number_outside: (rewards - rewards.mean(1, keepdim=True)) / rewards.std(1, keepdim=True).clamp(min=1e-4)
    A deviation that is large enough is left as it is: a lower limit? The small number has to be added to the deviation.
no_mean: rewards / (rewards.std(1, keepdim=True) + 1e-4)
    The mean of the group is not subtracted. Which answers should become less likely?
divided_by_mean: (rewards - rewards.mean(1, keepdim=True)) / (rewards.mean(1, keepdim=True) + 1e-4)
    You divide by the mean of the group. By what does the formula divide?
larger_number: (rewards - rewards.mean(1, keepdim=True)) / (rewards.std(1, keepdim=True) + 1e-3)
    The number that you add to the deviation is larger than the one in the docstring.
range: (rewards - rewards.mean(1, keepdim=True)) / (rewards.amax(1, True) - rewards.amin(1, True) + 1e-4)
    You divide by the range of the group, its largest reward minus its smallest. The formula has the deviation.
median: (rewards - rewards.median(1, keepdim=True).values) / (rewards.std(1, keepdim=True) + 1e-4)
    You subtract the median of the group. The formula has the mean.
no_divisor: centred = rewards - rewards.mean(1, keepdim=True); centred / (centred.norm(dim=1, keepdim=True) + 1e-4)
    You divide by the root of the sum of squares. Before the root, the deviation divides that sum.

[dlogp_by_sequence]
- ratio = (((logp - old) * said).sum(1, keepdim=True) / count).exp()
ratio_of_tokens: ratio = (logp - old).exp()
    Each token has a ratio of its own here, as in GRPO. An answer has one ratio for all its tokens.
ratio_of_sums: ratio = ((logp - old) * said).sum(1, keepdim=True).exp()
    The ratio is made of the sum over the tokens. The exponent is their mean.
padding_in_ratio: ratio = (logp - old).mean(1, keepdim=True).exp()
    The mean in the ratio is over all places. `said` is 1 where the answer has a token.
sum_not_masked: ratio = ((logp - old).sum(1, keepdim=True) / count).exp()
    The sum in the ratio is over all places, and only its divisor is that of the answer. Where is `said` 1?
- ratio = (((logp - old) * said).sum(1, keepdim=True) / count).exp()
- is_open = ratio * advantage <= ratio.clamp(1 - clip, 1 + clip) * advantage
- return -advantage * is_open * ratio / len(logp) * said / count
whole_probability:
        ratio = ((logp - old) * said).sum(1, keepdim=True).exp()
        is_open = ratio * advantage <= ratio.clamp(1 - clip, 1 + clip) * advantage
        return -advantage * is_open * ratio / len(logp) * said
    This is the ratio of the answers' whole probabilities. The exponent is the mean over the tokens, not their sum.
- ratio = (((logp - old) * said).sum(1, keepdim=True) / count).exp()
mean_of_ratios: ratio = ((logp - old).exp() * said).sum(1, keepdim=True) / count
    This is a mean of the tokens' ratios. The mean comes first, and then exp.
upside_down: ratio = (((old - logp) * said).sum(1, keepdim=True) / count).exp()
    The ratio is upside down. Which of the two probabilities is divided by the other?
old_not_detached: ratio = torch.ones_like(advantage)
    This is the gradient for a ratio of one, as if `old` were the policy itself. `old` is fixed when the answers are
    drawn.
- is_open = ratio * advantage <= ratio.clamp(1 - clip, 1 + clip) * advantage
- return -advantage * is_open * ratio / len(logp) * said / count
never_clipped: return -advantage * ratio / len(logp) * said / count
    The clip never stops the gradient here.
both_sides: return -advantage * ((ratio - 1).abs() <= clip) * ratio / len(logp) * said / count
    The gradient stops on both sides. The minimum keeps the product that is not clipped if that one is smaller.
above_only: return -advantage * (ratio <= 1 + clip) * ratio / len(logp) * said / count
    Every ratio above the interval is stopped. With a negative advantage, which of the two products is smaller there?
wrong_side:
        is_open = ratio * advantage >= ratio.clamp(1 - clip, 1 + clip) * advantage
        return -advantage * is_open * ratio / len(logp) * said / count
    The clip is on the wrong side: this is the gradient of a maximum.
gate_of_tokens:
        own = (logp - old).exp()
        is_open = own * advantage <= own.clamp(1 - clip, 1 + clip) * advantage
        return -advantage * is_open * ratio / len(logp) * said / count
    Each token's own ratio decides here where the clip stops. An answer has one ratio, and all of its tokens share it.
limits_of_the_log:
        is_open = ratio.log() * advantage <= ratio.log().clamp(-clip, clip) * advantage
        return -advantage * is_open * ratio / len(logp) * said / count
    These are the limits of a clip of the mean log-ratio. The loss clips the ratio.
clipped_ratio: return -advantage * ratio.clamp(1 - clip, 1 + clip) / len(logp) * said / count
    The clipped ratio is a factor here, and the gradient never stops. What is the derivative of a clipped product?
value_of_the_minimum:
        gain = torch.minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage)
        return -gain / len(logp) * said / count
    This is the value of the minimum. What is its derivative where the clipped product is the smaller one?
- return -advantage * is_open * ratio / len(logp) * said / count
no_ratio: return -advantage * is_open / len(logp) * said / count
    The derivative of the ratio with respect to its exponent is missing. It is an exp: what is the derivative of exp?
no_mean_over_answers: return -advantage * is_open * ratio * said / count
    You add up the answers. The loss takes their mean.
no_mean_over_tokens: return -advantage * is_open * ratio / len(logp) * said
    The gradient is not divided by the number of the answer's tokens: the exponent of the ratio is a mean.
all_places: return -advantage * is_open * ratio / len(logp) / count * torch.ones_like(logp)
    Places after the end of an answer get a gradient as well.
mean_over_all_tokens: return -advantage * is_open * ratio * said / said.sum()
    This is one mean over the tokens of all answers. The loss is a mean over the answers.
longest: return -advantage * is_open * ratio / len(logp) * said / logp.shape[1]
    Every answer is divided by the number of all places, padding included. How many tokens does each answer have?
sign: return advantage * is_open * ratio / len(logp) * said / count
    The sign is wrong: the loss is *minus* the mean.
no_advantage: return -(is_open * ratio) / len(logp) * said / count
    The advantage is missing: both products have it as a factor.
""")
