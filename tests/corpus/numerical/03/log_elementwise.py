# differences: dprobs
def dprobs(dlogprobs, probs):
    h = 1e-4 * probs
    f = torch.log
    return dlogprobs * (f(probs - 2 * h) - 8 * f(probs - h) + 8 * f(probs + h) - f(probs + 2 * h)) / (12 * h)
