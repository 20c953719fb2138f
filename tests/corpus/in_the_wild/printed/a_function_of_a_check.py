"""A function that is not a gradient prints, and a joint one.

lesson: 01
printed: mean_gate: mean of torch.Size([6, 9])
"""

def mean_gate(h):
    print('mean of', h.shape)
    return (1 - h**2).mean()
