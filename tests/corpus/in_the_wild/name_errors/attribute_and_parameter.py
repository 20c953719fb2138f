"""Names that are nearly a parameter's, or an attribute's without `self.`.

lesson: 05
by: both
dshift: error | Nothing of the name `d_out` has been set when that line is reached. Do you mean `dout`?
forward: error | Nothing of the name `eps` has been set when that line is reached. Is it spelled as where you set it, or
    does `self.` belong in front of it?
backward: error
running_statistics: error
evaluation: error
evaluation_backward: error
"""


def dshift(dout):
    return d_out.sum(0)


class BatchNorm1d:
    def __init__(self, size, eps=1e-5, momentum=0.1):
        self.eps = eps

    def forward(self, x, training=True):
        return (x - x.mean(0)) / torch.sqrt(x.var(0, unbiased=False) + eps)

    def backward(self, dout):
        return dout, dout.sum(0), dout.sum(0)
