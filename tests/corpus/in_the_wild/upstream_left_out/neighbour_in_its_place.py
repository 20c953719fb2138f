"""The other operand's gradient is the same but for its sign, in the whole pass; a row is judged by itself.

lesson: 21
dpenalty: failed | It is computed with `dgain`, and `gain` does not depend on `penalty`. Each row is judged with
    upstream gradients of its own: compute it from `dgrpo`.
"""


def dpenalty(dgain, weight):
    return -weight * dgain
