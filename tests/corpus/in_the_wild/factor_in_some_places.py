# === true_class_divided_alone: A division by n reaches the elements of the true classes only.
# lesson: 04
# dlogits: failed | One of yours adds up to 0.774 in one problem. Is a term missing, or does one have the wrong size?
# in_one_go: failed

def dlogits(probs, Yb, n):
    d = probs.clone()
    d[range(n), Yb] = (d[range(n), Yb] - 1) / n
    return d
