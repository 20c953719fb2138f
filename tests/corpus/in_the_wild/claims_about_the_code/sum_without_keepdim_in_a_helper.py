"""A helper sums without keepdim: one piece of advice, not two.

lesson: 03
by: dojo
dbngain: shape | = The numbers are right, the shape is not: (64,) where `bngain` is (1, 64); sum with
    `keepdim=True`. Broadcasting hides this in a comparison, and hurts later.
"""

def over_rows(x):
    return x.sum(0)


def dbngain(dhpreact, bnraw):
    return over_rows(bnraw * dhpreact)
