# === input: A pause with input().
# lesson: 04
# dlogits: error | = `input()`, `breakpoint()` or `pdb` waits for somebody to type, and nobody can answer here. Use
#     `print`: `dojo check` shows what is printed.
# in_one_go: error | = `dlogits` is not right yet on ordinary logits. Get its value right there first.

def dlogits(logits, Yb, n):
    input('go on? ')
    return (F.softmax(logits, 1) - F.one_hot(Yb, logits.shape[1])) / n
