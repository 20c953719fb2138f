# === a_mask_of_ones_own: Dropout with a mask of its own: no change of the code makes that right, even if it happens
#     to fit once.
# lesson: 14
# by: both
# dropout_backward: failed | `rand_like` draws new numbers in each call. Which of the values that are given belongs
#     there?
# dW2: failed | This is computed with your `dropout_backward`, which is not right yet: start there.
# others: any

def dropout_backward(dout, keep, p):
    mask = torch.rand_like(dout) > p
    return dout * mask / (1 - p)
