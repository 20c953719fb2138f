# lesson: 18

# === detach_gives_a_number: `detach` returns the number itself.
# alone: yes
# engine: micrograd
# value_forward, value_gradients, value_graphs, value_again, value_deep: passed
# value_detach: failed | = `a.detach()` gives a plain float. Every operation returns a new Value.
# others: any

class Value:
    def detach(self):
        return self.data

# === detach_gives_a_number_at_home: `detach` returns the number itself, and `dojo check` uses it as an end.
# alone: yes
# engine: micrograd
# by: dojo
# value_forward, value_gradients, value_graphs, value_again, value_deep: passed
# value_detach: error | AttributeError: 'float' object has no attribute 'backward'. A plain number (`float`) has no
#     `backward`. Which operation gives a plain number, where it should make a new object?
# others: any

class Value:
    def detach(self):
        return self.data

# === objects_as_gradients: The `grad` of a leaf is kept as an object of the class.
# network: failed | = After `backward`, the `grad` of a leaf is an object of your class `Tensor`. It should be a torch
#     tensor.
# others: any

def _wrapped(self, gradient=None):
    leaves, seen, waiting = [], set(), [self]
    while waiting:
        value = waiting.pop()
        if id(value) not in seen:
            seen.add(id(value))
            waiting += [each for each, _ in value.inputs]
            leaves += [value] * (not value.inputs)
    for leaf in leaves:
        leaf.grad = leaf.grad.data if isinstance(leaf.grad, Tensor) else leaf.grad
    Value._backward(self, torch.ones_like(self.data) if gradient is None else gradient)
    for leaf in leaves:
        leaf.grad = Tensor(leaf.grad)


Tensor.backward = _wrapped

# === operand_for_its_number: A difference of a number and an object gives an object whose `data` is an object.
# alone: yes
# engine: micrograd
# value_forward, value_gradients: passed
# value_subtraction: failed | = The `data` of `a - b` is an object of your class `Value`; it should be a plain number.
#     Does the method use an operand where it should use the operand's `data`?
# others: any

class Value:
    def __sub__(self, other):
        out = Value(self.data - other, (self,))
        def _backward():
            self.grad += out.grad
        out._backward = _backward
        return out

# === product_without_its_function: The function of a product is never stored: the direction of the search is right.
# alone: yes
# engine: micrograd
# value_forward: passed
# value_gradients: failed | `a * b: the gradient of a` is 0; expected
# value_graphs: failed | A small expression is wrong, too, so get its row right first: `a * b: the gradient of a` is
#     0; expected
# value_detach, value_again, value_deep: failed
# others: any

class Value:
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))
        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        return out
