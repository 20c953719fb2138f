def loss_of(parameters, Xb, Yb):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    pre = C[Xb].view(len(Xb), -1) @ W1 + b1
    d = pre - pre.mean(0, keepdim=True)
    raw = d * ((d**2).sum(0, keepdim=True) / (len(Xb) - 1) + 1e-5) ** -0.5
    return F.cross_entropy(torch.tanh(bngain * raw + bnbias) @ W2 + b2, Yb)

# === train_by_differences: differences: trajectory resumed no_grad
def train(parameters, X, Y, batches, max_steps, start=0):
    losses, h = [], 1e-5
    with torch.no_grad():
        for step, ix in enumerate(batches, start):
            losses.append(float(loss_of(parameters, X[ix], Y[ix])))
            slopes = []
            for p in parameters:
                slope = torch.zeros_like(p)
                flat, out = p.view(-1), slope.view(-1)
                for j in range(len(flat)):
                    old = float(flat[j])
                    flat[j] = old + h
                    up = loss_of(parameters, X[ix], Y[ix])
                    flat[j] = old - h
                    out[j] = (up - loss_of(parameters, X[ix], Y[ix])) / (2 * h)
                    flat[j] = old
                slopes.append(slope)
            for p, slope in zip(parameters, slopes):
                p -= learning_rate(step, max_steps) * slope
    return losses

# === train_complex: complex numbers: trajectory resumed no_grad
def train(parameters, X, Y, batches, max_steps, start=0):
    losses = []
    with torch.no_grad():
        for step, ix in enumerate(batches, start):
            rate = learning_rate(step, max_steps)
            for i, p in enumerate(parameters):
                moved = [q + 0j for q in parameters]
                for j in range(p.numel()):
                    moved[i].view(-1)[j] += 1e-20j
                    C, W1, b1, W2, b2, bngain, bnbias = moved
                    pre = C[X[ix]].view(len(ix), -1) @ W1 + b1
                    d = pre - pre.mean(0, keepdim=True)
                    h = torch.tanh(bngain * d * ((d**2).sum(0, keepdim=True) / (len(ix) - 1) + 1e-5) ** -0.5 + bnbias)
                    z = h @ W2 + b2
                    loss = (z.exp().sum(1).log() - z[range(len(ix)), Y[ix]]).mean()
                    p.view(-1)[j] -= rate * loss.imag / 1e-20
                    moved[i].view(-1)[j] -= 1e-20j
            losses.append(float(loss.real))
    return losses

# === train_with_a_printed_check: a look-alike
def train(parameters, X, Y, batches, max_steps, start=0):
    losses = []
    with torch.no_grad():
        for step, ix in enumerate(batches, start):
            loss, slopes = gradients(parameters, X[ix], Y[ix])
            if step == 0:
                old, h = float(parameters[4][0]), 1e-5
                parameters[4][0] = old + h
                up = gradients(parameters, X[ix], Y[ix])[0]
                parameters[4][0] = old
                print("checked:", float(slopes[4][0]), float((up - loss) / h))
            update(parameters, slopes, learning_rate(step, max_steps))
            losses.append(loss.item())
    return losses

# === training_gradients: differences: dbnbias trajectory resumed no_grad
def gradients(parameters, Xb, Yb):
    loss, (dC, dW1, db1, dW2, db2, dbngain, dbnbias) = by_hand(parameters, Xb, Yb)
    old, h = parameters[6], 1e-5
    dbnbias = torch.zeros_like(old)
    for j in range(old.shape[1]):
        e = torch.zeros_like(old)
        e[0, j] = h
        plus = loss_of([*parameters[:6], old + e], Xb, Yb)
        minus = loss_of([*parameters[:6], old - e], Xb, Yb)
        dbnbias[0, j] = (plus - minus) / (2 * h)
    return loss, [dC, dW1, db1, dW2, db2, dbngain, dbnbias]

# === training_gradients_complex: complex numbers: db2 trajectory resumed no_grad
def gradients(parameters, Xb, Yb):
    loss, grads = by_hand(parameters, Xb, Yb)
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    pre = C[Xb].view(len(Xb), -1) @ W1 + b1
    d = pre - pre.mean(0, keepdim=True)
    h = torch.tanh(bngain * d * ((d**2).sum(0, keepdim=True) / (len(Xb) - 1) + 1e-5) ** -0.5 + bnbias)
    db2 = torch.zeros_like(b2)
    for j in range(len(b2)):
        b = b2 + 0j
        b[j] = b[j] + 1e-20j
        z = h @ W2 + b
        db2[j] = ((z.exp().sum(1).log() - z[range(len(Yb)), Yb]).mean().imag / 1e-20).to(b2.dtype)
    return loss, [grads[0], grads[1], grads[2], grads[3], db2, grads[5], grads[6]]

# === training_gradients_dual: own differentiation: dbngain
class D:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __mul__(self, o):
        return D(self.a * o.a, self.a * o.b + self.b * o.a)

def gradients(parameters, Xb, Yb):
    loss, (dC, dW1, db1, dW2, db2, _, dbnbias) = by_hand(parameters, Xb, Yb)
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    pre = C[Xb].view(len(Xb), -1) @ W1 + b1
    d = pre - pre.mean(0, keepdim=True)
    raw = d * ((d**2).sum(0, keepdim=True) / (len(Xb) - 1) + 1e-5) ** -0.5
    result = torch.zeros_like(bngain)
    for j in range(bngain.shape[1]):
        seed = torch.zeros_like(bngain)
        seed[0, j] = 1
        out = D(bngain, seed) * D(raw, torch.zeros_like(raw))
        h = torch.tanh(out.a + bnbias)
        z, t = h @ W2 + b2, ((1 - h**2) * out.b) @ W2
        p = F.softmax(z, 1)
        result[0, j] = ((p - F.one_hot(Yb, p.shape[1])) * t).sum() / len(Yb)
    return loss, [dC, dW1, db1, dW2, db2, result, dbnbias]

# === update_with_a_step: a look-alike
def update(parameters, gradients, learning_rate):
    for p, g in zip(parameters, gradients):
        new = p - learning_rate * g
        p.copy_(new)
