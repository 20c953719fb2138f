"""An honest slip that divides by a small number: Adam's correction counts one step too few, with a floor for step 0.

lesson: 15
adam: failed
trajectory: failed
resumed: failed
"""


def adam(parameters, gradients, means, squares, step, rate, decay):
    for name, parameter in parameters.items():
        gradient = gradients[name]
        means[name].mul_(0.9).add_(gradient, alpha=0.1)
        squares[name].mul_(0.99).addcmul_(gradient, gradient, value=0.01)
        mean = means[name] / max(1 - 0.9**step, 1e-8)
        square = squares[name] / max(1 - 0.99**step, 1e-8)
        if name in DECAYED:
            parameter.mul_(1 - rate * decay)
        parameter.sub_(rate * mean / (square.sqrt() + 1e-8))
