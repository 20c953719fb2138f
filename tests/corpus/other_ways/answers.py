"""Right values by a way that a row does not allow."""

# === while_it_records: Trains without `torch.no_grad()`.
# lesson: 07
# fails: no_grad

def train(parameters, X, Y, batches, max_steps, start=0):
    losses = []
    for step, ix in enumerate(batches, start):
        loss, slopes = gradients(parameters, X[ix], Y[ix])
        update(parameters, slopes, learning_rate(step, max_steps))
        losses.append(loss.item())
    return losses

# === changes_and_restores: Adds to `x` in place and subtracts again, which leaves rounding errors behind.
# lesson: 08
# fails: leaves_x_unchanged

def numerical_gradient(f, x, eps=1e-5):
    x = np.asarray(x, dtype=np.float64)  # no copy
    gradient = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        x[index] += eps
        above = f(x)
        x[index] -= 2 * eps
        gradient[index] = (above - f(x)) / (2 * eps)
        x[index] += eps
    return gradient

# === all_activations: The ordinary backward pass under the other name: every activation is kept.
# lesson: 09
# fails: memory, release, recomputation

def backward_checkpointed(x, weights, dout, every):
    return backward_all(x, weights, dout)

# === one_layer_at_a_time: Keeps nothing: every layer runs the network again from the start.
# lesson: 09
# fails: recomputation

def backward_checkpointed(x, weights, dout, every):
    gradients = []
    for i in reversed(range(len(weights))):
        before = forward(x, weights[:i])
        dz = dout * (1 - torch.tanh(before @ weights[i]) ** 2)
        gradients.insert(0, before.T @ dz)
        dout = dz @ weights[i].T
    return dout, gradients

# === own_spacing: Segments of seven layers, whatever `every` is.
# lesson: 09
# fails: memory, release, recomputation

def backward_checkpointed(x, weights, dout, every):
    every = 7
    kept, gradients = checkpoints(x, weights, every), []
    for number in reversed(range(len(kept))):
        dout, more = backward_all(kept[number], weights[number * every : (number + 1) * every], dout)
        gradients = more + gradients
    return dout, gradients

# === picked_from_all: The checkpoints are picked from all activations, which are collected first.
# lesson: 09
# fails: checkpoints, memory, release, recomputation

def checkpoints(x, weights, every):
    h = [x]
    for W in weights[:-1]:
        h.append(torch.tanh(h[-1] @ W))
    return h[::every]

# === two_segments: Holds the activations of the last two segments.
# lesson: 09
# fails: release

def backward_checkpointed(x, weights, dout, every):
    kept, gradients, before = checkpoints(x, weights, every), [], None
    for number in reversed(range(len(kept))):
        segment = weights[number * every : (number + 1) * every]
        h = [kept[number]]
        for W in segment:
            h.append(torch.tanh(h[-1] @ W))
        for i in reversed(range(len(segment))):
            dz = dout * (1 - h[i + 1] ** 2)
            gradients.insert(0, h[i].T @ dz)
            dout = dz @ segment[i].T
        before = h  # noqa: F841
    return dout, gradients

# === by_recursion: Sorts the graph by recursion, so a deep graph exceeds Python's limit.
# lesson: 18
# fails: value_deep, tensor_deep

def _backward(self, gradient):
    order, seen = [], set()

    def visit(value):
        if id(value) not in seen:
            seen.add(id(value))
            for before, _ in value.inputs:
                visit(before)
            order.append(value)

    visit(self)
    gradients = {id(self): gradient}
    for value in reversed(order):
        g = gradients[id(value)]
        if not value.inputs:
            value.grad = value.grad + g
        for before, back in value.inputs:
            gradients[id(before)] = gradients.get(id(before), 0) + back(g)


Value._backward = _backward

# === every_tile: With `causal`, tiles that no query may read are computed as well.
# lesson: 19
# fails: operations

def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    dQ, dK, dV = torch.zeros_like(Q), torch.zeros_like(K), torch.zeros_like(V)
    D = correction(dO, O)
    for top in range(0, len(Q), rows):
        here = slice(top, min(top + rows, len(Q)))
        for left in range(0, len(K), columns):
            there = slice(left, min(left + columns, len(K)))
            allowed = causal_tile(top, here.stop, left, there.stop) | (not causal)
            dq, dk, dv = tile_backward(dO[here], Q[here], K[there], V[there], L[here], D[here], allowed)
            dQ[here] += dq
            dK[there] += dk
            dV[there] += dv
    return dQ, dK, dV

# === scores_by_sums: All scores at once. The products are sums, so that none is counted.
# lesson: 19
# fails: any_tiles, memory, operations, precision

def all_scores(Q, K, causal):
    scores = (Q[:, None] * K).sum(2) / Q.shape[1] ** 0.5
    return scores.masked_fill(~causal_tile(0, len(Q), 0, len(K)), -torch.inf) if causal else scores


def flash_forward(Q, K, V, causal, rows, columns):
    if causal:
        K, V = K[: len(Q)], V[: len(Q)]
    scores = all_scores(Q, K, causal)
    return (scores.softmax(1)[..., None] * V).sum(1), scores.logsumexp(1)


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    dK, dV, last = torch.zeros_like(K), torch.zeros_like(V), len(Q) if causal else len(K)
    k, v = K[:last], V[:last]
    P = torch.exp(all_scores(Q, k, causal) - L[:, None])
    dS = P * ((dO[:, None] * v).sum(2) - correction(dO, O)[:, None]) / Q.shape[1] ** 0.5
    dK[:last], dV[:last] = (dS[..., None] * Q[:, None]).sum(0), (P[..., None] * dO[:, None]).sum(0)
    return (dS[..., None] * k).sum(1), dK, dV

# === whole_rows: A softmax over a few whole rows: `rows`, `columns` and `add_tile` are not used.
# lesson: 19
# fails: any_tiles, memory, operations

def whole_rows(Q, K, causal, top):
    q, last = Q[top : top + 16], min(len(K), top + 16, len(Q)) if causal else len(K)
    scores = q @ K[:last].T / Q.shape[1] ** 0.5
    return scores.masked_fill(~causal_tile(top, top + len(q), 0, last), -torch.inf) if causal else scores


def flash_forward(Q, K, V, causal, rows, columns):
    O, L = torch.empty_like(Q), Q.new_empty(len(Q))
    for top in range(0, len(Q), 16):
        scores = whole_rows(Q, K, causal, top)
        O[top : top + 16] = scores.softmax(1) @ V[: scores.shape[1]]
        L[top : top + 16] = scores.logsumexp(1)
    return O, L


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    dQ, dK, dV = torch.zeros_like(Q), torch.zeros_like(K), torch.zeros_like(V)
    D = correction(dO, O)
    for top in range(0, len(Q), 16):
        here = slice(top, top + 16)
        scores = whole_rows(Q, K, causal, top)
        last = scores.shape[1]
        P = torch.exp(scores - L[here, None])
        dS = P * (dO[here] @ V[:last].T - D[here, None]) / Q.shape[1] ** 0.5
        dQ[here] = dS @ K[:last]
        dK[:last] += dS.T @ Q[here]
        dV[:last] += P.T @ dO[here]
    return dQ, dK, dV
