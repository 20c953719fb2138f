# right
def dlogits(dnorm_logits, dlogit_maxes, logits):
    out = torch.zeros_like(logits)
    for i in range(len(logits)):
        p = (logits - logits.max(1, keepdim=True).values).exp()
        p = p * p.sum(1, keepdim=True) ** -1
        onehot = F.one_hot(logits.max(1).indices, num_classes=logits.shape[1])
        out[i] = (dnorm_logits + onehot * dlogit_maxes + 0 * p)[i]
    return out
