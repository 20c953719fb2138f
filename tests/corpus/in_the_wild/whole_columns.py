# === lecture_first_step: The first step of the lecture fills whole columns.
# lesson: 03
# by: dojo
# dlogprobs: failed | = `out[:, Yb]` picks whole rows or columns, one for each entry of the index. Indexed by rows and
#     columns together, so that each row is paired with its own entry, your `dlogprobs` is right.

def dlogprobs(logprobs, Yb, n):
    out = torch.zeros(logprobs.shape)
    out[:, Yb] = -1.0 / n
    return out
