"""The forward pass and a part of the chain in a loop that runs once: as without the loop.

lesson: 03
as: script
alone: yes
counts: 03
dlogprobs: passed
dprobs: passed
dcounts_sum_inv: passed
dcounts_sum: passed
dcounts: passed
dnorm_logits: passed
dlogit_maxes: passed
dlogits: passed
dW2: passed
db2: passed
others: missing | assigns no
"""
for i in range(1):
    emb = C[Xb]; embcat = emb.view(n, -1); hprebn = embcat @ W1 + b1
    bnmeani = hprebn.sum(0, keepdim=True) / n; bndiff = hprebn - bnmeani; bndiff2 = bndiff ** 2
    bnvar = bndiff2.sum(0, keepdim=True) / (n - 1); bnvar_inv = (bnvar + 1e-5) ** -0.5; bnraw = bndiff * bnvar_inv
    hpreact = bngain * bnraw + bnbias; h = torch.tanh(hpreact); logits = h @ W2 + b2
    logit_maxes = logits.max(1, keepdim=True).values; norm_logits = logits - logit_maxes; counts = norm_logits.exp()
    counts_sum = counts.sum(1, keepdim=True); counts_sum_inv = counts_sum ** -1; probs = counts * counts_sum_inv; logprobs = probs.log()
    loss = -logprobs[range(n), Yb].mean()
    dlogprobs = torch.zeros_like(logprobs); dlogprobs[range(n), Yb] = -1.0 / n; dprobs = dlogprobs / probs
    dcounts_sum_inv = (dprobs * counts).sum(1, keepdim=True); dcounts_sum = -dcounts_sum_inv * counts_sum ** -2
    dcounts = dprobs * counts_sum_inv + dcounts_sum; dnorm_logits = dcounts * counts
    dlogit_maxes = -dnorm_logits.sum(1, keepdim=True)
    dlogits = dnorm_logits + F.one_hot(logits.argmax(1), logits.shape[1]) * dlogit_maxes
    dW2 = h.T @ dlogits; db2 = dlogits.sum(0)
