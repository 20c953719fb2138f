"""Lesson 07: training and sampling."""
# lesson: 07

# === parameters_replaced: Replaces the list of parameters by a list that holds itself.
# rows of update, trajectory, resumed, no_grad: shape

def update(parameters, gradients, learning_rate):
    parameters[:] = [parameters, parameters]


def train(parameters, X, Y, batches, max_steps, start=0):
    update(parameters, None, None)
    return parameters

# === token_of_a_billion: Draws a token that would need a table of 8 GB to count.
# rows of sample: shape

def sample(parameters, statistics, generator):
    return [1, 10**9]
