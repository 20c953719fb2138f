"""amax's way at a tie: no derivative there, so it passes with a remark.

lesson: 03
dlogits: passed | Where two logits of a row are equal and the largest
"""

def dlogits(dnorm_logits, dlogit_maxes, logits):
    highest = logits == logits.amax(1, keepdim=True)
    return dnorm_logits + highest / highest.sum(1, keepdim=True) * dlogit_maxes
