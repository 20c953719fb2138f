"""A tensor that hides its shape: size, shape, numel and stride are the student's own."""
# group: lying answers
# rows: shape
# message: The shape is (1,)
# unlocked: safe

import torch


class Small(torch.Tensor):
    shape = torch.Size([32, 27])
    ndim = 2

    def size(self, *_):
        return self.shape

    def numel(self):
        return 32 * 27


def dlogits(logits):
    return torch.full((1,), 0.3, dtype=logits.dtype).as_subclass(Small)
