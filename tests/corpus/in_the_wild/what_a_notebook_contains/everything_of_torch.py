"""The notebook has `from torch import *`, and uses torch's functions without its name.

lesson: 03
as: notebook
alone: yes
dlogprobs: passed
dlogits: passed
dprobs: error | NameError
others: missing
"""

from torch import *
import torch.nn.functional as F

dlogprobs = zeros_like(logprobs)
dlogprobs[arange(n), Yb] = -1.0 / n
dprobs = dlogprobs / wahrscheinlichkeiten
dlogits = clone(dnorm_logits) + F.one_hot(argmax(logits, 1), logits.shape[1]) * dlogit_maxes
