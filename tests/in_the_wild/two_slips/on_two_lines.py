"""Two slips in two statements: a root without the small number, and another sign.

lesson: 02
by: both
dh: failed | = The value is wrong: the error is 2.2 of the gradient's size. Worst element [0, 2]: found 9.18511736,
    expected 0.52479605. Typically it is 0.992 times the gradient (half of its elements between 0.405 and 1.4 times;
    correlation 0.41).
"""


def dh(dh_norm, h_norm, h_var):
    deviation = torch.sqrt(h_var)
    return (dh_norm - dh_norm.mean(0) + h_norm * (dh_norm * h_norm).mean(0)) / deviation
