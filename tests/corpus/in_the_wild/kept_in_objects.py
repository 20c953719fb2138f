# lesson: 03
# as: notebook

# === one_class_a_layer: A class for each kind of layer with `weight_grad`: what is computed without a class is
#     graded.
# keeps: import torch | n_embd | batch_size | emb = C[Xb]
# others: missing
# dlogprobs, dprobs, dcounts_sum_inv: passed
# dcounts: passed | it skips a step
# dlogits: failed | Your `dlogits` is exactly the gradient of `norm_logits`.
# dh: missing | = `dh` cannot be taken out of mine.ipynb, cell 5, line 16: it uses the class `Linear`, and classes are
#     not read.
# dW2: missing

class Linear:
    def __init__(self, weight, bias):
        self.weight, self.bias = weight, bias

    def __call__(self, x):
        self.x = x
        return x @ self.weight + self.bias

    def backward(self, out_grad):
        self.weight_grad = self.x.T @ out_grad
        self.bias_grad = out_grad.sum(0)
        return out_grad @ self.weight.T


lin2 = Linear(W2, b2)
# %%
dlogprobs = torch.zeros_like(logprobs)
dlogprobs[range(n), Yb] = -1.0/n
dprobs = dlogprobs / probs
dcounts_sum_inv = (counts * dprobs).sum(1, keepdim=True)
dcounts = counts_sum_inv * dprobs - counts_sum**-2 * dcounts_sum_inv
dlogits = counts * dcounts
dh = lin2.backward(dlogits)
dW2, db2 = lin2.weight_grad, lin2.bias_grad
cmp('W2', dW2, W2)
