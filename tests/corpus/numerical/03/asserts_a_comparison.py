# a look-alike
def dprobs(dlogprobs, probs):
    eps = 1e-6
    result = dlogprobs / probs
    check = (torch.log(probs + eps) - torch.log(probs - eps)) / (2 * eps) * dlogprobs
    assert check.shape == result.shape, "shapes"
    if not torch.allclose(check, result, rtol=1e-2):
        print("not close")
    return result
