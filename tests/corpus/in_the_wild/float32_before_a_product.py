# === in_a_notebook: The most common answer for dC in a notebook: a one-hot product with .float().
# lesson: 03
# as: notebook
# dC: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
#     (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.

# instead of: cmp('logprobs', dlogprobs, logprobs)
dC = F.one_hot(Xb.view(-1), C.shape[0]).float().T @ demb.view(-1, C.shape[1])
