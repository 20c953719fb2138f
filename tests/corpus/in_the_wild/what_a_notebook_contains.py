# as: notebook

# === a_gradient_missing_in_the_loop: The loop assigns no gradient of the bias of batch norm, and nothing else is
#     wrong.
# lesson: 07
# alone: yes
# base: training_loop
# dW2, db2, dbngain, dW1, db1, dC, loss: passed
# dbnbias: missing | = The training loop in mine.ipynb, cell 1 assigns no `dbnbias`.
# others: missing

# instead of: dbnbias =

# === a_letter_is_missing: A line reads `dlogit`, which nothing assigns: the row is missing.
# lesson: 03
# keeps: import torch | n_embd | batch_size | emb = C
# dh: missing | = `dh` cannot be taken out of mine.ipynb, cell 5, line 2: it uses `dlogit`, which nothing
#     above assigns.
# dW2, db2: passed
# others: missing

dh = dlogit @ W2.T
dW2 = h.T @ dlogits
db2 = dlogits.sum(0)

# === a_loop_with_a_counter: The loop reads a counter of its own, which is not what a step is given.
# lesson: 07
# alone: yes
# base: training_loop
# dW2, db2, dbngain, dbnbias, dW1, db1, dC, loss: missing | = The training loop cannot be taken out of mine.ipynb,
#     cell 1, line 18: it uses `i`, which is not a value of the forward pass.
# others: missing

# instead of: dlogits /= n
dlogits /= n * (1 + i)

# === autograd_in_its_place: Gradients are copied from autograd: one after a formula of its own, which counts, one in
#     its place, one in a formula.
# lesson: 03
# alone: yes
# dlogprobs: passed
# dprobs: missing | = `dprobs = probs.grad.clone()` in mine.ipynb, cell 1, line 5 is autograd's gradient. Write your
#     own formula.
# dcounts_sum_inv: error | = TypeError: unsupported operand type(s) for *: 'Tensor' and 'NoneType'. Your code reads
#     `.grad`, which is None here: autograd has not run. Compute the gradient from the upstream gradient and the
#     forward values.
# others: missing

dlogprobs = torch.zeros_like(logprobs)
dlogprobs[range(n), Yb] = -1.0/n
dlogprobs = logprobs.grad  # mine is right, too
dprobs = probs.grad.clone()
dcounts_sum_inv = (counts * probs.grad).sum(1, keepdim=True)

# === batch_norm_alone: Exercise 3 alone: lesson 05 also asks for a layer, which the notebook has no place for.
# lesson: 05
# keeps: import torch | n_embd | batch_size | emb = C[Xb]
# counts: 03 05
# dhprebn: passed
# others: missing | The lecture's notebook has no such row.

# %%
dhpreact = (1.0 - h**2) * ((F.softmax(logits, 1) - F.one_hot(Yb, vocab_size)) / n @ W2.T)
dhprebn = bngain*bnvar_inv/n * (n*dhpreact - dhpreact.sum(0) - n/(n-1)*bnraw*(dhpreact*bnraw).sum(0))
