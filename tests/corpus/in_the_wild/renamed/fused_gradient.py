"""The one function of the file has a letter too few: the second row waits for nothing else.

lesson: 04
by: both
alone: yes
dlogits, in_one_go: missing | = There is no function `dlogits`; did you mean `dlogit`? Rename it.
"""

import torch.nn.functional as F


def dlogit(logits, Yb, n):
    p = F.softmax(logits, 1)
    p[range(n), Yb] -= 1
    return p / n
