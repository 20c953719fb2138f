# === detach_keeps_the_gradient: The detached leaf has the same tensor as its `grad`: it is no new leaf.
# lesson: 18
# tensor_detach: failed | = `a.detach()` is a new leaf, so its `grad` begins with zero. Yours has a gradient.

def detach(self):
    new = Tensor(self.data)
    new.grad = self.grad
    return new


Tensor.detach = detach
