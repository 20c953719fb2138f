"""The public examples that `dojo check 18` runs: small expressions with results worked out by hand, or by PyTorch.

The hidden test suite draws new expressions each time. You can run each of these by hand as well: `text` is plain
Python.
"""

import math
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
    return {f"the gradient of {name}": float(leaf.grad or 0.0) for name, leaf in leaves.items()}


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


def gradient_of_a_chain(Value, length):
    a = Value(2.0)
    x = a
    for _ in range(length):
        x = x * 1.0 + 0.5
    x.backward()
    return float(a.grad)


VALUE, GRADIENTS, TENSORS = Function(value_of), Function(gradients_of), Function(tensor_gradients)
CHAIN, TRAIN = Function(gradient_of_a_chain), Function(network.train)
NUMBERS = {"a": 2.0, "b": -4.0}


def test_value_forward(check):
    texts = {"a + b": -2.0, "a * b": -8.0, "a - b": 6.0, "b / a": -2.0, "a ** 3": 8.0, "-b": 4.0, "b.relu()": 0.0}
    texts |= {
        "3 * a + 1": 7.0,
        "1 - a": -1.0,
        "5 / a": 2.5,
        "(a - 1).tanh()": math.tanh(1),
        "(a - 3).exp()": 1 / math.e,
    }
    texts |= {"a / b": -0.5, "(-b).relu()": 4.0}
    check.equals({text: check.on.run_with(["Value"], VALUE, text, NUMBERS) for text in texts}, texts)


def slopes(check, expected, *ends):
    """`expected`: {text: (gradient of a, gradient of b)}"""
    ends = ends or ("end",)
    names = ("the gradient of a", "the gradient of b")
    found = {text: check.on.run_with(["Value"], GRADIENTS, text, NUMBERS, list(ends)) for text in expected}
    right = {text: dict(zip(names, pair, strict=True)) for text, pair in expected.items()}
    check.equals(*({text.replace("\n", "; "): table for text, table in each.items()} for each in (found, right)))


def test_value_gradients(check):
    slopes(check, {"end = a + b": (1, 1), "end = a * b": (-4, 2), "end = a - b": (1, -1), "end = b / a": (1, 0.5)})
    slopes(check, {"end = a ** 3 + b": (12, 1), "end = b.relu() + a": (1, 0), "end = (a - 2).tanh() * b": (-4, 0)})
    slopes(check, {"end = (a - 2).exp() / b": (-0.25, -0.0625), "end = 3 - 2 * (a * b)": (8, -4)})
    t = math.tanh(1)
    slopes(
        check, {"end = (a - 1).tanh() + (-b).relu()": (1 - t * t, -1), "end = (a - 1).exp() * b": (-4 * math.e, math.e)}
    )


def test_value_graphs(check):
    slopes(check, {"end = a + a * b": (-3, 2), "c = a * 2\nend = c + c * 3": (8, 0)})
    slopes(check, {"c = a * b\nd = c + a\nend = c * d": (48, -28), "c = a * a\nend = c * c": (32, 0)})


def test_value_detach(check):
    slopes(check, {"end = (a * b).detach() * a": (-8, 0), "c = a * a\nend = c.detach() + c": (4, 0)})
    slopes(check, {"end = a * b": (-8, 4)}, "end", "cut = a.detach()", "end")
    slopes(check, {"cut = (a * b).detach()\nend = cut * a": (-16, 0)}, "end", "cut", "end")


def test_value_again(check):
    slopes(check, {"c = a * 2\nend = c * b": (-16, 8)}, "end", "end")
    slopes(check, {"c = a * 2\nend = c * b": (-8, 4)}, "end", "zero", "end")
    slopes(check, {"c = a * 2\nend = c * b\nother = c + b": (-6, 5)}, "end", "other")
    slopes(check, {"end = a * b": (-3, 2)}, "end", "a")


def test_unbroadcast(check):
    ones = torch.ones(2, 3, dtype=torch.float64)
    for shape, sums in {(3,): [2.0] * 3, (2, 1): [[3.0], [3.0]], (1, 3): [[2.0] * 3], (): 6.0}.items():
        check.gives("unbroadcast", (ones, shape), torch.tensor(sums, dtype=torch.float64))


def cases(*texts, alone=False, size_of_a=(2, 3)):
    """A scenario: each text, with tensors `a` and, unless it is `alone`, `b` (3,), and an upstream gradient."""

    def scenario(on, generator):
        found = {}
        for text, shape in texts:
            a, b = (torch.rand(s, generator=generator, dtype=torch.float64) + 0.5 for s in (size_of_a, (3,)))
            given = {"a": a} if alone else {"a": a, "b": b}
            upstream = torch.randn(shape, generator=generator, dtype=torch.float64)
            found[text] = on.run_with(["Tensor"], TENSORS, f"end = {text}", given, upstream)
        return found

    return scenario


def test_tensor_elementwise(check):
    texts = ("a * a", "a ** 3 - a", "a.tanh() / a", "a.exp() + 1", "2 * a.log()", "1 - a", "1 / a", "-a")
    check.agrees(cases(*((text, (2, 3)) for text in texts), alone=True), reference=Torch)


def test_tensor_broadcasting(check):
    check.agrees(cases(*((text, (2, 3)) for text in ("a + b", "b * a", "a - b", "b / a"))), reference=Torch)


def test_tensor_sum(check):
    texts = (
        ("a.sum()", ()),
        ("a.sum(0)", (3,)),
        ("a.sum(1)", (2,)),
        ("a.sum(-1, keepdim=True)", (2, 1)),
        ("a.sum((0, 1))", ()),
    )
    check.agrees(cases(*texts, alone=True), reference=Torch)


def test_tensor_getitem(check):
    texts = (("a[1]", (3,)), ("a[:, 1:]", (2, 2)), ("a[torch.tensor([0, 1, 0])]", (3, 3)))
    check.agrees(cases(*texts, alone=True), reference=Torch)


def test_tensor_reshape(check):
    check.agrees(cases(("a.reshape(3, 2)", (3, 2)), ("a.reshape(-1)", (6,)), alone=True), reference=Torch)


def test_tensor_permute(check):
    check.agrees(cases(("a.permute(1, 0)", (3, 2)), alone=True), reference=Torch)
    check.agrees(cases(("a.permute(2, 0, 1)", (4, 2, 3)), alone=True, size_of_a=(2, 3, 4)), reference=Torch)


def test_tensor_maximum(check):
    check.agrees(cases(("a.maximum(b)", (2, 3))), reference=Torch)
    check.agrees(cases(("a.maximum(0.8)", (2, 3)), ("a.maximum(a)", (2, 3)), alone=True), reference=Torch)


def test_tensor_matmul(check):
    texts = (("a.permute(1, 0) @ a", (3, 3)), ("a.reshape(2, 3, 1) @ a.reshape(2, 1, 3)", (2, 3, 3)))
    check.agrees(cases(*texts, ("a.reshape(2, 1, 3) @ a.reshape(3, 2)", (2, 1, 2)), alone=True), reference=Torch)


def connected(on, generator):
    a, b = (torch.rand(shape, generator=generator, dtype=torch.float64) for shape in ((2, 3), (3,)))
    text = "v = (a * b).tanh()\nw = v + a[torch.tensor([1, 1])]\nend = (v * w + w.detach()).sum() + (b * b).sum()"
    return on.run_with(["Tensor"], TENSORS, text, {"a": a, "b": b}, None)


SHARED = "v = a + b\nend = (a * 5).sum() + (v * 3).sum() + (b * 7).sum()"


def passed_twice(on, generator):
    """`a` and `b` of one shape, in a sum that passes its gradient on to both."""
    a, b = (torch.rand(2, 3, generator=generator, dtype=torch.float64) for _ in "ab")
    return {
        "the same pass twice": on.run_with(["Tensor"], TENSORS, "end = (a * b * a).sum()", {"a": a, "b": b}, None, 2),
        "two inputs of a sum": on.run_with(["Tensor"], TENSORS, SHARED, {"a": a, "b": b}, None),
    }


def test_tensor_graphs(check):
    check.agrees(connected, reference=Torch)
    check.agrees(passed_twice, reference=Torch)


def short_training(on, generator):
    return {"losses": on.run_with(["Tensor"], TRAIN, *network.problem(generator, 4, 3, 5, 2), 2, 0.3)}


def test_network(check):
    with torch.enable_grad():
        check.agrees(short_training, reference=Torch)


def chain_of_tensors(Tensor, length):
    a = Tensor(torch.tensor(2.0, dtype=torch.float64))
    x = a
    for _ in range(length):
        x = x + 0.5
    x.backward()
    return float(a.grad)


def test_tensor_deep(check):
    check.equals(check.on.run_with(["Tensor"], Function(chain_of_tensors), 1100), 1.0)


def test_value_deep(check):
    check.equals(check.on.run_with(["Value"], CHAIN, 1000), 1.0)
