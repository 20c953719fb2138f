"""The public examples that `dojo check 18` runs: small expressions with results worked out by hand, or by PyTorch.

The hidden test suite draws new expressions each time. You can run each of these by hand as well: `text` is plain
Python.
"""

import math
import re
from contextlib import suppress
from pathlib import Path

import torch

from grader.calling.protocol import Function
from grader.lesson.course_modules import load_module

network = load_module(Path(__file__).with_name("network.py"), "backprop_ninja_network_of_examples")


class Leaf(torch.Tensor):
    """torch's tensor, with the methods of this lesson."""

    def backward(self, gradient=None):
        super().backward(gradient, retain_graph=True)

    def zero_grad(self):
        self.grad = None

    def maximum(self, other):
        return torch.maximum(self, torch.as_tensor(other, dtype=self.dtype))


class Torch:
    @staticmethod
    def Tensor(data):
        return data.clone().as_subclass(Leaf).requires_grad_()


def value_of(Value, text, numbers):
    return float(eval(text, {name: Value(number) for name, number in numbers.items()}).data)


def gradients_of(Value, text, numbers, ends):
    """Run `text`, which assigns to names, and `backward` of each of the ends; "zero" stands for zero_grad.

    An end that is not a name is a statement, which runs between two passes.
    """
    leaves = {name: Value(number) for name, number in numbers.items()}
    names = dict(leaves)
    exec(text, names)
    for end in ends:
        if end == "zero":
            for leaf in leaves.values():
                leaf.zero_grad()
        elif end in names:
            names[end].backward()
        else:
            exec(end, names)
    found = {"the value": float(names["end"].data)} if "end" in names else {}
    return {**found, **{f"the gradient of {name}": float(leaf.grad or 0.0) for name, leaf in leaves.items()}}


def tensor_gradients(Tensor, text, tensors, upstream, passes=1):
    """The value, and the gradients. An upstream gradient of None stands for none, where the end is one number."""
    with torch.enable_grad():
        leaves = {name: Tensor(tensor) for name, tensor in tensors.items()}
        names = {"torch": torch, **leaves}
        exec(text, names)
        end = names["end"]
        for _ in range(passes):
            end.backward() if upstream is None else end.backward(upstream)
        found = {"the value": torch.as_tensor(end.data)}
        for name, leaf in leaves.items():
            grad = torch.zeros(leaf.data.shape) if leaf.grad is None else leaf.grad
            found[f"the gradient of {name}"] = torch.as_tensor(grad.data if type(grad) is type(leaf) else grad)
            found[f"{name} afterwards"] = torch.as_tensor(leaf.data)
        return found


def gradients_of_a_chain(Number, length):
    """a + a, then b + that, then that + a ..., with `length` additions; `Number` makes the leaves."""
    a, b = Number(2.0), Number(-4.0)
    x = a
    for count in range(length):
        x = b + x if count % 2 else x + a
    x.backward()
    return {"the value": float(x.data), "the gradient of a": float(a.grad), "the gradient of b": float(b.grad)}


def chain_of_tensors(Tensor, chain, length):
    return chain(lambda number: Tensor(torch.tensor(number, dtype=torch.float64)), length)


def missing_methods(Class, methods):
    return [method for method in methods if not hasattr(Class, method)]


MISSING = Function(missing_methods)
OPERATORS = {
    **{"__add__": "a + b", "__mul__": "a * b", "__sub__": "a - b", "__truediv__": "a / b", "__pow__": "a ** 2"},
    **{"__neg__": "-a", "__radd__": "2 + a", "__rmul__": "2 * a", "__rsub__": "2 - a", "__rtruediv__": "2 / a"},
    **{"__matmul__": "a @ b", "__getitem__": "a[index]"},
}


def needs(check, kind, *methods):
    """End the check, with the status `missing`, where the class does not have one of the methods."""
    for method in check.on.run_with([kind], MISSING, list(methods)):
        why = f", which Python calls for `{OPERATORS[method]}`" if method in OPERATORS else ""
        check.fail(f"`{kind}` has no `{method}` yet{why}.", status="missing")


VALUE, GRADIENTS, TENSORS = Function(value_of), Function(gradients_of), Function(tensor_gradients)
CHAIN, TRAIN = Function(gradients_of_a_chain), Function(network.train)
NUMBERS = {"a": 2.0, "b": -4.0, "d": 3.0}


def test_value_forward(check):
    texts = {"a + b": -2.0, "a * b": -8.0, "a * b + a": -6.0, "(a + b) * b": 8.0}
    check.equals({text: check.on.run_with(["Value"], VALUE, text, NUMBERS) for text in texts}, texts)


def slopes(check, expected, *ends):
    """`expected`: {text: (gradient of a, of b, and of d where the text reads it)}"""
    found, right = {}, {}
    for text, gradients in expected.items():
        numbers = dict(zip(NUMBERS, list(NUMBERS.values())[: len(gradients)], strict=False))
        found[text] = check.on.run_with(["Value"], GRADIENTS, text, numbers, list(ends or ("end",)))
        right[text] = {f"the gradient of {name}": slope for name, slope in zip(NUMBERS, gradients, strict=False)}
        names, value = dict(numbers), found[text].get("the value")
        with suppress(AttributeError):  # a number has no `tanh`
            exec(text, names)
        if value is not None:
            right[text]["the value"] = names.get("end", value)
    then = f", backward from {', '.join(ends)}" if ends else ""
    check.equals(*({text.replace("\n", "; ") + then: table for text, table in each.items()} for each in (found, right)))


def test_value_gradients(check):
    slopes(check, {"end = a + b": (1, 1), "end = a * b": (-4, 2), "end = (a + b) * d": (3, 3, -2)})


def test_value_numbers(check):
    slopes(check, {"end = a * 3 + b": (3, 1), "end = (a + 5) * b": (-4, 7)})


def test_value_reflected(check):
    needs(check, "Value", "__radd__", "__rmul__", "__rsub__", "__rtruediv__")
    slopes(check, {"end = 3 + a + b": (1, 1), "end = 2 * a * b": (-8, 4), "end = 1 - a * b": (4, -2)})
    slopes(check, {"end = 8 / a + b": (-2, 1)})


def test_value_negation(check):
    needs(check, "Value", "__neg__")
    slopes(check, {"end = -b + a": (1, -1), "end = -(a * b)": (4, -2)})


def test_value_subtraction(check):
    needs(check, "Value", "__sub__")
    slopes(check, {"end = a - b": (1, -1), "end = (a - b) * d": (3, -3, 6)})


def test_value_division(check):
    needs(check, "Value", "__truediv__")
    slopes(check, {"end = b / a": (1, 0.5), "end = a / b": (-0.25, -0.125)})


def test_value_power(check):
    needs(check, "Value", "__pow__")
    slopes(check, {"end = a ** 3 + b": (12, 1), "end = a ** -1 * b": (1, 0.5)})


def test_value_tanh(check):
    needs(check, "Value", "tanh")
    t = math.tanh(1)
    slopes(check, {"end = (a + -2).tanh() * b": (-4, 0), "end = (a + -1).tanh() + b": (1 - t * t, 1)})


def test_value_exp(check):
    needs(check, "Value", "exp")
    slopes(check, {"end = (a + -1).exp() * b": (-4 * math.e, math.e)})


def test_value_relu(check):
    needs(check, "Value", "relu")
    slopes(check, {"end = b.relu() + a": (1, 0), "end = (b * -1).relu() + a": (1, -1), "end = a.relu() * b": (-4, 2)})


def test_value_graphs(check):
    slopes(check, {"end = a + a * b": (-3, 2), "c = a * b\nend = c + c * a": (-20, 6)})
    slopes(check, {"c = a * b\nd = c + a\nend = c * d": (48, -28), "c = a * a\nend = c * c": (32, 0)})


def test_value_detach(check):
    needs(check, "Value", "detach")
    slopes(check, {"end = (a * b).detach() * a": (-8, 0), "c = a * a\nend = c.detach() + c": (4, 0)})
    slopes(check, {"end = a * b": (-8, 4)}, "end", "cut = a.detach()", "end")
    slopes(check, {"cut = (a * b).detach()\nend = cut * a": (-16, 0)}, "end", "cut", "end")


def test_value_again(check):
    slopes(check, {"c = a * a\nend = c * b": (-32, 8)}, "end", "end")
    slopes(check, {"c = a * a\nend = c * b\nother = c + b": (-12, 5)}, "end", "other")
    slopes(check, {"end = a * b": (-3, 2)}, "end", "a")


def test_value_zero_grad(check):
    needs(check, "Value", "zero_grad")
    slopes(check, {"c = a * a\nend = c * b": (-16, 4)}, "end", "zero", "end")


def test_unbroadcast(check):
    g = torch.tensor([[1.5, 2.0, 3.0], [4.0, 5.0, 7.0]], dtype=torch.float64)
    sums = {(3,): [5.5, 7.0, 10.0], (2, 1): [[6.5], [16.0]], (1, 3): [[5.5, 7.0, 10.0]], (): 22.5}
    for shape, summed in sums.items():
        check.gives("unbroadcast", (g, shape), torch.tensor(summed, dtype=torch.float64))


def cases(*texts, shapes=((2, 3), (3,))):
    """A scenario: each text with the tensors of a, b ... that it reads, of these shapes, and an upstream gradient."""

    def scenario(on, generator):
        found = {}
        for text, shape in texts:
            read = [(name, s) for name, s in zip("abcd", shapes, strict=False) if re.search(rf"\b{name}\b", text)]
            given = {name: torch.rand(s, generator=generator, dtype=torch.float64) + 0.5 for name, s in read}
            upstream = torch.randn(shape, generator=generator, dtype=torch.float64)
            found[text] = on.run_with(["Tensor"], TENSORS, f"end = {text}", given, upstream)
        return found

    return scenario


def one_operation(check, methods, *texts):
    """The test of a row about one operation: element by element, for tensors a, b and d of shape (2, 3)."""
    needs(check, "Tensor", *methods)
    check.agrees(cases(*((text, (2, 3)) for text in texts), shapes=((2, 3),) * 4), reference=Torch)


def test_tensor_elementwise(check):
    one_operation(check, (), "a * b", "a + b", "(a + b) * d")


def test_tensor_numbers(check):
    one_operation(check, (), "a * 3", "a + 1.5")


def test_tensor_reflected(check):
    methods = ("__radd__", "__rmul__", "__rsub__", "__rtruediv__")
    one_operation(check, methods, "2 + a", "2 * a", "1 - a", "1 / a")


def test_tensor_negation(check):
    one_operation(check, ("__neg__",), "-a")


def test_tensor_subtraction(check):
    one_operation(check, ("__sub__",), "a - b", "(a - b) * d")


def test_tensor_division(check):
    one_operation(check, ("__truediv__",), "a / b", "d / (a + b)")


def test_tensor_power(check):
    one_operation(check, ("__pow__",), "a ** 3", "a ** -1", "a ** 0.5")


def test_tensor_tanh(check):
    one_operation(check, ("tanh",), "a.tanh() * b")


def test_tensor_exp(check):
    one_operation(check, ("exp",), "a.exp() * b")


def test_tensor_log(check):
    one_operation(check, ("log",), "a.log() * b")


def test_tensor_broadcasting(check):
    check.agrees(cases(*((text, (2, 3)) for text in ("a + b", "b * a", "a * b"))), reference=Torch)


def test_tensor_sum(check):
    needs(check, "Tensor", "sum")
    texts = (
        ("a.sum()", ()),
        ("a.sum(0)", (3,)),
        ("a.sum(1)", (2,)),
        ("a.sum(-1, keepdim=True)", (2, 1)),
        ("a.sum((0, 1))", ()),
    )
    check.agrees(cases(*texts), reference=Torch)


def test_tensor_getitem(check):
    needs(check, "Tensor", "__getitem__")
    texts = (("a[1]", (3,)), ("a[:, 1:]", (2, 2)), ("a[torch.tensor([0, 1, 0])]", (3, 3)))
    check.agrees(cases(*texts), reference=Torch)


def test_tensor_reshape(check):
    needs(check, "Tensor", "reshape")
    check.agrees(cases(("a.reshape(3, 2)", (3, 2)), ("a.reshape(-1)", (6,))), reference=Torch)


def test_tensor_permute(check):
    needs(check, "Tensor", "permute")
    check.agrees(cases(("a.permute(1, 0)", (3, 2))), reference=Torch)
    check.agrees(cases(("a.permute(2, 0, 1)", (4, 2, 3)), shapes=((2, 3, 4),)), reference=Torch)


def test_tensor_maximum(check):
    needs(check, "Tensor", "maximum", "__mul__")
    texts = "a.maximum(b)", "a.maximum(0.8)", "a.maximum(a * 1)"  # the last one is a tie everywhere
    check.agrees(cases(*((text, (2, 3)) for text in texts)), reference=Torch)


def test_tensor_matmul(check):
    needs(check, "Tensor", "__matmul__")
    check.agrees(cases(("a @ b", (2, 4)), shapes=((2, 3), (3, 4))), reference=Torch)
    check.agrees(cases(("a @ b", (2, 5, 4)), shapes=((2, 5, 3), (3, 4))), reference=Torch)
    check.agrees(cases(("a @ b", (2, 4, 4)), shapes=((4, 3), (2, 3, 4))), reference=Torch)


def gradients_of_text(text, passes=1):
    """A scenario: two tensors of shape (2, 3), and `passes` calls of `end.backward()`."""

    def scenario(on, generator):
        a, b = (torch.rand(2, 3, generator=generator, dtype=torch.float64) for _ in "ab")
        return on.run_with(["Tensor"], TENSORS, text, {"a": a, "b": b}, None, passes)

    return scenario


def test_tensor_graphs(check):
    needs(check, "Tensor", "sum")
    connected = "v = a * b\nw = v + a * a\nend = (v * w + w).sum() + (b * b).sum()"
    shared = "v = a + b\nend = (a * a).sum() + (v * a).sum() + (b * b).sum()"
    check.agrees(gradients_of_text(connected), reference=Torch)
    check.agrees(gradients_of_text(shared), reference=Torch)


def test_tensor_detach(check):
    needs(check, "Tensor", "detach", "sum")
    check.agrees(gradients_of_text("v = a * b\nend = (v.detach() * v).sum()"), reference=Torch)


def test_tensor_again(check):
    needs(check, "Tensor", "sum")
    check.agrees(gradients_of_text("end = (a * b * a).sum()", passes=2), reference=Torch)


def test_tensor_zero_grad(check):
    needs(check, "Tensor", "zero_grad", "sum")
    zeroed = "end = (a * b).sum()\nend.backward()\na.zero_grad()\nb.zero_grad()"
    check.agrees(gradients_of_text(zeroed), reference=Torch)


def short_training(on, generator):
    return {"losses": on.run_with(["Tensor"], TRAIN, *network.problem(generator, 4, 3, 5, 2), 2, 0.3)}


def test_network(check):
    methods = ("__neg__", "__sub__", "__truediv__", "__pow__", "__getitem__", "__matmul__")
    needs(check, "Tensor", *methods, "sum", "exp", "log", "maximum", "zero_grad")
    with torch.enable_grad():
        check.agrees(short_training, reference=Torch)


def deep(length):
    """What `gradients_of_a_chain` gives: it begins with one `a`, and every second addition adds another."""
    a, b = 1 + (length + 1) // 2, length // 2
    return {"the value": 2.0 * a - 4.0 * b, "the gradient of a": a, "the gradient of b": b}


def test_tensor_deep(check):
    check.equals(check.on.run_with(["Tensor"], Function(chain_of_tensors), CHAIN, 1101), deep(1101))


def test_value_deep(check):
    check.equals(check.on.run_with(["Value"], CHAIN, 1001), deep(1001))
