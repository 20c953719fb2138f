"""Comprehensions in the targets of comprehensions, sixty deep."""
# group: time
# rows: passed
# unlocked: safe

from right import dlogits as dlogits

def unused(a, b):
    return [1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[[1 for a[0] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]] in b]
