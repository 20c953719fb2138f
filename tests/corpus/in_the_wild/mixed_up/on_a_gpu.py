"""Moves a tensor to a GPU.

lesson: 11
dbias: error | The grader has no GPU. Leave out `.cuda()`
"""

def dbias(dout):
    return dout.cuda().sum((0, 1))
