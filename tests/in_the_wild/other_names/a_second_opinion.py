"""The gradient has the lecture's name; another variable is compared with it as well, and does not count.

lesson: 03
as: notebook
"""

# instead of: dprobs =
dprobs = dlogprobs / probs
other_way = dlogprobs * probs
# instead of: cmp('probs'
cmp('probs', other_way, probs)
cmp('probs', dprobs, probs)
