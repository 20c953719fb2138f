# === a_loss_that_is_a_sum: The loss is the sum, and so are the gradients: here the question about the loss is the
#     right one.
# lesson: 07
# as: notebook
# alone: yes
# base: training_loop
# loss, db1: failed
# dW2: failed | The loss is their mean; is `dlogits` divided by n?
# others: failed
# update, learning_rate, trajectory, resumed, no_grad, calibrate, split_loss, sample: missing

# instead of: loss =
loss = F.cross_entropy(logits, Yb, reduction='sum')
# instead of: dlogits /= n

# === sum_for_the_largest: A mean where the largest belongs: a sum would give what one of the function's two checks
#     wants, and not the other.
# lesson: 06
# by: grade
# cmp: failed | = `cmp of tensors with one element larger by 0.0004 %.maxdiff` is 5.81125134e-07; expected
#     6.9735016e-06.
# cmp_shapes: failed | = `cmp of wrong tensors of shape (3, 1).maxdiff` is 0.1; expected 0.3.
# others: any

def cmp(mine, reference):
    if mine.shape != reference.shape:
        return False, False, float("inf")
    exact = bool((mine == reference).all())
    return exact, torch.allclose(mine, reference), (mine - reference).abs().mean().item()

# === shifted_before_the_right_function: The slip is in `gradients`; no edit of the right `truncated_backward` is shown.
# lesson: 16
# dWh, dWx, db, dh0, dC: failed | The gradients of the states are shifted by one.
# others: passed

# instead of: dh[1:] =
dh[:-1] = (dlogits @ p["Wo"].T).transpose(0, 1)
