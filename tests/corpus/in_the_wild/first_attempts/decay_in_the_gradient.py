"""Weight decay goes through Adam's averages.

lesson: 15
adam: failed | = The decay is added to the gradient, and so it enters both averages (L2 regularisation). AdamW keeps
    it apart.
trajectory: failed
resumed: failed
"""

def adam(parameters, gradients, means, squares, step, rate, decay):
    for name, p in parameters.items():
        g = gradients[name]
        if name in DECAYED:
            g = g + decay * p
        means[name] *= 0.9
        means[name] += 0.1 * g
        squares[name] *= 0.99
        squares[name] += 0.01 * g * g
        m = means[name] / (1 - 0.9 ** (step + 1))
        s = squares[name] / (1 - 0.99 ** (step + 1))
        p -= rate * m / (s.sqrt() + 1e-8)
