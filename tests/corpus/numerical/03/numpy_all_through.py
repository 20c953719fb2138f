# right
import numpy as np

def dcounts_sum(dcounts_sum_inv, counts_sum):
    c, up = counts_sum.numpy(), dcounts_sum_inv.numpy()
    return torch.from_numpy(-up / np.square(c) * np.exp(np.log(c)) / c)
