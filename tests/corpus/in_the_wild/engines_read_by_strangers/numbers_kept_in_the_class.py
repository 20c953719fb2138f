"""A product stores its numbers in the class, where the next product replaces them.

lesson: 18
alone: yes
engine: micrograd
value_forward: passed
value_gradients: failed
value_graphs: failed | = In `a * b + c * d`, the gradient of `a` is `d`: the first product uses what the second one has
    stored. Where does an operation keep its numbers, in an object of its own or in a place that all share?
value_detach: failed | = In `a * b + c * d`, the gradient of `a` is `d`: the first product uses what the second one has
    stored. Where does an operation keep its numbers, in an object of its own or in a place that all share?
value_again: failed | = In `a * b + c * d`, the gradient of `a` is `d`: the first product uses what the second one has
    stored. Where does an operation keep its numbers, in an object of its own or in a place that all share?
value_deep: failed | = In `a * b + c * d`, the gradient of `a` is `d`: the first product uses what the second one has
    stored. Where does an operation keep its numbers, in an object of its own or in a place that all share?
others: any
"""


class Value:
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))
        Value.left, Value.right = self.data, other.data
        def _backward():
            self.grad += Value.right * out.grad
            other.grad += Value.left * out.grad
        out._backward = _backward
        return out
