"""Each gradient is an attribute of its tensor, next to autograd's; one is wrong.

lesson: 03
as: notebook
keeps: import torch | n_embd | # utility function | batch_size | emb = C[Xb]
dcounts_sum: failed | The size is right, the sign is not.
dlogprobs: passed
others: any
"""

logprobs.man = torch.zeros_like(logprobs)
logprobs.man[range(n), Yb] = -1.0/n
probs.man = logprobs.man / probs
counts_sum_inv.man = (counts * probs.man).sum(1, keepdim=True)
counts_sum.man = counts_sum**-2 * counts_sum_inv.man
counts.man = counts_sum_inv * probs.man
counts.man += counts_sum.man
norm_logits.man = counts * counts.man
logit_maxes.man = -norm_logits.man.sum(1, keepdim=True)
for t in (logprobs, probs, counts_sum_inv, counts_sum, counts, norm_logits, logit_maxes):
    print(torch.allclose(t.man, t.grad))
