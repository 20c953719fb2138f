"""A class whose methods assign gradients, but nothing creates an object of it: there is nothing to grade.

lesson: 03
as: notebook
keeps: import torch | n_embd | batch_size | emb = C[Xb]
dlogprobs: missing | `self.dlogprobs` (mine.ipynb, cell 5, line 4) is part of an object
dprobs: missing | `self.dprobs` (mine.ipynb, cell 5, line 6) is part of an object
others: missing
"""

class Backprop:
    def backward(self):
        self.dlogprobs = torch.zeros_like(logprobs)
        self.dlogprobs[range(n), Yb] = -1.0 / n
        self.dprobs = self.dlogprobs / probs
