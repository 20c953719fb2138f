# === both_precisions_in_one_product: One factor is cast to float32 and the other to float64: this product runs in no
#     precision.
# lesson: 02
# dW2: error | A float32 and a float64 tensor meet, and one of them is fixed in the code.

import torch


def dW2(dlogits, h_bn):
    return h_bn.float().T @ dlogits.to(torch.float64)

# === in_a_notebook: The most common answer for dC in a notebook: a one-hot product with .float().
# lesson: 03
# as: notebook
# dC: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
#     (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.

# instead of: cmp('logprobs', dlogprobs, logprobs)
dC = F.one_hot(Xb.view(-1), C.shape[0]).float().T @ demb.view(-1, C.shape[1])
