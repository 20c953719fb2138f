# lesson: 07
# by: dojo

# === new_list_returned: A new list is returned.
# update: failed | = The parameters are as they were. `p - ...` is a new tensor: change the tensors of the list in
#     place. Its public example: exercises/07_training/examples.py:112
# trajectory, resumed, no_grad: failed | = This is computed with your `update`, which is not right yet: start there.

def update(parameters, gradients, learning_rate):
    return [p - learning_rate * g for p, g in zip(parameters, gradients)]

# === rebinds_the_loop_name: The name of the loop is given a new tensor.
# update: failed | = `param = param - learning_rate * grad` gives the name `param` a new tensor; the tensor that it
#     named before stays as it was. If that tensor changes in place, `update` is right. Its public example:
#     exercises/07_training/examples.py:112
# trajectory, resumed, no_grad: failed | = This is computed with your `update`, which is not right yet: start there.

def update(parameters, gradients, learning_rate):
    for param, grad in zip(parameters, gradients):
        param = param - learning_rate * grad

# === result_thrown_away: `sub` for `sub_`.
# update: failed | = `p.sub(learning_rate * g)` computes a value that nothing uses: `p` stays as it was. If it changes
#     in place, `update` is right. Its public example: exercises/07_training/examples.py:112
# trajectory, resumed, no_grad: failed | = This is computed with your `update`, which is not right yet: start there.

def update(parameters, gradients, learning_rate):
    for p, g in zip(parameters, gradients):
        p.sub(learning_rate * g)
