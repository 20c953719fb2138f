"""Row by row and column by column, as one would explain it at the blackboard."""

import torch


def dlogprobs(logprobs, Yb, n):
    gradient = torch.zeros_like(logprobs)
    for i in range(n):
        gradient[i, int(Yb[i])] = -1 / n
    return gradient


def dprobs(dlogprobs, probs):
    return torch.stack([upstream / row for upstream, row in zip(dlogprobs, probs, strict=True)])


def dcounts_sum_inv(dprobs, counts):
    return torch.stack([upstream.dot(row) for upstream, row in zip(dprobs, counts, strict=True)]).unsqueeze(1)


def dcounts_sum(dcounts_sum_inv, counts_sum):
    gradient = torch.zeros_like(counts_sum)
    for i in range(len(counts_sum)):
        gradient[i, 0] = -dcounts_sum_inv[i, 0] / counts_sum[i, 0] ** 2
    return gradient


def dcounts(dprobs, counts_sum_inv, dcounts_sum):
    gradient = torch.zeros_like(dprobs)
    for i in range(dprobs.shape[0]):
        gradient[i] += counts_sum_inv[i] * dprobs[i]
        gradient[i] += dcounts_sum[i]
    return gradient


def dnorm_logits(dcounts, counts):
    return torch.stack([upstream * row for upstream, row in zip(dcounts, counts, strict=True)])


def dlogit_maxes(dnorm_logits):
    sums = []
    for row in dnorm_logits:
        sums.append([-row.sum()])
    return torch.tensor(sums)


def dlogits(dnorm_logits, dlogit_maxes, logits):
    gradient = dnorm_logits.clone()
    for i, row in enumerate(logits):
        gradient[i, row.argmax()] += dlogit_maxes[i, 0]
    return gradient


def dh(dlogits, W2):
    gradient = torch.zeros(dlogits.shape[0], W2.shape[0])
    for j in range(W2.shape[1]):
        gradient += torch.outer(dlogits[:, j], W2[:, j])
    return gradient


def dW2(dlogits, h):
    gradient = torch.zeros(h.shape[1], dlogits.shape[1])
    for activations, upstream in zip(h, dlogits, strict=True):
        gradient += torch.outer(activations, upstream)
    return gradient


def db2(dlogits):
    gradient = torch.zeros(dlogits.shape[1])
    for row in dlogits:
        gradient += row
    return gradient


def dhpreact(dh, h):
    gradient = torch.empty_like(h)
    for i in range(h.shape[0]):
        gradient[i] = (1 - h[i] * h[i]) * dh[i]
    return gradient


def dbngain(dhpreact, bnraw):
    gradient = torch.zeros(1, bnraw.shape[1])
    for upstream, normalised in zip(dhpreact, bnraw, strict=True):
        gradient += upstream * normalised
    return gradient


def dbnbias(dhpreact):
    gradient = torch.zeros(1, dhpreact.shape[1])
    for upstream in dhpreact:
        gradient += upstream
    return gradient


def dbnraw(dhpreact, bngain):
    return torch.stack([bngain[0] * upstream for upstream in dhpreact])


def dbnvar_inv(dbnraw, bndiff):
    return torch.stack([dbnraw[:, j].dot(bndiff[:, j]) for j in range(bndiff.shape[1])]).view(1, -1)


def dbnvar(dbnvar_inv, bnvar):
    gradient = torch.zeros_like(bnvar)
    for j in range(bnvar.shape[1]):
        gradient[0, j] = dbnvar_inv[0, j] * -0.5 * (bnvar[0, j] + 1e-5) ** -1.5
    return gradient


def dbndiff2(dbnvar, bndiff2, n):
    gradient = torch.zeros_like(bndiff2)
    for i in range(n):
        gradient[i] = dbnvar[0] / (n - 1)
    return gradient


def dbndiff(dbnraw, bnvar_inv, dbndiff2, bndiff):
    rows = []
    for i in range(bndiff.shape[0]):
        rows.append(dbnraw[i] * bnvar_inv[0] + dbndiff2[i] * bndiff[i] + dbndiff2[i] * bndiff[i])
    return torch.stack(rows)


def dbnmeani(dbndiff):
    gradient = torch.zeros(1, dbndiff.shape[1])
    for row in dbndiff:
        gradient -= row
    return gradient


def dhprebn(dbndiff, dbnmeani, n):
    return torch.stack([row + dbnmeani[0] / n for row in dbndiff])


def dembcat(dhprebn, W1):
    return torch.stack([W1.mv(row) for row in dhprebn])


def dW1(dhprebn, embcat):
    gradient = torch.zeros(embcat.shape[1], dhprebn.shape[1])
    for inputs, upstream in zip(embcat, dhprebn, strict=True):
        gradient += inputs[:, None] * upstream[None, :]
    return gradient


def db1(dhprebn):
    return torch.stack([column.sum() for column in dhprebn.T])


def demb(dembcat, emb):
    gradient = torch.zeros_like(emb)
    size = emb.shape[2]
    for place in range(emb.shape[1]):
        gradient[:, place] = dembcat[:, place * size : (place + 1) * size]
    return gradient


def dC(demb, C, Xb):
    rows = []
    for token in range(C.shape[0]):
        rows.append(demb[Xb == token].sum(0))
    return torch.stack(rows)
