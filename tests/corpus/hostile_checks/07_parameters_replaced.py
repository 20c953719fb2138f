"""Replaces the list of parameters by a list that holds itself."""
# lesson: 07
# rows of update: shape
# rows of trajectory: shape
# rows of resumed: shape
# rows of no_grad: shape


def update(parameters, gradients, learning_rate):
    parameters[:] = [parameters, parameters]


def train(parameters, X, Y, batches, max_steps, start=0):
    update(parameters, None, None)
    return parameters
