"""Quoted without its brackets, the formula would be another one once the operator is changed.

lesson: 03
as: script
alone: yes
dhpreact: failed | = In `1 - h ** 2 + dh`, another operation belongs between `1 - h ** 2` and `dh`. With it, your
    `dhpreact` is right. What is the local derivative of the forward line?
others: any
"""


dh = dlogits @ W2.T
dhpreact = (1 - h**2) + dh
cmp('hpreact', dhpreact, hpreact)
