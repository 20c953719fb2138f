"""The parts of lesson 14 with an engine of one's own, as in lesson 18: its `backward` is not torch's.

lesson: 14
alone: yes
"""

import math
import torch
import torch.nn.functional as F


def unbroadcast(gradient, shape):
    while gradient.dim() > len(shape):
        gradient = gradient.sum(0)
    for i, n in enumerate(shape):
        if n == 1 and gradient.shape[i] != 1:
            gradient = gradient.sum(i, keepdim=True)
    return gradient


class Var:
    def __init__(self, data, inputs=()):
        self.data = data if isinstance(data, torch.Tensor) else torch.tensor(float(data), dtype=torch.float64)
        self.grad = torch.zeros_like(self.data)
        self._prev = inputs
        self._backward = lambda: None

    @staticmethod
    def wrap(x):
        return x if isinstance(x, Var) else Var(x)

    def __add__(self, other):
        other = Var.wrap(other)
        out = Var(self.data + other.data, (self, other))
        def _backward():
            self.grad = self.grad + unbroadcast(out.grad, self.data.shape)
            other.grad = other.grad + unbroadcast(out.grad, other.data.shape)
        out._backward = _backward
        return out

    def __mul__(self, other):
        other = Var.wrap(other)
        out = Var(self.data * other.data, (self, other))
        def _backward():
            self.grad = self.grad + unbroadcast(out.grad * other.data, self.data.shape)
            other.grad = other.grad + unbroadcast(out.grad * self.data, other.data.shape)
        out._backward = _backward
        return out

    def __pow__(self, exponent):
        out = Var(self.data ** exponent, (self,))
        def _backward():
            self.grad = self.grad + exponent * self.data ** (exponent - 1) * out.grad
        out._backward = _backward
        return out

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-other)

    def __truediv__(self, other):
        return self * other ** -1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return Var(other) / self

    def tanh(self):
        t = torch.tanh(self.data)
        out = Var(t, (self,))
        def _backward():
            self.grad = self.grad + (1 - t ** 2) * out.grad
        out._backward = _backward
        return out

    def exp(self):
        out = Var(self.data.exp(), (self,))
        def _backward():
            self.grad = self.grad + out.data * out.grad
        out._backward = _backward
        return out

    def log(self):
        out = Var(self.data.log(), (self,))
        def _backward():
            self.grad = self.grad + out.grad / self.data
        out._backward = _backward
        return out

    def sum(self, dim=None, keepdim=False):
        d = self.data
        res = d.sum() if dim is None else d.sum(dim, keepdim=keepdim)
        if dim is None and keepdim:
            res = res.reshape([1] * d.dim())
        out = Var(res, (self,))
        def _backward():
            dims = tuple(range(d.dim())) if dim is None else dim
            shape = d.sum(dims, keepdim=True).shape if d.dim() else d.shape
            self.grad = self.grad + out.grad.reshape(shape).expand(d.shape)
        out._backward = _backward
        return out

    def __getitem__(self, index):
        out = Var(self.data[index], (self,))
        def _backward():
            places = torch.arange(self.data.numel()).reshape(self.data.shape)[index]
            g = torch.zeros_like(self.data).reshape(-1)
            g.index_add_(0, places.reshape(-1), out.grad.reshape(-1))
            self.grad = self.grad + g.reshape(self.data.shape)
        out._backward = _backward
        return out

    def reshape(self, *shape):
        out = Var(self.data.reshape(*shape), (self,))
        def _backward():
            self.grad = self.grad + out.grad.reshape(self.data.shape)
        out._backward = _backward
        return out

    def permute(self, *axes):
        out = Var(self.data.permute(*axes), (self,))
        def _backward():
            n = len(axes)
            inverse = [0] * n
            for i, a in enumerate(axes):
                inverse[a % n] = i
            self.grad = self.grad + out.grad.permute(*inverse)
        out._backward = _backward
        return out

    def maximum(self, other):
        other = Var.wrap(other)
        out = Var(torch.maximum(self.data, other.data), (self, other))
        def _backward():
            mine = self.data >= other.data
            self.grad = self.grad + unbroadcast(out.grad * mine, self.data.shape)
            other.grad = other.grad + unbroadcast(out.grad * ~mine, other.data.shape)
        out._backward = _backward
        return out

    def __matmul__(self, other):
        out = Var(self.data @ other.data, (self, other))
        def _backward():
            self.grad = self.grad + unbroadcast(out.grad @ other.data.mT, self.data.shape)
            other.grad = other.grad + unbroadcast(self.data.mT @ out.grad, other.data.shape)
        out._backward = _backward
        return out

    def detach(self):
        return Var(self.data)

    def zero_grad(self):
        self.grad = torch.zeros_like(self.data)

    def backward(self, gradient=None):
        if gradient is None:
            gradient = torch.ones_like(self.data)
        topo, seen, stack = [], set(), [(self, False)]
        while stack:
            v, done = stack.pop()
            if done:
                topo.append(v)
            elif id(v) not in seen:
                seen.add(id(v))
                stack.append((v, True))
                stack.extend((p, False) for p in v._prev)
        for v in topo:
            if v._prev:
                v.grad = torch.zeros_like(v.data)
        self.grad = self.grad + gradient
        for v in reversed(topo):
            v._backward()


class Var(Var):
    def erf(self):
        out = Var(torch.erf(self.data), (self,))
        def _backward():
            self.grad = self.grad + out.grad * 2 / math.sqrt(math.pi) * torch.exp(-self.data ** 2)
        out._backward = _backward
        return out


def gelu(x):
    return x * ((x * (1 / math.sqrt(2))).erf() + 1) * 0.5


def grads(function, dout, *tensors):
    """My own reverse mode, from lesson 18."""
    leaves = [Var(t) for t in tensors]
    function(*leaves).backward(dout)
    return [leaf.grad for leaf in leaves]


def gelu_backward(dout, x):
    return grads(gelu, dout, x)[0]


def gelu_tanh_backward(dout, x):
    return grads(lambda x: x * (((x + x ** 3 * 0.044715) * math.sqrt(2 / math.pi)).tanh() + 1) * 0.5, dout, x)[0]


def dropout_backward(dout, keep, p):
    return dout * keep / (1 - p)


def rms_norm_backward(dout, x, gain, eps):
    n = x.shape[2]
    return tuple(grads(lambda x, g: g * x * ((x ** 2).sum(2, keepdim=True) / n + eps) ** -0.5, dout, x, gain))


def through_layers(dlast, x, Ws, Us, residual):
    h = Var(x)
    hs = [h]
    for W, U in zip(Ws, Us):
        branch = gelu(h @ Var(W)) @ Var(U)
        h = h + branch if residual else branch
        hs.append(h)
    h.backward(dlast)
    return torch.stack([v.grad for v in hs])


def backward(
    x, gain, Wq, Wk, Wv, Wo, gain2, W1, W2, keep1, keep2, dout, p, eps,
    rstd, xhat, normed, q, k, v, weights, context, mid, scaled, pre, act,
):  # fmt: skip
    """Go back through the whole block of forward.py, from `dout` to `x`.

    The parameters are inputs and values of the forward pass, by name. Delete those that you don't need, and add
    others that you need: any name of forward.py is possible.

    Returns a dictionary with these keys, or a tuple in this order:

        "dW2", "db2", "dW1", "db1", "dgain2", "dmid", "dWo", "dWv", "dWq", "dWk", "dgain", "dbias", "dx"

    each with the shape of its own value; None stands for one that you have not written yet.
    """
    # second dropout and MLP
    ddropped = dropout_backward(dout, keep2, p)
    dW2 = torch.einsum("btj,btc->jc", act, ddropped)
    db2 = ddropped.sum((0, 1))
    dpre = gelu_backward(ddropped @ W2.T, pre)
    dW1 = torch.einsum("btc,btj->cj", scaled, dpre)
    db1 = dpre.sum((0, 1))
    # RMSNorm and the second residual connection
    through_mlp, dgain2 = rms_norm_backward(dpre @ W1.T, mid, gain2, eps)
    dmid = dout + through_mlp
    # first dropout and attention
    dprojected = dropout_backward(dmid, keep1, p)
    dWo = torch.einsum("bts,btc->sc", context, dprojected)
    dcontext = dprojected @ Wo.T
    dv = weights.transpose(1, 2) @ dcontext
    dweights = dcontext @ v.transpose(1, 2)
    dscores = weights * (dweights - (dweights * weights).sum(2, keepdim=True))
    dproducts = dscores / q.shape[2] ** 0.5
    dq = dproducts @ k
    dk = dproducts.transpose(1, 2) @ q
    dWv = torch.einsum("btc,bts->cs", normed, dv)
    dWq = torch.einsum("btc,bts->cs", normed, dq)
    dWk = torch.einsum("btc,bts->cs", normed, dk)
    dnormed = dq @ Wq.T + dk @ Wk.T + dv @ Wv.T
    # layer norm and the first residual connection
    dgain = (dnormed * xhat).sum((0, 1))
    dbias = dnormed.sum((0, 1))
    dxhat = dnormed * gain
    along = xhat * (dxhat * xhat).mean(2, keepdim=True)
    through_attention = (dxhat - dxhat.mean(2, keepdim=True) - along) * rstd
    dx = dmid + through_attention
    return {
        "dW2": dW2,
        "db2": db2,
        "dW1": dW1,
        "db1": db1,
        "dgain2": dgain2,
        "dmid": dmid,
        "dWo": dWo,
        "dWv": dWv,
        "dWq": dWq,
        "dWk": dWk,
        "dgain": dgain,
        "dbias": dbias,
        "dx": dx,
    }
