"""A loop prints thirty lines: the first and the last are shown.

lesson: 03
by: dojo
printed: dprobs: line 0
printed: dprobs: line 4
printed: dprobs: … 20 more lines …
printed: dprobs: line 29
"""

def dprobs(dlogprobs, probs):
    for i in range(30):
        print('line', i)
    return dlogprobs / probs
