# === softmax_over_n: Only the softmax is divided.
# lesson: 02
# by: dojo
# dlogits: failed | = In `F.softmax(logits, 1) / N - F.one_hot(Y, logits.shape[1])`, a part is not divided by `N`.
#     Divided by it in the right place, your `dlogits` is right.

def dlogits(logits, Y, N):
    return F.softmax(logits, 1) / N - F.one_hot(Y, logits.shape[1])
