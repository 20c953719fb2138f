"""The table is added up in the place of its gradients: the message says what the function does not use.

lesson: 03
by: both
dC: failed | It does not use `demb`.
"""


def dC(demb, C, Xb):
    dC = torch.zeros_like(C)
    for k in range(Xb.shape[0]):
        for j in range(Xb.shape[1]):
            dC[Xb[k, j]] += C[Xb[k, j]]
    return dC
