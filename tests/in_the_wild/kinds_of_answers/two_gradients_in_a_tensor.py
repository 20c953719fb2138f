"""Two numbers in one tensor, which can be taken apart.

lesson: 01
by: both
through_multiply: passed
"""

def through_multiply(a, b, dy):
    return dy * torch.tensor([b, a])
