"""A class for exercise 3 as well, with the formula in a single expression: this one is the answer.

lesson: 05
as: notebook
keeps: import torch | n_embd | batch_size | emb = C
others: missing
counts: 03 05
dhprebn: passed
"""

class BatchNorm:
    def __init__(self, gain, bias):
        self.gain, self.bias = gain, bias

    def backward(self, dout):
        n = dout.shape[0]
        self.dgain = (bnraw * dout).sum(0, keepdim=True)
        self.dbias = dout.sum(0, keepdim=True)
        self.draw = self.gain * dout
        self.dvar_inv = (bndiff * self.draw).sum(0, keepdim=True)
        self.dvar = -0.5 * (bnvar + 1e-5)**-1.5 * self.dvar_inv
        self.ddiff2 = torch.ones_like(bndiff2) / (n - 1) * self.dvar
        self.ddiff = bnvar_inv * self.draw + 2 * bndiff * self.ddiff2
        self.dmean = -self.ddiff.sum(0, keepdim=True)
        return self.ddiff + self.dmean / n


bn = BatchNorm(bngain, bnbias)
dhprebn = bn.backward(dhpreact)
cmp('bngain', bn.dgain, bngain)
cmp('bnbias', bn.dbias, bnbias)
cmp('bnraw', bn.draw, bnraw)
cmp('bnvar_inv', bn.dvar_inv, bnvar_inv)
cmp('bnvar', bn.dvar, bnvar)
cmp('bndiff2', bn.ddiff2, bndiff2)
cmp('bndiff', bn.ddiff, bndiff)
cmp('bnmeani', bn.dmean, bnmeani)
cmp('hprebn', dhprebn, hprebn)
# %%
class WholeBatchNorm(BatchNorm):
    def backward(self, dout):
        n = dout.shape[0]
        inner = n*dout - dout.sum(0) - n/(n-1) * bnraw * (dout*bnraw).sum(0)
        return self.gain * bnvar_inv / n * inner


dhprebn = WholeBatchNorm(bngain, bnbias).backward(dhpreact)
