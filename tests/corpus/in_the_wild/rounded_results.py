# === two_decimals_and_whole_numbers: Rounded by a function of torch, and as whole numbers.
# lesson: 01
# by: both
# dpositive: failed | = `torch.round(dlogarithm / positive, decimals=2)` rounds. Without the rounding, your
#     `dpositive` is right.
# db: shape | = `dz.sum(0).to(torch.int64)` rounds. Without the rounding, your `db` is right.

def dpositive(dlogarithm, positive):
    return torch.round(dlogarithm / positive, decimals=2)


def db(dz):
    return dz.sum(0).to(torch.int64)
