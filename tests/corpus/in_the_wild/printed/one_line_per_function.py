"""Two functions print.

lesson: 03
by: dojo
printed: dprobs: torch.Size([32, 27])
printed: db2: sum
"""

def dprobs(dlogprobs, probs):
    print(dlogprobs.shape)
    return dlogprobs / probs


def db2(dlogits):
    print('sum', end='')
    return dlogits.sum(0)
