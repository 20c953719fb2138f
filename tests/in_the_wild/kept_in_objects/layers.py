"""Layers are classes, a list of them is run backwards, and the training loop gets its gradients from them.

lesson: 07
as: notebook
keeps: import torch
dC: passed | Read from `model.layers[0].dweight`
dbngain: failed
others: any
"""

vocab_size, block_size, n_embd, n_hidden, batch_size = 27, 3, 10, 100, 32

class Layer:
    def parameters(self):
        return []

class Embedding(Layer):
    def __init__(self, num, dim):
        self.weight = torch.randn((num, dim))
    def __call__(self, ix):
        self.ix = ix
        self.out = self.weight[ix]
        return self.out
    def backward(self, dout):
        self.dweight = torch.zeros_like(self.weight)
        for k in range(self.ix.shape[0]):
            for j in range(self.ix.shape[1]):
                self.dweight[self.ix[k, j]] += dout[k, j]
    def parameters(self):
        return [(self.weight, self.dweight)]

class Flatten(Layer):
    def __call__(self, x):
        self.shape = x.shape
        self.out = x.view(x.shape[0], -1)
        return self.out
    def backward(self, dout):
        return dout.view(self.shape)

class Linear(Layer):
    def __init__(self, fan_in, fan_out, scale):
        self.weight = torch.randn((fan_in, fan_out)) * scale
        self.bias = torch.randn(fan_out) * 0.1
    def __call__(self, x):
        self.x = x
        self.out = x @ self.weight + self.bias
        return self.out
    def backward(self, dout):
        self.dweight = self.x.T @ dout
        self.dbias = dout.sum(0)
        return dout @ self.weight.T
    def parameters(self):
        return [(self.weight, self.dweight), (self.bias, self.dbias)]

class BatchNorm(Layer):
    def __init__(self, dim, eps=1e-5):
        self.eps = eps
        self.gain = torch.randn((1, dim)) * 0.1 + 1.0
        self.bias = torch.randn((1, dim)) * 0.1
    def __call__(self, x):
        self.n = x.shape[0]
        self.mean = x.mean(0, keepdim=True)
        self.var = x.var(0, keepdim=True, unbiased=True)
        self.var_inv = (self.var + self.eps) ** -0.5
        self.raw = (x - self.mean) * self.var_inv
        self.out = self.gain * self.raw + self.bias
        return self.out
    def backward(self, dout):
        n = self.n
        self.dgain = (self.out * dout).sum(0, keepdim=True)
        self.dbias = dout.sum(0, keepdim=True)
        inner = n * dout - dout.sum(0) - n / (n - 1) * self.raw * (dout * self.raw).sum(0)
        return self.gain * self.var_inv / n * inner
    def parameters(self):
        return [(self.gain, self.dgain), (self.bias, self.dbias)]

class Tanh(Layer):
    def __call__(self, x):
        self.out = torch.tanh(x)
        return self.out
    def backward(self, dout):
        return (1 - self.out ** 2) * dout
# %%
class Network:
    def __init__(self, layers):
        self.layers = layers
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
    def backward(self, dout):
        for layer in reversed(self.layers):
            dout = layer.backward(dout)
    def step(self, lr):
        for layer in self.layers:
            for p, dp in layer.parameters():
                p -= lr * dp

model = Network([
    Embedding(vocab_size, n_embd), Flatten(),
    Linear(n_embd * block_size, n_hidden, (5/3) / (n_embd * block_size) ** 0.5), BatchNorm(n_hidden), Tanh(),
    Linear(n_hidden, vocab_size, 0.1),
])
# %%
with torch.no_grad():
    for i in range(1000):
        ix = torch.randint(0, Xtr.shape[0], (batch_size,))
        Xb, Yb = Xtr[ix], Ytr[ix]
        logits = model.forward(Xb)
        loss = F.cross_entropy(logits, Yb)
        dlogits = F.softmax(logits, 1)
        dlogits[range(batch_size), Yb] -= 1
        dlogits /= batch_size
        model.backward(dlogits)
        model.step(0.1 if i < 500 else 0.01)
