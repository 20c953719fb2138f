# === a_case_left_out: A branch that is reached and raises NotImplementedError is an error; one that is never reached
#     is nothing.
# lesson: 01
# by: both
# dexponent: error | = NotImplementedError. Your code raises this itself: the case that it stands for is not written
#     yet.
# closed_share: error | NotImplementedError. Your code raises this itself: the case that it stands for is not written
#     yet.

def dexponent(dexponential, exponential):
    if exponential.ndim == 2:
        raise NotImplementedError
    return dexponential * exponential


def closed_share(h, threshold):
    if h.ndim == 2:
        raise NotImplementedError
    return (h > threshold).float().mean().item()


def mean_gate(h):
    if h.ndim > 5:
        raise NotImplementedError
    return (1 - h**2).mean().item()

# === none_after_the_formulas: The template's line of Nones is left below the formulas of the loop.
# lesson: 07
# as: script
# alone: yes
# dW2: missing | `dW2` is computed in mine.py, line
# db2: missing | sets it to None again.
# others: any


for i in range(max_steps):
    ix = torch.randint(0, Xtr.shape[0], (batch_size,), generator=g)
    Xb, Yb = Xtr[ix], Ytr[ix]
    emb = C[Xb]; embcat = emb.view(emb.shape[0], -1); hprebn = embcat @ W1 + b1
    bnmean = hprebn.mean(0, keepdim=True); bnvar = hprebn.var(0, keepdim=True, unbiased=True)
    bnvar_inv = (bnvar + 1e-5) ** -0.5; bnraw = (hprebn - bnmean) * bnvar_inv
    h = torch.tanh(bngain * bnraw + bnbias); logits = h @ W2 + b2
    loss = F.cross_entropy(logits, Yb)
    dlogits = F.softmax(logits, 1); dlogits[range(n), Yb] -= 1; dlogits /= n
    dW2 = h.T @ dlogits; db2 = dlogits.sum(0)
    dC, dW1, db1, dW2, db2, dbngain, dbnbias = [None] * 7
    grads = [dC, dW1, db1, dW2, db2, dbngain, dbnbias]
    for p, grad in zip(parameters, grads): p.data += -0.1 * grad

# === raise_is_left: The formula is there, and the stub's `raise` still ends the function.
# lesson: 03
# dhpreact: todo | The function has code, and `raise NotImplementedError` still ends it.
# dprobs: todo | `raise NotImplementedError` still ends it.
# db2: todo | =

def dhpreact(dh, h):
    gradient = (1 - h**2) * dh
    raise NotImplementedError


def dprobs(dlogprobs, probs):
    raise NotImplementedError
    return dlogprobs / probs


def db2(dlogits):
    """The stub as it came."""
    raise NotImplementedError

# === text_of_ones_own: A stub whose error has the student's own text is a stub: one file, one verdict.
# lesson: 01
# by: both
# dp, dq, du, dv, closed_share: todo
# dpositive: error | NotImplementedError: only for two axes

def dp(dadded):
    # first the others
    raise NotImplementedError("TODO")


def dq(dadded):
    """Not today."""
    raise NotImplementedError()


def later():
    raise NotImplementedError("later")


def du(dproduct, v):
    return later()


def dv(dproduct, u):
    local = u * 1
    raise NotImplementedError("what now?")
    return local


def dpositive(dlogarithm, positive):
    if positive.ndim == 3:
        return dlogarithm / positive
    raise NotImplementedError("only for two axes")


def closed_share(h, threshold):
    raise NotImplementedError("TODO: count them")
