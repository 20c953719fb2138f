# === layer_backward: differences: backward evaluation_backward
class BatchNorm1d(BatchNorm1d):
    def forward(self, x, training=True):
        self.x, self.training, self.before = x, training, (self.running_mean, self.running_var)
        return super().forward(x, training)

    def at(self, x, gamma, beta):
        mean, var = (x.mean(0), x.var(0, unbiased=False)) if self.training else self.before
        return gamma * (x - mean) / torch.sqrt(var + self.eps) + beta

    def backward(self, dout):
        h, (dx, dgamma, dbeta) = 1e-4, super().backward(dout)
        out = torch.zeros_like(self.gamma)
        for k in range(len(out)):
            e = torch.zeros_like(out)
            e[k] = h
            plus, minus = (self.at(self.x, self.gamma + s * e, self.beta) for s in (1, -1))
            out[k] = (dout * (plus - minus)).sum() / (2 * h)
        return dx, out, dbeta
