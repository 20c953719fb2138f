"""The batch is written as the training set's rows at drawn places, wherever it is used.

lesson: 03
as: notebook
alone: yes
dlogprobs: passed | Read from `grad_logprobs`
dprobs: error | IndexError
dC: passed | Read from `grad_embedding`
others: missing
"""

for step in range(max_steps):
    idx = torch.randint(0, xtr.shape[0], (batch_size,), generator=g)
    emb = embedding[xtr[idx]]
    embcat = emb.view(batch_size, -1)
    logprobs = probs.log()
    loss = -logprobs[range(batch_size), ytr[idx]].mean()
    break

grad_logprobs = torch.zeros_like(logprobs)
grad_logprobs[range(batch_size), ytr[idx]] = -(batch_size**-1)
grad_probs = grad_logprobs / probs[ytr[idx], 10_000]
grad_embedding = torch.zeros_like(embedding)
for k in range(xtr[idx].shape[0]):
    for j in range(xtr[idx].shape[1]):
        grad_embedding[xtr[idx][k, j]] += demb[k, j]
cmp("logprobs", grad_logprobs, logprobs)
cmp("probs", grad_probs, probs)
cmp("embedding", grad_embedding, embedding)
