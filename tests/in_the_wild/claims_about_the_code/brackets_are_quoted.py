"""Quoted without its brackets, the formula would be another one once the operator is changed.

lesson: 03
as: script
alone: yes
dhpreact: failed | `(1 - h ** 2) + dh` adds. If it multiplies, your `dhpreact` is right.
others: any
"""


dh = dlogits @ W2.T
dhpreact = (1 - h**2) + dh
cmp('hpreact', dhpreact, hpreact)
