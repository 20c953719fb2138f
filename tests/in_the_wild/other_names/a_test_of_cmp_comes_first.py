"""All names are the learner's own, and a test of the comparison function comes before the forward pass.

lesson: 03
as: notebook
alone: yes
dnorm_logits: passed | Read from `dlogits_norm`
dbndiff2: passed | Read from `dbn_diff_square`
dbndiff: passed | Read from `dbn_diff`
others: missing
"""

a = torch.ones(3)
da = 2 * a
cmp("test", da, a)

# %%
linear = emb_concat @ W1 + b1
bn_mean = (1 / n) * linear.sum(0, keepdim=True)
bn_diff = linear - bn_mean
bn_diff_square = bn_diff**2
bn_var = (1 / (n - 1)) * bn_diff_square.sum(0, keepdim=True)
bn_var_inv = (bn_var + 1e-5) ** -0.5
bn_raw = bn_diff * bn_var_inv
logits_max = logits.max(1, keepdim=True).values
logits_norm = logits - logits_max
counts = logits_norm.exp()
counts_sum = counts.sum(1, keepdim=True)

dlogits_norm = counts * dcounts
cmp("dlogits_norm", dlogits_norm, logits_norm)
dbn_diff_square = (1 / (n - 1)) * torch.ones_like(bn_diff_square) * dbnvar
cmp("dbn_diff_square", dbn_diff_square, bn_diff_square)
dbn_diff_2 = 2 * bn_diff * dbn_diff_square
dbn_diff = bn_var_inv * dbnraw + dbn_diff_2
cmp("dbn_diff", dbn_diff, bn_diff)
