"""A factor on what comes through the MLP, in a function that goes back through a whole GPT.

lesson: 15
dgain3: passed
loss: passed
clip: passed
dW2: failed | = In `2 * through_mlp`, `2` is one too many. Without it, this gradient is right. What is the local
    derivative of the forward line?
dwte: failed | = In `2 * through_mlp`, `2` is one too many. Without it, this gradient is right. What is the
    local derivative of the forward line?
others: any
"""


def norm_forward(x, gain):
    r = 1 / torch.sqrt((x**2).mean(-1, keepdim=True) + 1e-5)
    return gain * x * r


def forward(parameters, X, heads):
    P = parameters
    B, T = X.shape
    C = P["wte"].shape[1]
    mask = torch.tril(torch.ones(T, T)) == 0
    x = P["wte"][X] + P["wpe"][:T]
    cache = []
    for l in range(P["Wq"].shape[0]):
        c = {"x": x}
        c["normed"] = norm_forward(x, P["gain1"][l])
        c["q"] = split_heads(c["normed"] @ P["Wq"][l], heads)
        c["k"] = split_heads(c["normed"] @ P["Wk"][l], heads)
        c["v"] = split_heads(c["normed"] @ P["Wv"][l], heads)
        scores = c["q"] @ c["k"].transpose(-2, -1) / math.sqrt(C // heads)
        scores = scores.masked_fill(mask, float("-inf"))
        c["att"] = torch.softmax(scores, dim=-1)
        c["merged"] = merge_heads(c["att"] @ c["v"])
        c["mid"] = x + c["merged"] @ P["Wo"][l]
        c["scaled"] = norm_forward(c["mid"], P["gain2"][l])
        c["pre"] = c["scaled"] @ P["W1"][l]
        c["act"] = F.gelu(c["pre"])
        x = c["mid"] + c["act"] @ P["W2"][l]
        cache.append(c)
    final = norm_forward(x, P["gain3"])
    logits = final @ P["wte"].T
    return logits, cache, x, final


def gradients(parameters, X, Y, heads):
    P = parameters
    B, T = X.shape
    V, C = P["wte"].shape
    logits, cache, xlast, final = forward(P, X, heads)
    known = Y >= 0
    n = known.sum()
    logp = torch.log_softmax(logits, -1)
    loss = -logp[known].gather(1, Y[known].unsqueeze(1)).mean()
    grads = {name: torch.zeros_like(p) for name, p in P.items()}
    # head
    dlogits = torch.softmax(logits, -1)
    dlogits -= F.one_hot(Y.clamp(min=0), V)
    dlogits = dlogits * known.unsqueeze(-1) / n
    grads["wte"] += dlogits.reshape(-1, V).T @ final.reshape(-1, C)
    dfinal = dlogits @ P["wte"]
    dx, grads["gain3"] = rms_norm_backward(dfinal, xlast, P["gain3"])
    for l in range(len(cache) - 1, -1, -1):
        c = cache[l]
        # mlp
        grads["W2"][l] = (c["act"].transpose(1, 2) @ dx).sum(0)
        dact = dx @ P["W2"][l].T
        dpre = gelu_backward(dact, c["pre"])
        grads["W1"][l] = (c["scaled"].transpose(1, 2) @ dpre).sum(0)
        dscaled = dpre @ P["W1"][l].T
        through_mlp, grads["gain2"][l] = rms_norm_backward(dscaled, c["mid"], P["gain2"][l])
        dmid = dx + 2 * through_mlp
        # attention
        grads["Wo"][l] = (c["merged"].transpose(1, 2) @ dmid).sum(0)
        dmerged = dmid @ P["Wo"][l].T
        dheads = split_heads(dmerged, heads)
        dv = c["att"].transpose(-2, -1) @ dheads
        datt = dheads @ c["v"].transpose(-2, -1)
        dscores = c["att"] * (datt - (datt * c["att"]).sum(-1, keepdim=True))
        dscores = dscores / math.sqrt(C // heads)
        dq = merge_heads(dscores @ c["k"])
        dk = merge_heads(dscores.transpose(-2, -1) @ c["q"])
        dv = merge_heads(dv)
        grads["Wq"][l] = (c["normed"].transpose(1, 2) @ dq).sum(0)
        grads["Wk"][l] = (c["normed"].transpose(1, 2) @ dk).sum(0)
        grads["Wv"][l] = (c["normed"].transpose(1, 2) @ dv).sum(0)
        dnormed = dq @ P["Wq"][l].T + dk @ P["Wk"][l].T + dv @ P["Wv"][l].T
        through_att, grads["gain1"][l] = rms_norm_backward(dnormed, c["x"], P["gain1"][l])
        dx = dmid + through_att
    grads["wpe"][:T] = dx.sum(0)
    grads["wte"].index_add_(0, X.reshape(-1), dx.reshape(-1, C))
    return loss, grads
