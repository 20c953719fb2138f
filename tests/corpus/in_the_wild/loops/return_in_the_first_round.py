"""The return is indented as far as the loop's body.

lesson: 04
dlogits: failed | = `return d / n` is inside of the loop, so the function ends in the loop's first round. After the loop, with
    less indentation, your `dlogits` is right.
in_one_go: failed
"""

def dlogits(probs, Yb, n):
    d = probs.clone()
    for i in range(n):
        d[i, Yb[i]] -= 1
        return d / n
