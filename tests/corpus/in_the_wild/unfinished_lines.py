# alone: yes

# === one_of_the_functions: A `return` of a function without the rest of its line: the other functions of the file
#     count.
# lesson: 05
# as: functions
# dhprebn: missing | `dhprebn` is in lines that Python cannot read: backward.py, from line 2 on.
# dh: any
# others: any

def dhprebn(hprebn, bngain, bnvar_inv, bnraw, n, dhpreact):
    total = dhpreact.sum(0)
    return bngain * bnvar_inv / n *


def dh(dout, h):
    return dout

# === several_lessons_in_one_file: Functions of two lessons in one Python file, one of which is not finished: the
#     others count.
# lesson: 04
# as: script
# counts: 03 04
# dlogits, in_one_go: passed
import torch.nn.functional as F


def dlogprobs(logprobs, Yb, n):
    return F.one_hot(Yb, logprobs.shape[1]) * -1.0 /


def dlogits(logits, Yb, n):
    g = F.softmax(logits, 1)
    g[range(n), Yb] -= 1
    return g / n
