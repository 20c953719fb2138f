"""The gradient of the bias is returned for the gain; the bias is right.

lesson: 05
by: dojo
dscale: failed | = Your `dscale` is exactly the gradient of `shift`. Read the forward line that uses `scale` again:
    what is done with it there?
"""

def dscale(dout):
    return dout.sum(0)
