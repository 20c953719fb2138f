"""Known mistakes of lesson 18, each with the message that its author gets.

Many of them are recognised by small graphs on which they have one outcome, however the engine is written; see GRAPHS,
PASSES and the other probes in the hidden suite. The edits here show one way of making each.
"""

import torch

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
[Value]
- gradients[id(each)] = gradients[id(each)] + term if id(each) in gradients else term
overwritten: gradients[id(each)] = term
    A value that is used twice gets a gradient from each use. Yours keeps one of them: do you assign somewhere, instead
    of adding?
aliased:
        if id(each) in gradients:
            gradients[id(each)] += term
        else:
            gradients[id(each)] = term
    Two values share one gradient tensor. `+=` changes a tensor in place, and with it every other place that holds it.
    Does an operation pass its upstream gradient on as it is?

- value.grad = value.grad + g
leaf_aliased:
        if isinstance(g, float) or not value.grad.any():
            value.grad = g if not isinstance(g, float) else value.grad + g
        else:
            value.grad += g
    In a second pass, too much is added. Does a leaf hold a tensor that `+=` changes elsewhere, too: the caller's
    upstream gradient, another leaf's gradient? Or does the end keep its gradient of the first pass?

- elif id(value) not in seen:
-     seen.add(id(value))
by_number:
        elif repr(value.data) not in seen:
            seen.add(repr(value.data))
    Two values with equal numbers are taken for one. Neither the visited values nor their gradients may be found by
    number: use the objects themselves.

- while waiting:  # depth first: a value is appended after everything that it was computed from
-     value, is_complete = waiting.pop()
-     if is_complete:
-         order.append(value)
-     elif id(value) not in seen:
-         seen.add(id(value))
-         waiting.append((value, True))
-         waiting += [(each, False) for each, _ in value.inputs]
- gradients = {id(self): gradient}  # of this pass alone
- for value in reversed(order):
-     g = gradients[id(value)]
uses_counted_again:
        uses, waiting = {}, [self]
        while waiting and len(uses) < 100_000:
            for each, _ in waiting.pop().inputs:
                uses[id(each)] = uses.get(id(each), 0) + 1
                waiting.append(each)
        ready = [self]
        while ready:
            value = ready.pop()
            order.append(value)
            for each, _ in value.inputs:
                uses[id(each)] -= 1
                if uses[id(each)] == 0:
                    ready.append(each)
        gradients = {id(self): gradient}
        for value in order:
            g = gradients[id(value)]
    Nothing reaches the inputs of a value that is used twice. If you count uses, each operation counts once for each of
    its inputs, however many paths lead to it: does your search mark where it has been?

- while waiting:  # depth first: a value is appended after everything that it was computed from
-     value, is_complete = waiting.pop()
-     if is_complete:
-         order.append(value)
-     elif id(value) not in seen:
-         seen.add(id(value))
-         waiting.append((value, True))
-         waiting += [(each, False) for each, _ in value.inputs]
- gradients = {id(self): gradient}  # of this pass alone
- for value in reversed(order):
not_topological:
        while waiting:
            value, _ = waiting.pop()
            if id(value) not in seen:
                seen.add(id(value))
                order.append(value)
                waiting += [(each, False) for each, _ in value.inputs]
        gradients = {id(self): gradient}
        for value in order:
    A value sends its gradient on before all gradients have reached it. Which values have to be finished first, and
    when does a depth-first search append a value?

- for value in reversed(order):
-     g = gradients[id(value)]
not_reversed:
        for value in order:
            g = gradients.get(id(value), 0.0)
    Gradients do not get through to all leaves. In which direction do they go, and does every value between the end
    and a leaf get its turn?

- elif id(value) not in seen:
no_visited: else:
    A value that is used twice sends on twice what it should send once. How often may it get its turn?

- gradients = {id(self): gradient}  # of this pass alone
- for value in reversed(order):
-     g = gradients[id(value)]
-     if not value.inputs:
-         value.grad = value.grad + g
-     for each, pull in value.inputs:
-         term = pull(g)
-         gradients[id(each)] = gradients[id(each)] + term if id(each) in gradients else term
kept:
        self.grad = self.grad + gradient
        for value in reversed(order):
            for each, pull in value.inputs:
                each.grad = each.grad + pull(value.grad)
    A second pass begins with what the first one left in values that are not leaves, so that part is sent back again.
    Only leaves add up over passes.
loop_variable:
        gradients = {id(self): gradient}
        for value in reversed(order):
            g = gradients.get(id(value), 0.0)
            if not value.inputs:
                value.grad = value.grad + g
            for get in [lambda: (each, pull) for each, pull in value.inputs]:
                each, pull = get()
                gradients[id(each)] = gradients.get(id(each), 0.0) + pull(g)
    Only the last input of an operation gets a gradient: does it get the other one's, too? A function that is made in a
    loop reads the loop's variable when it is called, not when it is made.

- gradients = {id(self): gradient}  # of this pass alone
starts_over:
        gradients = {id(self): gradient}
        for value in order:
            value.grad = value.grad * 0
    A pass deletes the gradients of the passes before it. `backward` adds to the `grad` of a leaf; `zero_grad` is what
    sets it to zero.

- for each, pull in value.inputs:
-     term = pull(g)
freed:
        inputs, value.inputs = value.inputs, ()
        for each, pull in inputs:
            term = pull(g)
    After one pass, the next one adds nothing to the leaves. What stops it: inputs that were removed, an empty list,
    marks on the values?

- value.grad = value.grad + g
leaf_overwritten: value.grad = g if value is self else value.grad + g
    `backward` of a leaf replaces the gradient that is there already. It should add to it.

- def _backward(self, gradient):
-     order, seen, waiting = [], set(), [(self, False)]
-     while waiting:  # depth first: a value is appended after everything that it was computed from
-         value, is_complete = waiting.pop()
-         if is_complete:
-             order.append(value)
-         elif id(value) not in seen:
-             seen.add(id(value))
-             waiting.append((value, True))
-             waiting += [(each, False) for each, _ in value.inputs]
recursion:
        def _backward(self, gradient):
            order, seen = [], set()

            def visit(value):
                if id(value) not in seen:
                    seen.add(id(value))
                    for each, _ in value.inputs:
                        visit(each)
                    order.append(value)

            visit(self)
    Python allows about 1,000 calls within each other, and this graph is deeper. Go through it with a list of the values
    that wait, instead of a function that calls itself.

- order, seen, waiting = [], set(), [(self, False)]
- while waiting:  # depth first: a value is appended after everything that it was computed from
-     value, is_complete = waiting.pop()
-     if is_complete:
-         order.append(value)
-     elif id(value) not in seen:
-         seen.add(id(value))
-         waiting.append((value, True))
-         waiting += [(each, False) for each, _ in value.inputs]
- gradients = {id(self): gradient}  # of this pass alone
- for value in reversed(order):
-     g = gradients[id(value)]
-     if not value.inputs:
-         value.grad = value.grad + g
-     for each, pull in value.inputs:
-         term = pull(g)
-         gradients[id(each)] = gradients[id(each)] + term if id(each) in gradients else term
every_path:
        waiting = [(self, gradient)]
        while waiting:
            value, g = waiting.pop()
            if not value.inputs:
                value.grad = value.grad + g
            waiting += [(each, pull(g)) for each, pull in value.inputs]
    The gradient is right here, but `backward` goes along every path of the graph: twice as many with each value that is
    used twice. Add up the gradients of a value first, then go on from it once.

- gradients = {id(self): gradient}  # of this pass alone
no_start: gradients = {id(self): 0 * gradient}
    A leaf's `grad` stays at zero. What is the gradient of a value with respect to itself? `backward` begins with it,
    also if the value is a leaf.

- self.grad = 0.0
not_zeroed: pass
    After `zero_grad`, a second pass gives the gradient of both passes together. What is still there from the first one:
    the leaf's gradient, or the end's?
zeroed_to_none: self.grad = None
    After `zero_grad`, the next pass finds None where it needs something else. Is that in `grad`? It should be zero.

- return Value(self.data)
not_detached: return self
    A gradient goes back through the detached value. It has to be a new leaf, which has no inputs.
cut_off:
        self.inputs = ()
        return self
    `detach` cuts the value itself off. Its result should be a new leaf, and `self` should stay as it is.

- other = other if isinstance(other, Value) else Value(other)
- return Value(self.data + other.data, [(self, lambda g: g), (other, lambda g: g)])
number_not_wrapped: return Value(self.data + other.data, [(self, lambda g: g), (other, lambda g: g)])
    A plain number has no `data`. `other` may be one, as in `a + 3`; the exponent in `a ** 3` always is one. Where do
    you read a plain number like an object of your class?
sum_without_other:
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, [(self, lambda g: g)])
    In a sum or a difference, the input on the right gets no gradient. Which inputs move the result?

- return Value(self.data * other.data, [(self, lambda g: g * other.data), (other, lambda g: g * self.data)])
own_factor: return Value(self.data * other.data, [(self, lambda g: g * self.data), (other, lambda g: g * other.data)])
    In a product, each input gets the upstream gradient times its own number. Which number is the slope of `a * b` in
    `a`?
product_without_upstream:
        return Value(self.data * other.data, [(self, lambda g: other.data), (other, lambda g: self.data)])
    A product sends back its local derivatives alone. The upstream gradient is missing.

- return self * other**-1
quotient_without_square:
        return Value(
            self.data / other.data,
            [(self, lambda g: g / other.data), (other, lambda g: -g * self.data / other.data)],
        )
    The gradient of the divisor is not right. What is the derivative of `1 / b` with respect to `b`? If you divide by
    means of `b ** -1`, look at the row `value_power` first.
quotient_without_sign:
        return Value(
            self.data / other.data,
            [(self, lambda g: g / other.data), (other, lambda g: g * self.data / other.data**2)],
        )
    In `a / b`, a larger `b` makes the result smaller if both are positive. Which sign does its gradient have?

- return Value(self.data**exponent, [(self, lambda g: g * slope)])
power_without_upstream: return Value(self.data**exponent, [(self, lambda g: slope)])
    A power, or `1 / b` in a quotient `a / b`, sends back its local derivative alone. Which factor is missing: the
    upstream gradient, or `a`?
power_without_exponent: return Value(self.data**exponent, [(self, lambda g: g * self.data ** (exponent - 1))])
    The exponent is missing as a factor in the slope of a power.
one_off_the_power: return Value(self.data**exponent, [(self, lambda g: g * (exponent * self.data**exponent - 1))])
    In the slope of a power, the 1 is subtracted from the whole product. From what should it be subtracted?
same_exponent: return Value(self.data**exponent, [(self, lambda g: g * exponent * self.data**exponent)])
    Here the slope of a power has the same exponent as the power. Which one does the derivative have?

- return Value(t, [(self, lambda g: g * (1 - t**2))])
tanh_of_the_input: return Value(t, [(self, lambda g: g * (1 - self.data**2))])
    The slope 1 - t² of tanh is written with its output, not with its input.
tanh_without_square: return Value(t, [(self, lambda g: g * (1 - t))])
    The slope of tanh is not 1 - t. Lesson 01 derives it.
tanh_without_upstream: return Value(t, [(self, lambda g: 1 - t**2)])
    `tanh` sends back its local derivative alone. The upstream gradient is missing.

- return Value(e, [(self, lambda g: g * e)])
exp_of_the_input: return Value(e, [(self, lambda g: g * self.data)])
    The derivative of exp is exp itself: its output, not its input.
exp_without_upstream: return Value(e, [(self, lambda g: e)])
    `exp` sends back its local derivative alone. The upstream gradient is missing.

- return Value(max(0.0, self.data), [(self, lambda g: g if is_open else 0.0)])
relu_always_open: return Value(max(0.0, self.data), [(self, lambda g: g)])
    Here the gradient passes `relu` where the input is negative, too. What is the slope there?
relu_without_upstream: return Value(max(0.0, self.data), [(self, lambda g: 1.0 if is_open else 0.0)])
    `relu` sends back its local derivative alone. The upstream gradient is missing.
relu_times_input: return Value(max(0.0, self.data), [(self, lambda g: g * max(0.0, self.data))])
    The gradient is multiplied by relu's value. What is the slope of relu where its input is positive?
relu_of_the_gradient: return Value(max(0.0, self.data), [(self, lambda g: max(0.0, g))])
    Relu is applied to the gradient here. Whether a gradient passes depends on the input, not on the gradient's sign.

[unbroadcast]
mean_of_copies:
        gradient = gradient.mean(tuple(range(gradient.ndim - len(shape)))) if gradient.ndim > len(shape) else gradient
        stretched = tuple(axis for axis, size in enumerate(shape) if size < gradient.shape[axis])
        gradient.mean(stretched, keepdim=True) if stretched else gradient
    This is a mean over the copies. Each of them counts in full.
first_copy:
        gradient = gradient[(0,) * (gradient.ndim - len(shape))]
        gradient[tuple(slice(0, size) for size in shape)]
    This is the gradient of one of the copies. What about the others?
first_along_a_stretched_axis:
        gradient = gradient.sum(tuple(range(gradient.ndim - len(shape)))) if gradient.ndim > len(shape) else gradient
        gradient[tuple(slice(0, size) for size in shape)]
    Along an axis of size 1, this is the gradient of the first copy. What about the others?

[Tensor]
- self.data = data if isinstance(data, torch.Tensor) else torch.tensor(data, dtype=torch.float64)
whole_numbers: self.data = torch.as_tensor(data)
    A plain number such as 2 becomes a tensor of integers, and these have no negative powers. Which dtype should it
    have?

- (other, lambda g: unbroadcast(g, other.data.shape)),
not_unbroadcast: (other, lambda g: g),
    A gradient does not have the shape of its tensor, which was broadcast. Are its copies summed, and over the right
    axes?

- (self, lambda g: unbroadcast(g * other.data, self.data.shape)),
- (other, lambda g: unbroadcast(g * self.data, other.data.shape)),
summed_before_the_product:
        (self, lambda g: unbroadcast(unbroadcast(g, self.data.shape) * other.data, self.data.shape)),
        (other, lambda g: unbroadcast(unbroadcast(g, other.data.shape) * self.data, other.data.shape)),
    In a product, the upstream gradient is summed over the copies before the other factor comes in. Each copy met
    another element of that factor: what comes first, the product or the sum?

- return Tensor(total if keepdim else self.data.sum(dims), back)
sum_without_upstream:
        return Tensor(total if keepdim else self.data.sum(dims), [(self, lambda g: torch.ones_like(self.data))])
    The gradient of a sum is not always one: each element gets the gradient of the sum that it is in.

- back = [(self, lambda g: g.reshape(total.shape).expand(self.data.shape))]
axis_not_put_back: back = [(self, lambda g: g.expand(self.data.shape))]
    A sum has lost an axis. Before the gradient is expanded, the axis has to come back in its own place: here the
    gradient runs along the wrong one.

- return gradient.index_add(0, places.reshape(-1), g.reshape(-1)).reshape(self.data.shape)
assigned:
        gradient[places.reshape(-1)] = g.reshape(-1)
        return gradient.reshape(self.data.shape)
    An element that was read several times gets one of its gradients. An assignment through an index, also with `+=`,
    keeps one value per place: which operation adds all?
not_put_back: return g
    The upstream gradient is passed on as it is. Each of its elements belongs to the place that was read. Which shape
    does the gradient of the input have, and what is in the other places?
nowhere_else: return torch.ones_like(gradient).index_copy(0, places.reshape(-1), g.reshape(-1)).reshape(self.data.shape)
    Elements that were not read have a gradient of one. Nothing depends on them.

- return Tensor(self.data.permute(*axes), [(self, lambda g: g.permute(*inverse))])
same_permutation: return Tensor(self.data.permute(*axes), [(self, lambda g: g.permute(*axes))])
    The gradient is permuted in the same way as the tensor. Which permutation brings the axes back?

- (self, lambda g: unbroadcast(g * share, self.data.shape)),
- (other, lambda g: unbroadcast(g * (1 - share), other.data.shape)),
both_sides:
        (self, lambda g: unbroadcast(g, self.data.shape)),
        (other, lambda g: unbroadcast(g, other.data.shape)),
    Both sides of `maximum` get the whole gradient, everywhere. What does a small change of the smaller one change?
twice_at_ties:
        (self, lambda g: unbroadcast(g * (self.data >= other.data), self.data.shape)),
        (other, lambda g: unbroadcast(g * (self.data <= other.data), other.data.shape)),
    Where both sides of `maximum` are equal, each gets the whole gradient: it is counted twice.
nobody_at_ties:
        (self, lambda g: unbroadcast(g * (self.data > other.data), self.data.shape)),
        (other, lambda g: unbroadcast(g * (self.data < other.data), other.data.shape)),
    Where both sides of `maximum` are equal, neither gets the gradient: it is lost.
exchanged_sides:
        (self, lambda g: unbroadcast(g * (1 - share), self.data.shape)),
        (other, lambda g: unbroadcast(g * share, other.data.shape)),
    Here the smaller side of `maximum` gets the gradient. Which side moves the result?

- (self, lambda g: unbroadcast(g @ other.data.transpose(-2, -1), self.data.shape)),
- (other, lambda g: unbroadcast(self.data.transpose(-2, -1) @ g, other.data.shape)),
products_not_transposed:
        (self, lambda g: g @ other.data),
        (other, lambda g: self.data @ g),
    In a gradient of `a @ b`, the other factor is used as it is, not transposed. With square matrices the shapes fit all
    the same.
batch_axis_moved:
        (self, lambda g: unbroadcast(g @ other.data.permute(*reversed(range(other.data.ndim))), self.data.shape)),
        (other, lambda g: unbroadcast(self.data.permute(*reversed(range(self.data.ndim))) @ g, other.data.shape)),
    With a batch of matrices, an axis of the batch is moved, too: `.T` reverses all axes, and `transpose(0, 1)`
    exchanges the first two. Which two axes are those of the matrices?

- return Tensor(t, [(self, lambda g: g * (1 - t**2))])
tanh_of_the_input: return Tensor(t, [(self, lambda g: g * (1 - self.data**2))])
    The slope 1 - t² of tanh is written with its output, not with its input.
tanh_without_upstream: return Tensor(t, [(self, lambda g: 1 - t**2)])
    `tanh` sends back its local derivative alone. The upstream gradient is missing.

- return Tensor(e, [(self, lambda g: g * e)])
exp_without_upstream: return Tensor(e, [(self, lambda g: e)])
    `exp` sends back its local derivative alone. The upstream gradient is missing.

- return Tensor(self.data**exponent, [(self, lambda g: g * slope)])
power_without_upstream: return Tensor(self.data**exponent, [(self, lambda g: slope)])
    A power, or `1 / b` in a quotient `a / b`, sends back its local derivative alone. Which factor is missing: the
    upstream gradient, or `a`?

- return Tensor(self.data.log(), [(self, lambda g: g / self.data)])
log_by_the_result: return Tensor(self.data.log(), [(self, lambda g: g / self.data.log())])
    The gradient is divided by the logarithm itself. The slope of log is one over its input.
log_times: return Tensor(self.data.log(), [(self, lambda g: g * self.data)])
    Here the gradient is multiplied by the input of log. What is the slope of log?

- Value._backward(self, torch.ones_like(self.data) if gradient is None else gradient)
upstream_ignored: Value._backward(self, torch.ones_like(self.data))
    The gradients are as if `backward(gradient)` had got ones. Does the pass begin with the gradient that it gets, and
    does each operation use its upstream gradient?
""")
