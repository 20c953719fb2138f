"""Two wrong signs that cancel: the chain of `dlogits` is right, and neither line is.

lesson: 03
as: notebook
dlogit_maxes: failed | The sign is flipped
dlogits: failed | In your `dlogits`, the part that comes through `logit_maxes` has the wrong sign:
"""
# instead of: dlogits = dnorm_logits.clone()
dlogits, dlogit_maxes = dnorm_logits.clone(), dnorm_logits.sum(1, keepdim=True)
# instead of: dlogit_maxes =

# instead of: dlogits += F.one_hot
dlogits -= F.one_hot(logits.max(1).indices, num_classes=logits.shape[1]) * dlogit_maxes
