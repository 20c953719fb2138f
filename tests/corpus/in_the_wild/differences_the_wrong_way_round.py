# === in_a_choice: The same with a mask.
# lesson: 04
# dlogits: failed | = In `1 - probs`, `1` and `probs` have changed places. The other way round, your `dlogits` is
#     right.
# in_one_go: failed

def dlogits(probs, Yb, n):
    is_true = torch.arange(probs.shape[1]) == Yb[:, None]
    return torch.where(is_true, 1 - probs, probs) / n
