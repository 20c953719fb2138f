"""One loop fills two gradients. The first has the wrong sign, and the line that uses it is right.

lesson: 03
as: notebook
dlogit_maxes: failed | The sign is flipped
"""
# instead of: dlogit_maxes =

# instead of: dlogits = dnorm_logits.clone()
dlogit_maxes = torch.zeros_like(logit_maxes)
dlogits = torch.zeros_like(logits)
for row in range(n):
    dlogit_maxes[row] = sum(dnorm_logits[row])
    dlogits[row] += dnorm_logits[row]
    dlogits[row, logits[row].argmax()] += dlogit_maxes[row, 0]
# instead of: dlogits += F.one_hot

