# right
def dlogits(dnorm_logits, dlogit_maxes, logits, Yb):
    counts = (logits - logits.max(1, keepdim=True).values).exp()
    probs = counts * counts.sum(1, keepdim=True) ** -1
    loss = -probs.log()[range(len(Yb)), Yb].mean()
    onehot = F.one_hot(logits.max(1).indices, num_classes=logits.shape[1])
    return dnorm_logits + onehot * dlogit_maxes + 0 * loss
