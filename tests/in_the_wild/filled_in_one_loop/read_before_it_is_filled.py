"""One loop fills two gradients, and reads the first before it fills it: these are zeros.

lesson: 03
as: notebook
dlogits: failed
"""
# instead of: dlogit_maxes =

# instead of: dlogits = dnorm_logits.clone()
dlogit_maxes = torch.zeros_like(logit_maxes)
dlogits = torch.zeros_like(logits)
for row in range(n):
    dlogits[row] += dnorm_logits[row]
    dlogits[row, logits[row].argmax()] += dlogit_maxes[row, 0]
    dlogit_maxes[row] = -sum(dnorm_logits[row])
# instead of: dlogits += F.one_hot

