# a look-alike
def update(parameters, gradients, learning_rate):
    for p, g in zip(parameters, gradients):
        new = p - learning_rate * g
        p.copy_(new)
