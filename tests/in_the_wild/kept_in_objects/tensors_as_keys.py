"""A dictionary whose keys are the tensors; a defaultdict of numbers and an update with `|=` for the rest.

lesson: 03
as: notebook
keeps: import torch | n_embd | # utility function | batch_size | emb = C[Xb]
dlogprobs: passed | Read from
dprobs: passed | Read from
dcounts_sum_inv: passed | Read from
dcounts_sum: passed | Read from
dcounts: passed | Read from
dnorm_logits: passed | Read from
dlogit_maxes: passed | Read from
dlogits: failed
others: missing
"""

from collections import defaultdict

grad = {}
grad[logprobs] = torch.zeros_like(logprobs)
grad[logprobs][range(n), Yb] = -1.0/n
grad[probs] = grad[logprobs] / probs
grad[counts_sum_inv] = (counts * grad[probs]).sum(1, keepdim=True)
more = defaultdict(float)
more["counts_sum"] += -counts_sum**-2 * grad[counts_sum_inv]
more["counts"] += counts_sum_inv * grad[probs]
more["counts"] += more["counts_sum"]
more |= {"norm_logits": counts * more["counts"]}
more |= {"logit_maxes": -more["norm_logits"].sum(1, keepdim=True)}
more |= {"logits": more["norm_logits"] + more["logit_maxes"]}
