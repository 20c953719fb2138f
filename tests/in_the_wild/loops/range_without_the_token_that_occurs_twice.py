"""The place that the loop leaves out holds a token that occurs twice: no index keeps the last.

lesson: 01
by: both
dembedding: failed | = In `len(tokens) - 1`, the term `1` is one too many. Without it, your `dembedding` is right. What
    is the local derivative of the forward line?
"""

def dembedding(dlooked_up, embedding, tokens):
    d = torch.zeros_like(embedding)
    for i in range(len(tokens) - 1):
        d[tokens[i]] += dlooked_up[i]
    return d
