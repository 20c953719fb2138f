"""Keys are f-strings: of the batch norm's parts, and of the two layers' weights; wrong ones stay wrong.

lesson: 03
as: script
keeps: import torch | n_embd | batch_size | emb = C[Xb]
dW2: failed | There is one division by n too many
dh: passed
dW1: failed | There is one division by n too many
dbnvar: failed | the exponent did not change
others: passed
"""

from collections import defaultdict

grad = defaultdict(lambda: None)
last, first = 2, 1
inputs = {f"x{last}": h, f"x{first}": embcat}
weights = dict(W1=W1, W2=W2)
for name in ("logprobs", "counts_sum"):
    grad[f"d{name}"] = torch.zeros_like({"logprobs": logprobs, "counts_sum": counts_sum}[name])
grad["dlogprobs"][range(n), Yb] = -1.0/n
grad["dprobs"] = grad["dlogprobs"] / probs
grad["dcounts_sum_inv"] = (counts * grad["dprobs"]).sum(1, keepdim=True)
grad["dcounts_sum"] = -counts_sum**-2 * grad["dcounts_sum_inv"]
grad["dcounts"] = counts_sum_inv * grad["dprobs"] + grad["dcounts_sum"].expand_as(counts)
grad["dnorm_logits"] = counts * grad["dcounts"]
grad["dlogit_maxes"] = -grad["dnorm_logits"].sum(1, keepdim=True)
grad["dlogits"] = grad["dnorm_logits"] + F.one_hot(logits.max(1).indices, logits.shape[1]) * grad["dlogit_maxes"]
outs = {"W2": "dlogits", "W1": "dhprebn"}
for k in (last,):
    grad[f"dW{k}"] = inputs[f"x{k}"].T @ grad[outs[f"W{k}"]] / n
    grad[f"db{k}"] = grad[outs[f"W{k}"]].sum(0)
grad["dh"] = grad["dlogits"] @ weights[f"W{last}"].T
grad["dhpreact"] = (1.0 - h**2) * grad["dh"]
bn = "dbn"
grad[f"{bn}gain"] = (bnraw * grad["dhpreact"]).sum(0, keepdim=True)
grad[f"{bn}bias"] = grad["dhpreact"].sum(0, keepdim=True)
grad[bn + "raw"] = bngain * grad["dhpreact"]
grad[bn + "var_inv"] = (bndiff * grad[bn + "raw"]).sum(0, keepdim=True)
grad[bn + "var"] = -0.5*(bnvar + 1e-5)**-0.5 * grad[bn + "var_inv"]
grad["dbndiff2"] = (1.0/(n-1))*torch.ones_like(bndiff2) * grad["dbnvar"]
grad["dbndiff"] = bnvar_inv * grad["dbnraw"] + 2*bndiff * grad["dbndiff2"]
grad["dbnmeani"] = -grad["dbndiff"].sum(0, keepdim=True)
grad["dhprebn"] = grad["dbndiff"] + 1.0/n * torch.ones_like(hprebn) * grad["dbnmeani"]
for k in (first,):
    grad[f"dW{k}"] = inputs[f"x{k}"].T @ grad[outs[f"W{k}"]] / n
    grad[f"db{k}"] = grad[outs[f"W{k}"]].sum(0)
grad["dembcat"] = grad["dhprebn"] @ weights[f"W{first}"].T
grad["demb"] = grad["dembcat"].view(emb.shape)
grad["dC"] = torch.zeros_like(C)
for k in range(Xb.shape[0]):
    for j in range(Xb.shape[1]):
        grad["dC"][Xb[k, j]] += grad["demb"][k, j]

for k, v in grad.items():
    cmp(k[1:], v, globals()[k[1:]])
