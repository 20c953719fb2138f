"""A class is the whole network and keeps its gradients as attributes: the message says what to do.

lesson: 03
as: notebook
keeps: import torch
dW1: missing | = `self.dW1` (mine.ipynb, cell 2, line 74) is part of an object, which is not read: assign it to a variable
    `dW1`.
others: missing | is part of an object, which is not read: assign it to a variable
"""

n_embd, n_hidden, vocab_size, block_size, batch_size = 10, 64, 27, 3, 32
g = torch.Generator().manual_seed(2147483647)

class MLP:
    def __init__(self, eps=1e-5):
        self.eps = eps
        self.C = torch.randn((vocab_size, n_embd), generator=g)
        self.W1 = torch.randn((n_embd * block_size, n_hidden), generator=g) * (5/3)/((n_embd * block_size)**0.5)
        self.b1 = torch.randn(n_hidden, generator=g) * 0.1
        self.W2 = torch.randn((n_hidden, vocab_size), generator=g) * 0.1
        self.b2 = torch.randn(vocab_size, generator=g) * 0.1
        self.bngain = torch.randn((1, n_hidden))*0.1 + 1.0
        self.bnbias = torch.randn((1, n_hidden))*0.1
        for p in self.parameters():
            p.requires_grad = True

    def parameters(self):
        return [self.C, self.W1, self.b1, self.W2, self.b2, self.bngain, self.bnbias]

    def forward(self, Xb, Yb):
        n = Xb.shape[0]
        self.Xb, self.Yb, self.n = Xb, Yb, n
        self.emb = self.C[Xb]
        self.embcat = self.emb.view(self.emb.shape[0], -1)
        self.hprebn = self.embcat @ self.W1 + self.b1
        self.bnmeani = 1/n*self.hprebn.sum(0, keepdim=True)
        self.bndiff = self.hprebn - self.bnmeani
        self.bndiff2 = self.bndiff**2
        self.bnvar = 1/(n-1)*self.bndiff2.sum(0, keepdim=True)
        self.bnvar_inv = (self.bnvar + self.eps)**-0.5
        self.bnraw = self.bndiff * self.bnvar_inv
        self.hpreact = self.bngain * self.bnraw + self.bnbias
        self.h = torch.tanh(self.hpreact)
        self.logits = self.h @ self.W2 + self.b2
        self.logit_maxes = self.logits.max(1, keepdim=True).values
        self.norm_logits = self.logits - self.logit_maxes
        self.counts = self.norm_logits.exp()
        self.counts_sum = self.counts.sum(1, keepdims=True)
        self.counts_sum_inv = self.counts_sum**-1
        self.probs = self.counts * self.counts_sum_inv
        self.logprobs = self.probs.log()
        self.loss = -self.logprobs[range(n), Yb].mean()
        return self.loss

    def backward(self):
        n = self.n
        self.dlogprobs = torch.zeros_like(self.logprobs)
        self.dlogprobs[range(n), self.Yb] = -1.0/n
        self.dprobs = self.dlogprobs / self.probs
        self.dcounts_sum_inv = (self.counts * self.dprobs).sum(1, keepdim=True)
        self.dcounts = self.counts_sum_inv * self.dprobs
        self.dcounts_sum = -self.counts_sum**-2 * self.dcounts_sum_inv
        self.dcounts += torch.ones_like(self.counts) * self.dcounts_sum
        self.dnorm_logits = self.counts * self.dcounts
        self.dlogits = self.dnorm_logits.clone()
        self.dlogit_maxes = -self.dnorm_logits.sum(1, keepdim=True)
        self.dlogits += F.one_hot(self.logits.max(1).indices, num_classes=self.logits.shape[1]) * self.dlogit_maxes
        self.dh = self.dlogits @ self.W2.T
        self.dW2 = self.h.T @ self.dlogits
        self.db2 = self.dlogits.sum(0)
        self.dhpreact = (1.0 - self.h**2) * self.dh
        self.dbngain = (self.bnraw * self.dhpreact).sum(0, keepdim=True)
        self.dbnraw = self.bngain * self.dhpreact
        self.dbnbias = self.dhpreact.sum(0, keepdim=True)
        self.dbndiff = self.bnvar_inv * self.dbnraw
        self.dbnvar_inv = (self.bndiff * self.dbnraw).sum(0, keepdim=True)
        self.dbnvar = -0.5*(self.bnvar + self.eps)**-1.5 * self.dbnvar_inv
        self.dbndiff2 = (1.0/(n-1))*torch.ones_like(self.bndiff2) * self.dbnvar
        self.dbndiff += 2*self.bndiff * self.dbndiff2
        self.dbnmeani = -self.dbndiff.sum(0, keepdim=True)
        self.dhprebn = self.dbndiff + 1.0/n * torch.ones_like(self.hprebn) * self.dbnmeani
        self.dembcat = self.dhprebn @ self.W1.T
        self.dW1 = self.embcat.T @ self.dhprebn
        self.db1 = self.dhprebn.sum(0)
        self.demb = self.dembcat.view(self.emb.shape)
        self.dC = torch.zeros_like(self.C)
        for k in range(self.Xb.shape[0]):
            for j in range(self.Xb.shape[1]):
                self.dC[self.Xb[k, j]] += self.demb[k, j]

    def check(self, names):
        for name in names:
            t, dt = getattr(self, name), getattr(self, 'd' + name)
            print(name, torch.allclose(dt, t.grad), (dt - t.grad).abs().max().item())
# %%
net = MLP()
ix = torch.randint(0, Xtr.shape[0], (batch_size,), generator=g)
loss = net.forward(Xtr[ix], Ytr[ix])
for t in [net.logprobs, net.probs, net.counts, net.counts_sum, net.logits, net.h]:
    t.retain_grad()
loss.backward()
net.backward()
net.check(['logprobs', 'probs', 'counts_sum', 'counts', 'logits', 'h', 'W2', 'b2', 'W1', 'b1', 'C'])
