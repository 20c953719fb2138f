# as: notebook

# === another_small_number: The forward pass adds 1e-6 before the root, and so does the way back: both lines are
#     quoted.
# lesson: 03
# keeps: import torch | n_embd | batch_size | emb = C
# dbnvar: failed | = The small number 1e-6 in `eps = 1e-6` is not the right one. With another one, your `dbnvar` is
#     right.
# others: missing

eps = 1e-6
bnvar_inv = (bnvar + eps)**-0.5
# %%
dbnvar = (-0.5*(bnvar + eps)**-1.5) * dbnvar_inv
