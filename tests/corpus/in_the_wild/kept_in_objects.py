# lesson: 03
# as: notebook

# === network_object: A class is the whole network and keeps its gradients as attributes: the message says what to do.
# keeps: import torch
# dW1: missing | = `self.dW1` (mine.ipynb, cell 2, line 25) is not read: assign it to a variable `dW1` outside of
#     functions and classes.
# dlogits, dW2: missing | is not read: assign it to a variable
# others: missing

class MLP:
    def __init__(self, n_embd, n_hidden, vocab_size, block_size):
        self.C = torch.randn((vocab_size, n_embd))
        self.W1 = torch.randn((n_embd * block_size, n_hidden))
        self.W2 = torch.randn((n_hidden, vocab_size)) * 0.1
        for p in [self.C, self.W1, self.W2]:
            p.requires_grad = True

    def forward(self, Xb, Yb):
        self.Yb, self.n = Yb, Xb.shape[0]
        self.emb = self.C[Xb]
        self.embcat = self.emb.view(self.emb.shape[0], -1)
        self.h = torch.tanh(self.embcat @ self.W1)
        self.logits = self.h @ self.W2
        return F.cross_entropy(self.logits, Yb)

    def backward(self):
        self.dlogits = F.softmax(self.logits, 1)
        self.dlogits[range(self.n), self.Yb] -= 1
        self.dlogits /= self.n
        self.dW2 = self.h.T @ self.dlogits
        self.dh = self.dlogits @ self.W2.T
        self.dhpreact = (1.0 - self.h**2) * self.dh
        self.dW1 = self.embcat.T @ self.dhpreact

    def check(self, names):
        for name in names:
            t, dt = getattr(self, name), getattr(self, 'd' + name)
            print(name, torch.allclose(dt, t.grad), (dt - t.grad).abs().max().item())
# %%
net = MLP(10, 64, 27, 3)
loss = net.forward(Xtr[:32], Ytr[:32])
net.logits.retain_grad()
loss.backward()
net.backward()
net.check(['logits', 'W2', 'h', 'W1'])

# === one_class_a_layer: A class for each kind of layer with `weight_grad`: what is computed without a class is
#     graded.
# keeps: import torch | n_embd | batch_size | emb = C[Xb]
# others: missing
# dlogprobs, dprobs, dcounts_sum_inv: passed
# dcounts: passed | it skips a step
# dlogits: failed | Your `dlogits` is exactly the gradient of `norm_logits`.
# dh: missing | = `dh` cannot be taken out of mine.ipynb, cell 5, line 16: it uses the class `Linear`, and classes are
#     not read.
# dW2: missing

class Linear:
    def __init__(self, weight, bias):
        self.weight, self.bias = weight, bias

    def __call__(self, x):
        self.x = x
        return x @ self.weight + self.bias

    def backward(self, out_grad):
        self.weight_grad = self.x.T @ out_grad
        self.bias_grad = out_grad.sum(0)
        return out_grad @ self.weight.T


lin2 = Linear(W2, b2)
# %%
dlogprobs = torch.zeros_like(logprobs)
dlogprobs[range(n), Yb] = -1.0/n
dprobs = dlogprobs / probs
dcounts_sum_inv = (counts * dprobs).sum(1, keepdim=True)
dcounts = counts_sum_inv * dprobs - counts_sum**-2 * dcounts_sum_inv
dlogits = counts * dcounts
dh = lin2.backward(dlogits)
dW2, db2 = lin2.weight_grad, lin2.bias_grad
cmp('W2', dW2, W2)
