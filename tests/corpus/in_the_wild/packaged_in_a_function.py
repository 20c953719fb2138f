# lesson: 03

# === global_names: A function without a result, which makes every gradient a global name.
# as: notebook
# keeps: import torch | n_embd | batch_size | emb = C[Xb] | # utility function
# counts: 03
# dW1: shape | Your `dW1` is the transpose of the gradient. Write the shapes of the factors next to each other: over
#     which axis should the product sum?

@torch.no_grad()
def manual_backward():
    global dlogprobs, dprobs, dcounts_sum_inv, dcounts_sum, dcounts, dnorm_logits, dlogit_maxes, dlogits
    global dh, dW2, db2, dhpreact, dbngain, dbnbias, dbnraw, dbnvar_inv, dbnvar, dbndiff2, dbndiff, dbnmeani
    global dhprebn, dembcat, dW1, db1, demb, dC
    dlogprobs = torch.zeros_like(logprobs); dlogprobs[range(n), Yb] = -1.0/n
    dprobs = dlogprobs / probs
    dcounts_sum_inv = (dprobs*counts).sum(1, keepdims=True)
    dcounts_sum = -dcounts_sum_inv*counts_sum**-2
    dcounts = dprobs*counts_sum_inv + dcounts_sum
    dnorm_logits = dcounts*counts
    dlogit_maxes = -dnorm_logits.sum(1, keepdims=True)
    dlogits = dnorm_logits + F.one_hot(logits.argmax(1), vocab_size)*dlogit_maxes
    dh = dlogits @ W2.T
    dW2 = h.T @ dlogits
    db2 = dlogits.sum(0)
    dhpreact = dh * (1 - h*h)
    dbngain = (dhpreact*bnraw).sum(0, keepdims=True)
    dbnbias = dhpreact.sum(0, keepdims=True)
    dbnraw = dhpreact*bngain
    dbnvar_inv = (dbnraw*bndiff).sum(0, keepdims=True)
    dbnvar = dbnvar_inv * -0.5*(bnvar+1e-5)**(-3/2)
    dbndiff2 = 1/(n-1)*torch.ones_like(bndiff2)*dbnvar
    dbndiff = dbnraw*bnvar_inv + 2*bndiff*dbndiff2
    dbnmeani = -dbndiff.sum(0, keepdims=True)
    dhprebn = dbndiff + 1/n*dbnmeani
    dembcat = dhprebn @ W1.T
    dW1 = dhprebn.T @ embcat
    db1 = dhprebn.sum(0)
    demb = dembcat.view(emb.shape)
    dC = torch.zeros_like(C)
    for k in range(Xb.shape[0]):
      for j in range(Xb.shape[1]):
        dC[Xb[k,j]] += demb[k,j]
manual_backward()
cmp('W1', dW1, W1)
cmp('C', dC, C)

# === never_called: Functions that nothing calls: the message says so, instead of that no gradient is assigned.
# as: script
# alone: yes
# dh: missing | = `dh` in `h_bp` (mine.py, line 3) is not read: assign it to a variable `dh` outside of functions and
#     classes.
# dW2: missing | `dW2` in `W2_bp` (mine.py, line 6) is not read
# db2: missing | = `db2` in `b2_bp` (mine.py, line 9) is not read: assign it to a variable `db2` outside of functions
#     and classes.
# others: missing | assigns no
import torch
def h_bp(dlogits, W2):
    dh = dlogits @ W2.T
    return dh
def W2_bp(h, dlogits):
    dW2 = h.T @ dlogits
    return dW2
def b2_bp(dlogits):
    db2 = dlogits.sum(0); return db2
b2_bp(dlogits)
