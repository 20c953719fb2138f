"""The place that the loop leaves out holds a token that occurs twice: no index keeps the last.

lesson: 01
by: both
dembedding: failed | = `range(len(tokens) - 1)` leaves out the first or the last place: a range begins with 0
    and ends before its last number. With `range(len(tokens))`, your `dembedding` is right.
"""

def dembedding(dlooked_up, embedding, tokens):
    d = torch.zeros_like(embedding)
    for i in range(len(tokens) - 1):
        d[tokens[i]] += dlooked_up[i]
    return d
