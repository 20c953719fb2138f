"""Names of libraries that the stub does not import.

lesson: 12
dq: error | = NameError: name 'np' is not defined. `np` is not imported: write `import numpy as np` at the top of the
    file.
dz: error | = NameError: name 'F' is not defined. `F` is not imported: write `import torch.nn.functional as F` at the
    top of the file.
"""

def dz(dp, p):
    return F.softmax(p, 2) * dp


def dq(dscores, k):
    return dscores @ k / np.sqrt(k.shape[2])
