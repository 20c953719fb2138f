"""Nearly all elements are wrong, not only a few.

lesson: 03
by: dojo
dhpreact: failed | = The value is wrong: the error is 0.33 of the gradient's size. Worst element [13, 43]: found
    -1.26083256, expected -0.0267531678. Typically it is 0.62 times the gradient (half of its elements between 0.175
    and 0.918 times; correlation 0.95).
others: passed
"""

def dhpreact(dh, hpreact):
    return dh * torch.cos(hpreact) ** 4
