# === from_a_function: A function returns a gradient and its upstream gradient, under names of the notebook's own; no
#     line changes in place.
# lesson: 03
# as: notebook
# dlogit_maxes: passed | Read from `dmax`

# instead of: dlogits = dnorm_logits.clone()
def of_a_difference(d):
    return d, -d.sum(1, keepdim=True)
direct, dmax = of_a_difference(dnorm_logits)
# instead of: dlogit_maxes =

# instead of: dlogits += F.one_hot
dlogits = direct + F.one_hot(logits.max(1).indices, num_classes=logits.shape[1]) * dmax
# instead of: cmp('logit_maxes'
cmp('logit_maxes', dmax, logit_maxes)
