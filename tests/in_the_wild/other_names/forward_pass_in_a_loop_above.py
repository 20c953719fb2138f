"""The forward pass is in a loop that ends after one round; the backward pass comes after it, under other names.

lesson: 03
as: script
alone: yes
dbnvar: passed | Read from `d_variance`
dbndiff2: passed | Read from `d_diff2`
dW1: passed | Read from `d_W1`
others: missing
"""

for i in range(steps):
    ix = torch.randint(0, Xtr.shape[0], (batch_size,))
    embedding_concat = emb.view(emb.shape[0], -1)
    h_pre = embedding_concat @ W1 + B1
    mean = (1 / batch_size) * h_pre.sum(0, keepdim=True)
    diff = h_pre - mean
    diff2 = diff**2
    variance = (1 / (batch_size - 1)) * diff2.sum(0, keepdim=True)
    variance_inv = (variance + 1e-5) ** -0.5
    break

d_variance = dbnvar_inv * (-0.5 * (variance + 1e-5) ** -1.5)
cmp("variance", d_variance, variance)
d_diff2 = d_variance / (batch_size - 1) * torch.ones_like(diff2)
cmp("diff2", d_diff2, diff2)
d_W1 = embedding_concat.T @ dhprebn
cmp("W1", d_W1, W1)
