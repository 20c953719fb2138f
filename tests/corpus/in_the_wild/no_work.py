# === bias_in_training: Only the loss and a bias of zeros.
# lesson: 07
# loss: any
# db1: failed | = The true `db1` is zero here, so zeros are right without any work. Its points come with those of
#     `dW1`, which is computed from the same upstream gradient and is not right yet.
# others: any

def gradients(parameters, Xb, Yb):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    return torch.zeros(()), [None, None, torch.zeros_like(b1), None, None, None, None]
