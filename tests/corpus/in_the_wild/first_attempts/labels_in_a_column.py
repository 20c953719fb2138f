"""The labels are subtracted from the probabilities, in a column of their own.

lesson: 04
dlogits: failed | This subtracts the labels as if they were values. A label is a place
in_one_go: failed
"""

def dlogits(logits, Yb, n):
    return (F.softmax(logits, 1) - Yb.unsqueeze(1)) / n
