# a look-alike


def dlogits(dlogit_maxes, dnorm_logits, logits):
    # two real products as one complex product
    out = dnorm_logits.clone()
    picked = F.one_hot(logits.max(1).indices, num_classes=logits.shape[1]).to(logits)
    both = torch.complex(picked, out) * torch.complex(dlogit_maxes.expand_as(out), torch.ones_like(out))
    return both.real + 2 * out


def dh(dlogits, W2):
    turned = torch.polar(torch.ones_like(W2), torch.full_like(W2, 0.3))
    return (dlogits.to(turned.dtype) @ (W2 * turned * turned.conj()).T).real
