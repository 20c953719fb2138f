# === dropout_without_its_factor: A gradient that is a multiple of the right one, because of a function that it is
#     computed with.
# lesson: 14
# by: dojo
# dW2, dx: failed | = This is computed with your `dropout_backward`, which is not right yet: start there.
# dropout_backward: failed | What was kept is also made larger in the forward pass. By which factor?
# others: any

def dropout_backward(dout, keep, p):
    return dout * keep

# === root_of_the_vocabulary: The forward pass is wrong, and all gradients belong to it.
# lesson: 15
# by: dojo
# dgain3: failed | = Your `loss` is wrong, too, and it comes first: start there. `dlogits` is wrong, and `dgain3` is
#     computed from it.
# dwte: failed | Your `loss` is wrong, too, and it comes first: start there. `dlogits` is wrong
# loss: failed | Its public example: exercises/15_gpt/examples.py:36
# others: any

# instead of: scores = (q @ k.transpose(2, 3)
scores = (q @ k.transpose(2, 3) / p['wte'].shape[0] ** 0.5).masked_fill(~past, -math.inf)

# === heads_take_turns: A row that begins with another function, whose value is wrong: neither names its own.
# lesson: 13
# dcontexts: failed | = This is computed with your `split_heads`, which is not right yet: start there.
# any_strides: failed | = This is computed with your `split_heads`, which is not right yet: start there.
# others: any

def split_heads(x, heads):
    return x.unflatten(2, (-1, heads)).permute(0, 3, 1, 2)

# === states_without_the_first: A list of states that lacks the first one: other functions end with an error.
# lesson: 16
# by: dojo
# dC: error | = This is computed with your `rnn`, which is not right yet: start there. IndexError: The shape of the
#     mask [5, 6] at index 1 does not match the shape of the indexed tensor [5, 5, 27] at index 1. A mask of shape [5,
#     6] selects from a tensor of shape [5, 5, 27]: the first axes have to be the same. You are given `X` (5, 6), `Y`
#     (5, 6).
# loss: error | = This is computed with your `rnn`, which is not right yet: start there. IndexError: The shape of the
#     mask [1, 3] at index 1 does not match the shape of the indexed tensor [1, 2, 3] at index 1. A mask of shape [1,
#     3] selects from a tensor of shape [1, 2, 3]: the first axes have to be the same. You are given `X` (1, 3), `Y`
#     (1, 3). Its public example: exercises/16_through_time/examples.py:180
# rnn: shape | The result has a state for each step, but it should begin with `h0`.
# rnn_step_backward: passed
# rnn_backward: error | = This is computed with your `rnn`, which is not right yet: start there. With time 4, batch 2,
#     features 3, hidden 5: IndexError: index 4 is out of bounds for dimension 0 with size 4. The code reads place 4
#     along axis 0, which has 4 of them, numbered from 0. Is it the right tensor that is indexed, and the right axis?
#     You are given `dh` (5, 2, 5), `x` (4, 2, 3), `h0` (2, 5), `Wx` (3, 5), `Wh` (5, 5), `b` (5,). Its public
#     example: exercises/16_through_time/examples.py:160
# others: any

# instead of: return torch.stack(h)
return torch.stack(h[1:])
