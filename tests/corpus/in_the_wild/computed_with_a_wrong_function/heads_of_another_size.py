"""The forward pass is wrong, and all gradients belong to it.

lesson: 15
by: dojo
dgain3: failed | = Your `loss` is wrong, too, and it comes first: start there. The value is wrong: the error is 0.071
    of the gradient's size. Worst element [14]: found 0.296187038, expected 0.346751044. It is right on the other
    problem, where heads is 1.
dwte: failed | = Your `loss` is wrong, too, and it comes first: start there. The value is wrong: the error is 0.13 of
    the gradient's size. Worst element [15, 10]: found 0.282822836, expected 0.217040962. It is right on the
    other problem, where heads is 1.
loss: failed | = `loss` is 3.15259441; expected 3.28323692. Its public example: exercises/15_gpt/examples.py:36
others: any
"""

# instead of: scores = (q @ k.transpose(2, 3)
scores = (q @ k.transpose(2, 3) / p['wte'].shape[1] ** 0.5).masked_fill(~past, -math.inf)
