# right
import numpy as np

def dprobs(dlogprobs, probs):
    z = probs.numpy() + 1e-20j
    print("by a complex step", np.abs(np.log(z).imag / 1e-20 - (1 / probs).numpy()).max())
    h = 1e-4
    near = (torch.log(probs + h) - torch.log(probs - h)) / (2 * h)
    print("by differences", (near - 1 / probs).abs().max().item())
    return dlogprobs / probs
