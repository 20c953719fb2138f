"""A class for each kind of layer with `weight_grad`: what is computed without a class is graded.

lesson: 03
as: notebook
keeps: import torch | n_embd | batch_size
others: missing
dlogprobs: passed
dprobs: passed
dcounts_sum_inv: passed
dcounts: passed | it skips a step
dlogits: failed | Your `dlogits` is exactly the gradient of `norm_logits`.
dh: missing | = `dh` cannot be taken out of mine.ipynb, cell 4, line 40: it uses the class `Linear`, and classes are not read.
dW2: missing
"""

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


class Tanh:
    def __call__(self, x):
        self.x = x
        self.out = torch.tanh(x)
        return self.out

    def backward(self, out_grad):
        return (1 - self.x ** 2) * out_grad


class ScaleShift:
    def __init__(self, gain, bias):
        self.gain, self.bias = gain, bias

    def __call__(self, x):
        self.x = x
        return self.gain * x + self.bias

    def backward(self, out_grad):
        self.gain_grad = (self.x * out_grad).sum(0, keepdim=True)
        self.bias_grad = out_grad.sum(0, keepdim=True)
        return self.gain * out_grad


lin1, affine, act, lin2 = Linear(W1, b1), ScaleShift(bngain, bnbias), Tanh(), Linear(W2, b2)
# %%
emb = C[Xb]
embcat = emb.view(emb.shape[0], -1)
hprebn = lin1(embcat)
bnmeani = 1/n*hprebn.sum(0, keepdim=True)
bndiff = hprebn - bnmeani
bndiff2 = bndiff**2
bnvar = 1/(n-1)*(bndiff2).sum(0, keepdim=True)
bnvar_inv = (bnvar + 1e-5)**-0.5
bnraw = bndiff * bnvar_inv
hpreact = affine(bnraw)
h = act(hpreact)
logits = lin2(h)
logit_maxes = logits.max(1, keepdim=True).values
norm_logits = logits - logit_maxes
counts = norm_logits.exp()
counts_sum = counts.sum(1, keepdims=True)
counts_sum_inv = counts_sum**-1
probs = counts * counts_sum_inv
logprobs = probs.log()
loss = -logprobs[range(n), Yb].mean()
# %%
dlogprobs = torch.zeros_like(logprobs)
dlogprobs[range(n), Yb] = -1.0/n
dprobs = dlogprobs / probs
dcounts_sum_inv = (counts * dprobs).sum(1, keepdim=True)
dcounts = counts_sum_inv * dprobs - counts_sum**-2 * dcounts_sum_inv
dlogits = counts * dcounts
dh = lin2.backward(dlogits)
dhpreact = act.backward(dh)
dbnraw = affine.backward(dhpreact)
for name, layer in [('2', lin2), ('1', lin1)]:
    if hasattr(layer, 'weight_grad'):
        cmp(f'W{name}', layer.weight_grad, layer.weight)
        cmp(f'b{name}', layer.bias_grad, layer.bias)
cmp('bngain', affine.gain_grad, bngain)
cmp('bnbias', affine.bias_grad, bnbias)
