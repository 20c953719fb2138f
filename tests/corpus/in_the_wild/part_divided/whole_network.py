"""Only one part is divided, inside the whole backward pass.

lesson: 06
by: dojo
dW2, db2, dgamma, dbeta, dW, demb, dC: failed | = In `probs - F.one_hot(Yb, C.shape[0]) / n`, brackets are missing: powers
    come first, then products and quotients, then sums and differences. With brackets around the right part, this gradient
    is right.
db: failed | zeros are right without any work
"""

# instead of: dlogits = F.softmax
dlogits = probs - F.one_hot(Yb, C.shape[0]) / n
# instead of: dlogits[torch.arange
# instead of: dlogits = dlogits / n
