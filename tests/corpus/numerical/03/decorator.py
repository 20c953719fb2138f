# differences: dprobs
def numerically(forward):
    def step(dlogprobs, probs):
        h = 1e-3 * probs
        near = forward(probs + h) - forward(probs - h)
        far = forward(probs + 2 * h) - forward(probs - 2 * h)
        farther = forward(probs + 3 * h) - forward(probs - 3 * h)
        return dlogprobs * (45 * near - 9 * far + farther) / (60 * h)
    return step

@numerically
def dprobs(probs):
    return probs.log()
