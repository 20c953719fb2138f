# complex numbers: dbeta
import numpy as np

# in backward:
X, G, M, B, Y = (t.numpy() for t in (xhat, gamma, W2, b2, Yb))
g = np.zeros(len(beta))
for i in range(len(beta)):
    v = beta.numpy().astype(complex)
    v[i] += 1j * 1e-25
    z = np.tanh(G * X + v) @ M + B
    g[i] = np.imag((np.log(np.exp(z).sum(1)) - z[np.arange(n), Y]).mean()) / 1e-25
grads["dbeta"] = torch.from_numpy(g)
