# === a_function_of_a_check: A function that is not a gradient prints, and a joint one.
# lesson: 01
# printed: mean_gate: mean of torch.Size([6, 9])

def mean_gate(h):
    print('mean of', h.shape)
    return (1 - h**2).mean()

# === a_label_of_its_own: A function prints what looks like another one's label.
# lesson: 02
# printed: db2: dlogits: all right

def db2(dlogits):
    print('dlogits: all right')
    return dlogits.sum(0)

# === much_in_a_loop: A loop prints thirty lines: the first and the last are shown.
# lesson: 03
# by: dojo
# printed: dprobs: line 0
# printed: dprobs: line 4
# printed: dprobs: … 20 more lines …
# printed: dprobs: line 29

def dprobs(dlogprobs, probs):
    for i in range(30):
        print('line', i)
    return dlogprobs / probs

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

# === while_the_file_is_run: The file itself prints.
# lesson: 04
# by: dojo
# printed: backward.py: loaded
# printed: backward.py: dlogits: 1 of 1 right

print('loaded')
print('dlogits: 1 of 1 right')
