# === bias_in_training: Only the loss and a bias of zeros.
# lesson: 07
# loss: any
# db1: failed | = The true `db1` is zero here, so zeros are right without any work. Its points come with those of
#     `dW1`, which is computed from the same upstream gradient and is not right yet.
# others: any

def gradients(parameters, Xb, Yb):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    return torch.zeros(()), [None, None, torch.zeros_like(b1), None, None, None, None]

# === honest_zero_bias_with_another_mistake: The bias is zeros because batch norm subtracts it; dW is right, and dC
#     loses repeated tokens.
# lesson: 06
# dC: failed

written_out = backward


def backward(Xb, Yb, n, eps, C, W, b, gamma, beta, W2, b2, emb, embcat, x, mean, var, xhat, out, h, logits, probs):
    found = written_out(
        Xb, Yb, n, eps, C, W, b, gamma, beta, W2, b2, emb, embcat, x, mean, var, xhat, out, h, logits, probs
    )
    dC = torch.zeros_like(C)
    dC[Xb] = found["demb"]
    return found | {"db": torch.zeros_like(b), "dC": dC}
