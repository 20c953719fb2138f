"""Tanh of what is tanh already.

lesson: 03
by: dojo
dhpreact: failed | = You write `torch.tanh(h)`. With `h` itself in that place, your `dhpreact` is right: the `tanh`
    is one too many. At which value is the derivative of the forward line taken?
others: passed
"""

def dhpreact(dh, h):
    t = torch.tanh(h)
    return dh * (1 - t ** 2)
