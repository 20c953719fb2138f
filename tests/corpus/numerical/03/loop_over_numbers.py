# right
import math

def dprobs(dlogprobs, probs):
    out = torch.zeros_like(probs)
    for i in range(probs.shape[0]):
        for j in range(probs.shape[1]):
            out[i, j] = dlogprobs[i, j] * math.exp(-math.log(probs[i, j].item()))
    return out
