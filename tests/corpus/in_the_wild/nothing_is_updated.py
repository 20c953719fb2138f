# lesson: 07
# by: dojo

# === new_list_returned: A new list is returned.
# update: failed | = The parameters are as they were. `p - ...` is a new tensor: change the tensors of the list in
#     place. Its public example: exercises/07_training/examples.py:111
# trajectory, resumed, no_grad: failed | = This is computed with your `update`, which is not right yet: start there.

def update(parameters, gradients, learning_rate):
    return [p - learning_rate * g for p, g in zip(parameters, gradients)]
