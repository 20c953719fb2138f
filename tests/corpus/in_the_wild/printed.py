# === one_line_per_function: Two functions print.
# lesson: 03
# by: dojo
# printed: dprobs: torch.Size([32, 27])
# printed: db2: sum

def dprobs(dlogprobs, probs):
    print(dlogprobs.shape)
    return dlogprobs / probs


def db2(dlogits):
    print('sum', end='')
    return dlogits.sum(0)

# === the_joint_function: The function that returns all gradients prints.
# lesson: 06
# by: dojo
# printed: backward: torch.Size([32, 27])

# instead of: dW2 = h.T
print(logits.shape)
dW2 = h.T @ dlogits
