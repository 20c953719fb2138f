"""A class whose methods assign gradients, but nothing creates an object of it: there is nothing to grade.

lesson: 03
as: notebook
keeps: import torch | n_embd | batch_size | emb = C[Xb]
dlogprobs: missing | `dlogprobs` is assigned inside of `Backprop` only (mine.ipynb, cell 5, line 4)
dprobs: missing | `dprobs` is assigned inside of `Backprop` only (mine.ipynb, cell 5, line 6)
others: missing
"""

class Backprop:
    def backward(self):
        self.dlogprobs = torch.zeros_like(logprobs)
        self.dlogprobs[range(n), Yb] = -1.0 / n
        self.dprobs = self.dlogprobs / probs
