# === brackets_forgotten: Methods that are not called, axes that do not exist, and one element of a sum.
# lesson: 01
# by: both
# dp: shape | = `dp` returned a function; expected a tensor. Are the brackets missing that call it, as in `x.sum()`?
# dexponent: error | uses a function without calling it: `x.exp` is the function, `x.exp()` its result.
# db, dgrid: error | uses a function without calling it
# dW: error | `torch.dot` multiplies two vectors. Matrices are multiplied with `@`.
# dledger: error | The tensor has 3 axes and cannot be expanded to 2.
# dx: error | `transpose` needs the two axes that it swaps.
# dtile: error | An axis is a number

def dp(dadded):
    return dadded.item


def dexponent(dexponential, exponential):
    return dexponential * exponential.exp


def db(dz):
    return dz.sum[0]


def dgrid(dtotal, grid):
    return dtotal.expand(grid.size)


def dW(dz, x):
    return torch.dot(x, dz)


def dledger(drow_sums, ledger):
    return drow_sums.unsqueeze(0).expand_as(ledger)


def dx(dz, W):
    return dz.matmul(W.transpose())


def dtile(dtiled):
    return dtiled.sum(axis="rows")

# === fine_tuning: Slips of lesson 21 that used to get another slip's message: what undoes them by chance, or a hint
#     about another line.
# lesson: 21
# dx: error | = RuntimeError: The size of tensor a (8) must match the size of tensor b (2) at non-singleton dimension
#     2. Two tensors meet, element by element or in `@` in front of the last two axes, and along one axis one has 8
#     elements, the other 2. Which of them does not have the shape that you expect? Look at sums (which
#     axis, `keepdim=True`?) and at transposes.
#     You are given `B` (2, 10), `W` (8, 10), `dlogits` (3, 7, 10), `dup` (3, 7, 10).
# dkl: failed | In `torch.zeros_like(kl) * dkd`, every element is zero, and so is what it multiplies. With ones, your
# dlogp_l: failed | `-0.3 * dmargin`, 0.3 equals `beta`. Take it from what you are given.
# dlogits_w: failed | Yours is not zero in all of them: look at [0, 0, 0]. Why does a small change there change
# dgain: failed | `said / said.sum(1, keepdim=True) / len(said) / -dgrpo` divides by `-dgrpo`. Multiplied by it, your
#     `dgain`
# dratio: error | You write `advantage.squeeze(1)` where `advantage` belongs. With that, your `dratio` is right.
# accumulated: error | = With features 5, rank 2, vocabulary 7, alpha 3.0: TypeError: 'Tensor' object is not callable.
#     Here a variable hides a function of the same name (`dA` and `dB`): inside this function, such a name means the
#     variable. Give the variable another name.
# fine_tune: error | This is computed with your `accumulated`, which is not right yet: start there.

def dgain(dgrpo, said):
    return said / said.sum(1, keepdim=True) / len(said) / -dgrpo


def dx(dlogits, dup, W, B):
    return dlogits @ W.T + dup @ B.T


def dkl(dkd, kl, T):
    return torch.zeros_like(kl) * dkd * T**2 / len(kl)


def dlogp_l(dmargin):
    return -0.3 * dmargin


def dlogits_w(dlogp_w, logits_w, tokens_w, mask_w):
    g = F.one_hot(tokens_w, logits_w.shape[2]) - F.softmax(logits_w, 2)
    return g * (dlogp_w[:, None] * (mask_w - 1).exp())[..., None]


def dratio(dgain, ratio, advantage, clip):
    is_open = ratio * advantage <= ratio.clamp(1 - clip, 1 + clip) * advantage
    return dgain * is_open * advantage.squeeze(1)


def accumulated(pieces, W, A, B, alpha):
    scale = alpha / A.shape[1]
    total = sum(answer.sum() for _, _, answer in pieces)
    loss, dA, dB = 0.0, torch.zeros_like(A), torch.zeros_like(B)
    for x, targets, answer in pieces:
        down = x @ A
        logits = x @ W + down @ B * scale
        log_probs = F.log_softmax(logits, 2).gather(2, targets[..., None])[..., 0]
        loss -= (log_probs * answer).sum() / total
        of_up = dlogits(answer.sum() / total, logits, targets, answer) * scale
        dA += dA(ddown(of_up, B), x)
        dB += dB(of_up, down)
    return loss, dA, dB


step = lambda pieces, *layer: accumulated(pieces, *layer)


def fine_tune(batches, W, A, B, alpha, rate):
    losses = []
    for pieces in batches:
        loss, of_A, of_B = step(pieces, W, A, B, alpha)
        A, B = A - rate * of_A, B - rate * of_B
        losses.append(loss)
    return losses, A, B

# === labels_as_values: The labels are subtracted from the probabilities; then the examples are averaged.
# lesson: 04
# dlogits: error | You calculate with `Yb`, which holds whole numbers that are indices: is it meant as a value?
# in_one_go: error

def dlogits(logits, Yb, n):
    return (F.softmax(logits, 1) - Yb) / n

# === maximum_of_the_upstream: The maximum of the upstream gradients where a copy forward asks for their sum; the
#     values where places are asked for.
# lesson: 03
# by: dojo
# dlogit_maxes: failed | = `dnorm_logits.amax(1, keepdim=True)` does not call the function that belongs there. With
#     another one, your `dlogit_maxes` is right. Which function does the forward line apply, and what is its
#     derivative?
# dbnmeani: error | `max` along an axis returns two tensors: the values and the places where they are.
# dlogprobs: failed | changing those a little changes nothing that is computed from `logprobs`. Yours is not zero in all of
# dbnraw: failed | Suppose that `dhpreact` is zero except for a 1

def dlogit_maxes(dnorm_logits):
    return -dnorm_logits.amax(1, keepdim=True)


def dbnmeani(dbndiff):
    return -dbndiff.max(0, keepdim=True)


def dlogprobs(logprobs, n):
    return -logprobs / n


def dbnraw(dhpreact, bngain, bnraw):
    return bngain + dhpreact * bnraw

# === transposes_of_stacks: Matrices of two axes in mind where there is a stack of them; the forward pass's -inf; all
#     paths added up at once.
# lesson: 12
# dWo, dv: error | `.T` reverses all axes of a tensor that has more than two; `.transpose(-2, -1)` swaps the last two.
# dweights: error | = RuntimeError: Expected size for first two dimensions of batch2 tensor to be: [3, 5] but got: [3,
#     7]. In `dcontext @ v`, a transpose is missing, one too many, or in the wrong place. In the right form, your
#     `dweights` is right. Write the shapes next to each other: over which axis should the product sum?
# dscores: failed | = This writes the forward pass's -inf. How much does a score that was overwritten move the loss?
# dx: failed | = You add up before you multiply. A sum of products is not the product of sums: multiply each path
#     first.
# no_future: failed

def dWo(dout, context):
    return context.T @ dout


def dv(dcontext, weights):
    return weights.T @ dcontext


def dweights(dcontext, v):
    return dcontext @ v


def dscores(dmasked, past):
    return dmasked.masked_fill(~past, float("-inf"))


def dx(dq, dk, dv, Wq, Wk, Wv):
    return (dq + dk + dv) @ (Wq + Wk + Wv).T
