"""A dictionary of lists holds the gradients of both linear layers; activations are in another one.

lesson: 03
as: notebook
keeps: import torch | n_embd | batch_size | emb = C[Xb]
dlogits: passed
dhprebn: passed
dW2: passed
db2: passed
db1: passed
dembcat: passed
dW1: error | In `embcat @ dhprebn.T`, a transpose is missing, or there is one too many
others: passed
"""

params = {"W": [W1, W2], "b": [b1, b2]}
act = {"x": [embcat, h], "z": [hprebn, logits]}
grads = {"W": [None, None], "b": [None, None], "z": [None] * 2, "x": []}

def backward():
    dlogprobs = torch.zeros_like(logprobs)
    dlogprobs[range(n), Yb] = -1.0/n
    dprobs = dlogprobs / probs
    dcounts_sum_inv = (counts * dprobs).sum(1, keepdim=True)
    dcounts_sum = -counts_sum**-2 * dcounts_sum_inv
    dcounts = counts_sum_inv * dprobs + torch.ones_like(counts) * dcounts_sum
    dnorm_logits = counts * dcounts
    dlogit_maxes = -dnorm_logits.sum(1, keepdim=True)
    grads["z"][1] = dnorm_logits + F.one_hot(logits.max(1).indices, num_classes=logits.shape[1]) * dlogit_maxes
    grads["W"][1] = act["x"][1].T @ grads["z"][1]
    grads["b"][1] = grads["z"][1].sum(0)
    dh = grads["z"][1] @ params["W"][1].T
    dhpreact = (1.0 - h**2) * dh
    dbngain = (bnraw * dhpreact).sum(0, keepdim=True)
    dbnbias = dhpreact.sum(0, keepdim=True)
    dbnraw = bngain * dhpreact
    dbnvar_inv = (bndiff * dbnraw).sum(0, keepdim=True)
    dbnvar = -0.5*(bnvar + 1e-5)**-1.5 * dbnvar_inv
    dbndiff2 = (1.0/(n-1))*torch.ones_like(bndiff2) * dbnvar
    dbndiff = bnvar_inv * dbnraw + 2*bndiff * dbndiff2
    dbnmeani = -dbndiff.sum(0, keepdim=True)
    grads["z"][0] = dbndiff + 1.0/n * torch.ones_like(hprebn) * dbnmeani
    grads["W"][0] = act["x"][0] @ grads["z"][0].T
    grads["b"][0] = grads["z"][0].sum(0)
    grads["x"].append(grads["z"][0] @ params["W"][0].T)
    demb = grads["x"][-1].view(emb.shape)
    dC = torch.zeros_like(C)
    dC.index_add_(0, Xb.view(-1), demb.view(-1, C.shape[1]))
    return dlogprobs, dprobs, dC

backward()
# %%
for i in range(2):
    cmp(f"W{i + 1}", grads["W"][i], params["W"][i])
    cmp(f"b{i + 1}", grads["b"][i], params["b"][i])
cmp("logits", grads["z"][1], logits)
cmp("hprebn", grads["z"][0], hprebn)
cmp("embcat", grads["x"][0], embcat)
