"""A slope of 0.1 in one method, and a division by the data in another: no difference quotient.

lesson: 18
alone: yes
engine: micrograd
value_forward: passed
value_gradients: passed
value_graphs: passed
value_detach: passed
value_again: passed
unbroadcast: missing | = There is no function `unbroadcast` in the file.
tensor_elementwise: missing | = There is no class `Tensor` in the file.
tensor_broadcasting: missing | = There is no class `Tensor` in the file.
tensor_sum: missing | = There is no class `Tensor` in the file.
tensor_getitem: missing | = There is no class `Tensor` in the file.
tensor_reshape: missing | = There is no class `Tensor` in the file.
tensor_permute: missing | = There is no class `Tensor` in the file.
tensor_maximum: missing | = There is no class `Tensor` in the file.
tensor_matmul: missing | = There is no class `Tensor` in the file.
tensor_graphs: missing | = There is no class `Tensor` in the file.
network: missing | = There is no class `Tensor` in the file.
tensor_deep: missing | = There is no class `Tensor` in the file.
value_deep: passed
others: missing
"""


class Value:
    def leaky_relu(self, alpha=0.1):
        z = self.data if self.data >= 0 else self.data * alpha
        out = Value(z, (self,))
        def _backward():
            self.grad += out.grad * (out.data > 0) + out.grad * alpha * (out.data < 0)
        out._backward = _backward
        return out

    def log(self):
        out = Value(math.log(self.data), (self,))
        def _backward():
            self.grad += out.grad * 1.0 / self.data
        out._backward = _backward
        return out
