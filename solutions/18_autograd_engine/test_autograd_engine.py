"""The hidden suite of lesson 18. Expressions are drawn here, evaluated by the student's engine in its worker, and
compared here with PyTorch's autograd.

What is sent to the worker is the text of an expression, the leaves, and upstream gradients: never an expected value.
"""

from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import torch

from grader.calling.protocol import CallFailed, Function
from grader.calling.shuffled import Shuffled
from grader.comparison.trees import agreement
from grader.lesson.course_modules import load_module
from grader.verdict.explain.checks import mistake_of
from grader.verdict.judge.checks import CheckFailed, failed_call

HERE = Path(__file__).resolve()
EXERCISE = HERE.parents[2] / "exercises" / HERE.parent.name
network = load_module(EXERCISE / "network.py", "backprop_ninja_network_of_lesson_18")
examples = load_module(EXERCISE / "examples.py", "backprop_ninja_examples_of_lesson_18")
needs, MISSING = examples.needs, examples.MISSING
DEPTH = 10_000
TENSOR_DEPTH = 1_600
MAX_CALLS = 20_000
"""Calls of Python functions in a backward pass through 33 values; a walk along every path makes at least 65,536."""


# The reference: torch's own tensors, with the two methods that the lesson adds


class Leaf(torch.Tensor):
    """backward() does not free the graph, as an engine in Python does not either.

    It gets a copy of the upstream gradient: torch may keep that as the `grad` of a leaf, and add to it in place.
    """

    def backward(self, gradient=None):
        super().backward(None if gradient is None else gradient.clone(), retain_graph=True)

    def detach(self):
        return super().detach().requires_grad_()

    def zero_grad(self):
        self.grad = None

    def maximum(self, other):
        return torch.maximum(self, torch.as_tensor(other, dtype=self.dtype))


class Autograd:
    @staticmethod
    def Value(data):
        return torch.tensor(data, dtype=torch.float64).as_subclass(Leaf).requires_grad_()

    @staticmethod
    def Tensor(data):
        leaf = data.clone().as_subclass(Leaf).requires_grad_()
        # torch adds to a leaf's gradient in place, and two leaves may have views of one gradient
        leaf.register_hook(lambda gradient: gradient.clone())
        return leaf


# What runs in the worker. `text` is Python: statements with the names of the leaves.


def evaluated(Value, text, numbers):
    leaves = {name: Value(number) for name, number in numbers.items()}
    found = {"the value": float(eval(text, dict(leaves)).data)}
    return found | {f"`{name}.data` afterwards": float(leaf.data) for name, leaf in leaves.items()}


def differentiated(Value, text, numbers, passes):
    """What is in the leaves, and in `cut`, after `passes`: names of ends, "zero" for zero_grad, or statements."""
    with torch.enable_grad():
        leaves = {name: Value(number) for name, number in numbers.items()}
        scope = dict(leaves)
        exec(text, scope)
        for end in passes:
            if end == "zero":
                for leaf in leaves.values():
                    leaf.zero_grad()
            elif end in scope:
                scope[end].backward()
            else:
                exec(end, scope)
        found = {"the value": float(scope[passes[-1]].data)}
        for name in [*leaves, *({"cut"} & set(scope))]:
            found[f"the gradient of {name}"] = 0.0 if scope[name].grad is None else float(scope[name].grad)
            found[f"`{name}.data` afterwards"] = float(scope[name].data)
        return found


def of_tensors(Tensor, text, tensors, passes):
    """The same for tensors. `passes` are pairs: an end and its upstream gradient, or "zero" or a statement and None."""

    import numpy as np

    def plain(value):
        value = value.data if isinstance(Tensor, type) and isinstance(value, Tensor) else value
        if isinstance(value, torch.Tensor):
            return value.as_subclass(torch.Tensor).detach().to(torch.float64, copy=True)
        return torch.tensor(np.array(value, dtype=np.float64))

    with torch.enable_grad():
        leaves = {name: Tensor(tensor) for name, tensor in tensors.items()}
        scope = {"torch": torch, **leaves}
        exec(text, scope)
        for end, gradient in passes:
            if end == "zero":
                for leaf in leaves.values():
                    leaf.zero_grad()
            elif end not in scope:
                exec(end, scope)
            elif gradient is None:
                scope[end].backward()
            else:
                scope[end].backward(gradient)
        found = {"the value": plain(scope[passes[-1][0]].data)}
        for name in [*leaves, *({"cut"} & set(scope))]:
            leaf = scope[name]
            found[f"the gradient of {name}"] = plain(0 * leaf.data if leaf.grad is None else leaf.grad)
            found[f"`{name}.data` afterwards"] = plain(leaf.data)
        found["the tensors that it was given, afterwards"] = dict(tensors)
        gradients = [gradient for _, gradient in passes]
        found |= {f"the upstream gradient of pass {i}, afterwards": each for i, each in enumerate(gradients, 1)}
        return found


def tensor_value(Tensor, text, tensors):
    with torch.enable_grad():
        end = eval(text, {"torch": torch, **{name: Tensor(tensor) for name, tensor in tensors.items()}})
        return {"the value": torch.as_tensor(end.data).as_subclass(torch.Tensor).detach().to(torch.float64, copy=True)}


def kinds(Value, text, leaves):
    """{what: its type's name, or "the class"}: of what an expression gives, and of its `data`."""
    with torch.enable_grad():
        leaves = {name: Value(leaf) for name, leaf in leaves.items()}

        def kind(value):
            return "the class" if type(value) is type(leaves["a"]) else type(value).__name__

        result = eval(text, dict(leaves))
        found = {"the result": kind(result)}
        return found | {"data": kind(result.data)} if found["the result"] == "the class" else found


def kind_of_gradient(Value, text, leaves):
    """The name of the type that the `grad` of a leaf has after a pass, or "the class"."""
    with torch.enable_grad():
        leaves = {name: Value(leaf) for name, leaf in leaves.items()}
        eval(text, dict(leaves)).backward()
        grad = leaves["a"].grad
        return "the class" if type(grad) is type(leaves["a"]) else type(grad).__name__


def those_that_run(Class, texts, leaves):
    """Those of the expressions that raise no error."""
    found = []
    for text in texts:
        try:
            eval(text, {"torch": torch, **{name: Class(leaf) for name, leaf in leaves.items()}})
        except Exception:
            continue
        found.append(text)
    return found


def sum_of_copies(unbroadcast, gradient, shape):
    return unbroadcast(gradient, shape)


def deep(Value, repeated, times, leaves):
    """A graph in which the line `repeated` is run `times` times. A RecursionError is part of the answer."""
    with torch.enable_grad():
        leaves = {name: Value(number) for name, number in leaves.items()}
        scope = {**leaves, "x": leaves["a"]}
        exec(f"for _ in range({times}):\n    {repeated}", scope)
        try:
            scope["x"].backward()
        except RecursionError:
            return {"backward through a deep graph": "RecursionError"}
        found = {"backward through a deep graph": "no error", "the value": float(scope["x"].data)}
        for name, leaf in leaves.items():
            found[f"the gradient of {name}"] = 0.0 if leaf.grad is None else float(leaf.grad)
        return found


def counted(Value, text, number):
    """{the gradient, how many of Python's functions backward() calls}"""
    import sys

    with torch.enable_grad():
        a, calls = Value(number), [0]
        scope = {"a": a}
        exec(text, scope)

        def count(frame, event, argument):
            calls[0] += event == "call"

        before = sys.getprofile()
        sys.setprofile(count)
        try:
            scope["end"].backward()
        finally:
            sys.setprofile(before)
        return {"the gradient of a": float(a.grad), "calls": calls[0]}


EVALUATED, DIFFERENTIATED, DEEP, COUNTED = map(Function, (evaluated, differentiated, deep, counted))
OF_TENSORS, TENSOR_VALUE, SUM_OF_COPIES = map(Function, (of_tensors, tensor_value, sum_of_copies))
KINDS, KIND_OF_GRADIENT, THOSE_THAT_RUN = map(Function, (kinds, kind_of_gradient, those_that_run))


# A row depends on sums and products, and on the operation that it is about. It uses others only if the class has them.

OPERATIONS = {
    "numbers": ("a + 3", "a * 4", "a + 1.5", "(a * 2 + b) * 3", "(a * 2 + b) * c"),
    "reflected": ("3 + a", "4 * a", "2 - a", "2 / c", "(1.5 + a) * b"),
    "negation": ("-a", "-(a * b)"),
    "subtraction": ("a - b", "b - a", "(a * b) - c"),
    "division": ("a / c", "b / c", "(a * b) / c"),
    "power": ("a ** 3", "a ** 2", "c ** -2", "c ** 0.5", "c ** -1", "(a + b) ** 2 * c"),
    "tanh": ("a.tanh()", "(a * b).tanh() * c"),
    "exp": ("a.exp()", "a.exp() * b + c"),
    "relu": ("c.relu() + b", "d.relu() + b", "c.relu() * b", "a + d.relu() * b"),
    "log": ("c.log()", "(a * c.log()) * b"),
}
"""{the end of a row's name: its expressions}; relu is of Value alone, log of Tensor alone."""

WITH_A_NUMBER = {"__sub__": "a - 3", "__truediv__": "a / 4"}
"""{method: what the row about plain numbers has as well, if the class has the method}"""
METHODS = {
    "numbers": (),
    "reflected": ("__radd__", "__rmul__", "__rsub__", "__rtruediv__"),
    "negation": ("__neg__",),
    "subtraction": ("__sub__",),
    "division": ("__truediv__",),
    "power": ("__pow__",),
}
"""{the end of a row's name: what the class needs for it}; elsewhere it is the method of that name."""

KINDS_OF_OBJECTS = ("Value", "Tensor")
BASIC = ("a + b", "a * b", "a * b + c", "(a + b) * c")


def usable(check, kind, texts):
    """Those of the expressions that the class can compute. What it cannot costs the row of that operation only."""
    leaves = {"a": 0.7, "b": 1.3, "c": 1.1, "d": -0.9}
    if kind == "Tensor":
        leaves = {name: torch.full((2, 2), number, dtype=torch.float64) for name, number in leaves.items()}
    found = check.on.run_with([kind], THOSE_THAT_RUN, list(texts), leaves)
    return tuple(text for text in texts if isinstance(found, list) and text in found)


def usable_operations(check, kind):
    """The expressions of OPERATIONS, without those of methods that the class does not have."""
    other = "log" if kind == "Value" else "relu"
    return usable(check, kind, [text for row, texts in OPERATIONS.items() if row != other for text in texts])


# Drawing


def between(generator, low, high):
    return torch.empty((), dtype=torch.float64).uniform_(low, high, generator=generator).item()


def signed(generator, low=0.4, high=2.0):
    return between(generator, low, high) * (1 if between(generator, 0, 1) < 0.5 else -1)


def normal(generator, *shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def pick(generator, values):
    return values[int(torch.randint(len(values), (), generator=generator))]


# Naming a mistake: small graphs on which it has one outcome, however the engine is written. `x` is the number of `a`.

GRAPHS = (
    ("b = a * 2\nend = b * 3", ("end",), lambda x: 6, {"not_reversed": lambda x: (0,)}),
    ("end = a + a", ("end",), lambda x: 2, {"overwritten": lambda x: (1,)}),
    ("end = a * a", ("end",), lambda x: 2 * x, {"overwritten": lambda x: (x,)}),
    (
        "b = a * 2\nend = b + b * 3",
        ("end",),
        lambda x: 8,
        {
            "not_topological": lambda x: (2,),
            "no_visited": lambda x: (16, 12),
            "overwritten": lambda x: (6,),
            "uses_counted_again": lambda x: (0,),
        },
    ),
    (
        "b = a * 2\nend = b * 3 + b",
        ("end",),
        lambda x: 8,
        {"not_topological": lambda x: (2, 6), "no_visited": lambda x: (16, 24), "uses_counted_again": lambda x: (0,)},
    ),
    ("b = a * 2\nend = (b + b) + b * 3", ("end",), lambda x: 10, {"not_topological": lambda x: (4,)}),
    ("b = a * 2\nend = b * 3 + (b + b)", ("end",), lambda x: 10, {"not_topological": lambda x: (4,)}),
)
PASSES = (
    (
        "b = a * 2\nend = b * 3\nother = b * 5",
        ("end", "other"),
        lambda x: 16,
        {"kept": lambda x: (22,), "starts_over": lambda x: (10,), "freed": lambda x: (6,)},
    ),
    (
        "b = a * 2\nend = b * 3",
        ("end", "end"),
        lambda x: 12,
        {"kept": lambda x: (18, 24), "freed": lambda x: (6,)},
    ),
    ("end = a * 2", ("end", "a"), lambda x: 3, {"leaf_overwritten": lambda x: (1,)}),
)
ZEROED = (
    (
        "b = a * 2\nend = b * 3 + a",
        ("end", "zero", "end"),
        lambda x: 7,
        {"not_zeroed": lambda x: (14,), "kept": lambda x: (13, 20)},
    ),
)
DETACHED = (
    (
        "b = a * a\nend = b.detach() * a",
        ("end",),
        lambda x: x**2,
        {"not_detached": lambda x: (3 * x**2,)},
    ),
)


SINGLE_USES = (
    ("end = a + b", lambda x, y: (1, 1)),
    ("end = a * b", lambda x, y: (y, x)),
    ("end = (a * 2) * b", lambda x, y: (2 * y, 2 * x)),
    ("end = (a * 2 + b) * 3", lambda x, y: (6, 3)),
)
"""Graphs of the operations of the probes, in which every value is used once."""


def is_about_the_search(check, kind, mistake):
    """Whether sums and products alone are as they should be, so that a probe's outcome comes from the search.

    In the wrong direction, nothing gets through the first product, and sums and products of leaves fail alike.
    """
    x, y = signed(check.generator("x, used once"), 1.1, 1.9), signed(check.generator("y, used once"), 2.1, 2.9)
    found, rights, wrongs = [], [], []
    for text, right in SINGLE_USES:
        gradients = small_gradients(check, kind, text, {"a": x, "b": y}, ("end",))
        found.append(gradients["a"])
        rights.append(all(close(gradients[name], slope) for name, slope in zip("ab", right(x, y), strict=True)))
        wrongs.append(all(close(gradients[name], 0.0) for name in "ab"))
    if mistake != "not_reversed":
        return all(rights)
    return all(close(number, 0.0) for number in found[2:]) and (all(rights[:2]) or all(wrongs[:2]))


def recognise(check, kind, probes):
    """End the check with the name of a mistake where one of the probes has its outcome."""
    generator = check.generator("probes")
    for text, passes, right, outcomes in probes:
        x, found = signed(generator, 1.1, 1.9), None
        with suppress(CallFailed):  # the probes use plain numbers, which have a row of their own
            found = gradient_of_a(check, kind, text, x, passes)
        if found is None or close(found, right(x)):
            continue
        for mistake, values in outcomes.items():
            if any(close(found, value) for value in values(x)) and is_about_the_search(check, kind, mistake):
                named(check, mistake)


def gradient_of_a(check, kind, text, x, passes):
    return small_gradients(check, kind, text, {"a": x}, passes)["a"]


def small_gradients(check, kind, text, numbers, passes):
    """{leaf: its gradient, or None where it is not one number}"""
    found = small_passes(check, kind, text, numbers, passes)
    return {name: found.get(f"the gradient of {name}") for name in numbers}


def small_passes(check, kind, text, numbers, passes):
    """{what was found: its number, or None where it is not one number}"""
    if kind == "Value":
        found = check.on.run_with(["Value"], DIFFERENTIATED, text, numbers, list(passes))
    else:
        one = torch.ones(1, dtype=torch.float64)
        pairs = [(end, one.clone() if end.isidentifier() and end != "zero" else None) for end in passes]
        tensors = {name: one * number for name, number in numbers.items()}
        found = check.on.run_with(["Tensor"], OF_TENSORS, text, tensors, pairs)
    return {
        name: (float(each) if each.numel() == 1 else None) if isinstance(each, torch.Tensor) else each
        for name, each in (found.items() if isinstance(found, dict) else ())
    }


def equal_numbers(check, kind):
    """End the check where a graph is right with two different numbers, and wrong with two equal ones."""
    text = "end = (a + 1) * (b + 1)"

    def is_right(x, y):
        try:
            found = small_gradients(check, kind, text, {"a": x, "b": y}, ("end",))
        except CallFailed:
            return False
        return close(found["a"], y + 1) and close(found["b"], x + 1)

    if is_right(1.25, 1.75) and not is_right(1.25, 1.25) and is_right(1.75, 1.25):
        named(check, "by_number")


def shared_numbers(check, kind):
    """End the check where a product goes back with the numbers of the product that was made last."""
    numbers = {"a": 1.25, "b": 1.5, "c": 1.75, "d": 2.25}
    found = small_gradients(check, kind, "end = a * b + c * d", numbers, ("end",))
    if close(found["a"], numbers["d"]) and close(found["c"], numbers["d"]):
        check.fail(
            "In `a * b + c * d`, the gradient of `a` is `d`: the first product uses what the second one has stored. "
            "Where does an operation keep its numbers, in an object of its own or in a place that all share?"
        )


BINARY = ("{0} + {1}", "{0} * {1}", "{0} - {1}", "{0} / {1}")
UNARY = ("-{0}", "{0} ** 2", "{0}.tanh()", "{0}.exp()", "2 - {0}", "2 / {0}")
OF_TENSORS_ONLY = (
    *("{0}.maximum({1})", "{0}.log()", "{0}.sum()", "{0}[0]", "{0}.reshape(1, 1)", "{0}.reshape(1).permute(0)"),
    "{0}.reshape(1, 1) @ {1}.reshape(1, 1)",
)


def changed_operands(check, kind, forms):
    """End the check where an operation changes a value that it is called with.

    After a pass, each operation is called on leaves and on a value between, and its result is not used. Then there are
    two more passes, in which these values must be what they were. A new leaf has no gradient yet.
    """
    generator = check.generator("operands")
    x, y = between(generator, 0.5, 1), between(generator, 1.5, 2)
    expected = {"the value": x * y, "`a.data` afterwards": x, "`b.data` afterwards": y}
    expected |= {"the gradient of a": 5 * y, "the gradient of b": 5 * x, "the gradient of cut": 0.0}

    def wrong(*statements):
        passes = ("end", *statements, "end", "v")
        found = small_passes(check, kind, "v = a * b\nend = v + v", {"a": x, "b": y}, passes)
        return [name for name, number in expected.items() if not close(found.get(name, 0.0), number)]

    if wrong():
        return
    for form in forms:
        for operation in (form.format("a", "b"), form.format("b", "a"), form.format("v", "a")):
            with suppress(CallFailed):  # what it gives is judged elsewhere
                changed = wrong(f"{'cut' if 'detach' in form else 'new'} = {operation}")
                if changed and wrong():
                    return  # it is not the operation: the same graph has another gradient each time
                if changed == ["the gradient of cut"]:
                    new = f"`{operation}` is a new leaf, so its `grad` begins with zero. Yours has a gradient."
                    check.fail(new, mistake="changes_its_input")
                if changed:
                    check.fail(
                        f"`{operation}` changes a value that it is called with: its `data`, its `grad`, or how a "
                        f"gradient gets back from it. An operation only makes a new {kind}.",
                        mistake="changes_its_input",
                    )


OF_GRAPHS = {mistake for *_, outcomes in GRAPHS for mistake in outcomes} | {"no_start"}
"""Mistakes that one row cannot always tell apart: in `network`, several of them leave the parameters as they are."""


@contextmanager
def explained(check, kind, single=()):
    """Where a row fails without a known mistake, look for a mistake in graphs and operations that are small.

    `single` are the operations of a row that checks them one by one: where one raises an error, the message names it.
    """
    try:
        yield
    except (CallFailed, CheckFailed) as failed:
        status = failed.status if isinstance(failed, CheckFailed) else failed.answer.outcome
        if status not in ("failed", "shape", "error", "raised"):
            raise  # not written yet, or it hangs
        texts = [text for text, *_ in single]
        own = texts if texts and any(texts[0] in each for each in OPERATIONS.values()) else []
        if own and not basics_are_right(check, kind):
            first = "value_gradients" if kind == "Value" else "tensor_elementwise"
            check.fail(f"Sums and products are not right yet. Get `{first}` right first.")
        if kind == "Tensor":
            with suppress(CallFailed):
                upstream_ignored(check)
        known = {each.id for each in check.lesson.mistakes} - OF_GRAPHS
        if isinstance(failed, CheckFailed) and mistake_of(check, failed) in known:
            raise
        tensors = (unbroadcast_is_wrong, changed_upstream, shared_gradients, sums_forgotten) if kind == "Tensor" else ()
        with suppress(CallFailed):
            results(check, kind, (*BASIC, *(own or usable_operations(check, kind))))
        for look in (gradient_kind, no_start, equal_numbers, shared_numbers):
            with suppress(CallFailed):
                look(check, kind)
        with suppress(CallFailed):
            recognise(check, kind, GRAPHS)
        with suppress(CallFailed):
            changed_operands(check, kind, (*BINARY, *UNARY, *(OF_TENSORS_ONLY if kind == "Tensor" else ())))
        for look in tensors:
            with suppress(CallFailed):
                look(check)
        raises = status in ("error", "raised")
        if raises or not single:
            wrong_operation(check, kind, single, raises)
        raise


def basics_are_right(check, kind):
    x, y, z = (signed(check.generator(name, "basics")) for name in "abc")
    with suppress(CallFailed):
        found = small_gradients(check, kind, "end = (a + b) * c", {"a": x, "b": y, "c": z}, ("end",))
        return close(found["a"], z) and close(found["b"], z) and close(found["c"], x + y)
    return False


def agrees_on_graphs(check, scenario, draws=({},)):
    """`check.agrees`, but a graph may only seem to have a mistake: one in a single operation is named first."""
    forms = forms_of_graphs(check)
    try:
        check.agrees(scenario, draws=[{**draw, "forms": forms} for draw in draws], reference=Autograd)
    except CheckFailed as failed:
        if mistake_of(check, failed) is not None:
            texts = (*BASIC, *usable_operations(check, "Value"))
            check.agrees(slopes, draws=({"texts": texts},), reference=Autograd)
        raise


def results(check, kind, texts):
    """End the check where the result of an operation is no Value, or no Tensor, or where its `data` is one."""
    leaves = leaves_of(kind, **numbers(check.generator("results")))
    what_it_holds = "a plain number" if kind == "Value" else "a torch tensor"
    for text in texts:
        try:
            found = check.on.run_with([kind], KINDS, text, leaves)
        except CallFailed as failed:
            if "'int' object has no attribute" in failed.answer.message:
                named(check, "number_not_wrapped")
            if "Integers to negative integer powers" in failed.answer.message:
                named(check, "whole_numbers")
            raise
        result, data = (found.get(part) for part in ("the result", "data")) if isinstance(found, dict) else (None, None)
        if result == "NoneType":
            check.fail(f"`{text}` gives None. Does the method end with `return`?", mistake="nothing_returned")
        if (result in ("int", "float") and kind == "Value") or (result == "Tensor" and kind == "Tensor"):
            what = f"a plain {result}" if kind == "Value" else "a torch tensor"
            check.fail(f"`{text}` gives {what}. Every operation returns a new {kind}.", mistake="plain_number")
        if data == "the class":
            check.fail(
                f"The `data` of `{text}` is an object of your class `{kind}`; it should be {what_it_holds}. Does the "
                "method use an operand where it should use the operand's `data`?"
            )


def gradient_kind(check, kind):
    """End the check where the `grad` of a leaf is a Value, or a Tensor of the lesson."""
    leaves = {"a": 1.5} if kind == "Value" else {"a": torch.tensor([1.5], dtype=torch.float64)}
    if check.on.run_with([kind], KIND_OF_GRADIENT, "a * 2", leaves) == "the class":
        what = "a plain number" if kind == "Value" else "a torch tensor"
        check.fail(f"After `backward`, the `grad` of a leaf is an object of your class `{kind}`. It should be {what}.")


def no_start(check, kind):
    """End the check where a leaf's own `backward` gives it nothing, or where its `grad` is None after `zero_grad`."""
    x = signed(check.generator("start"))
    if close(gradient_of_a(check, kind, "end = a + a", x, ("a",)), 0.0):
        named(check, "no_start")
    gradient_of_a(check, kind, "end = a * 2", x, ("end", "end"))
    try:
        gradient_of_a(check, kind, "end = a * 2", x, ("end", "zero", "end"))
    except CallFailed as failed:
        if "NoneType" in failed.answer.message:
            named(check, "zeroed_to_none")


def wrong_operation(check, kind, single, raises):
    """End the check where one operation alone is wrong. Where the row raised an error, one that raises it is enough."""
    generator = check.generator("operations")
    if kind == "Value":
        texts = [text for text, *_ in single] or (*BASIC, *usable_operations(check, kind))
        cases = [(text, used(text, numbers(generator)), None) for text in texts]
    else:
        cases = [tensor_case(generator, text, *shapes) for text, *shapes in single or tensor_operations(check)]
    for text, leaves, gradient in cases:
        shapes = (
            " and ".join(dict.fromkeys(str(tuple(leaf.shape)) for leaf in leaves.values()))
            if gradient is not None
            else ""
        )
        label = f"{text} of shape {shapes}" if shapes else text
        arguments = (f"end = {text}", leaves, ["end"] if gradient is None else [("end", gradient)])
        try:
            if gradient is not None:
                found = check.on.run_with(["Tensor"], TENSOR_VALUE, text, leaves)
                compare_operation(check, label, found, tensor_value(Autograd.Tensor, text, leaves), single)
            found = check.on.run_with([kind], DIFFERENTIATED if gradient is None else OF_TENSORS, *arguments)
        except CallFailed as failed:
            where = f"In `{label}`: " if failed.answer.outcome == "raised" else ""
            raise failed_call(failed, where) from failed
        if not (raises and single):
            expected = (differentiated if gradient is None else of_tensors)(getattr(Autograd, kind), *arguments)
            compare_operation(check, label, found, expected, single)


def compare_operation(check, label, found, expected, single):
    findings = agreement({label: found}, {label: expected}, low_precision=check.on.low_precision).findings
    if findings:
        first = "" if single else "A small expression is wrong, too, so get its row right first: "
        check.fail(first + findings[0].message)


def label_of(text, tensors):
    return f"{text} of shape {' and '.join(dict.fromkeys(str(tuple(tensor.shape)) for tensor in tensors.values()))}"


def tensor_case(generator, text, *shapes):
    """(text, its leaves, an upstream gradient)"""
    text = text.format(rows=[3, 0, 3, 2], columns=[0, 2, 2, 1])
    names = sorted(used(text, dict.fromkeys("abc")))
    shapes = shapes if len(shapes) == len(names) else shapes * len(names)
    tensors = {name: leaf(generator, name, shape) for name, shape in zip(names, shapes, strict=True)}
    found = eval(text, {"torch": torch, **{name: tensor.as_subclass(Leaf) for name, tensor in tensors.items()}})
    return text, tensors, normal(generator, *found.shape)


def close(found, expected):
    return isinstance(found, (int, float)) and abs(found - expected) <= 1e-9 * max(1.0, abs(expected))


def same(found, expected):
    """Whether it is this tensor, or nearly so."""
    return (
        isinstance(found, torch.Tensor)
        and found.shape == expected.shape
        and float((found - expected).abs().max()) <= 1e-9 * max(1.0, float(expected.abs().max()))
    )


def named(check, mistake):
    check.fail(next(each.message for each in check.lesson.mistakes if each.id == mistake), mistake=mistake)


# Value


def numbers(generator):
    positive, negative = between(generator, 0.5, 2.0), between(generator, -2.0, -0.5)
    return {"a": signed(generator), "b": signed(generator), "c": positive, "d": negative}


def used(text, leaves):
    """Those of the leaves that the text reads."""
    names = set(compile(text, "", "exec").co_names)
    return {name: leaf for name, leaf in leaves.items() if name in names}


def expressions(on, generator):
    questions = Shuffled(generator)
    for text in BASIC:
        given = used(text, numbers(generator))
        questions.add(text, partial(on.run_with, ["Value"], EVALUATED, text, given))
    return questions.answers()


def slopes(on, generator, texts):
    questions = Shuffled(generator)
    for text in texts:
        given = used(text, numbers(generator))
        questions.add(text, partial(on.run_with, ["Value"], DIFFERENTIATED, f"end = {text}", given, ["end"]))
    return questions.answers()


def test_value_forward(check):
    try:
        check.agrees(expressions, reference=Autograd)
    except CheckFailed as failed:
        if failed.status == "error":
            with suppress(CallFailed):
                results(check, "Value", BASIC)
        raise


def test_value_gradients(check):
    """Every value is used once."""
    x, y = signed(check.generator("x"), 1.1, 1.9), signed(check.generator("y"), 1.1, 1.9)
    found = check.on.run_with(["Value"], DIFFERENTIATED, "end = a * b", {"a": x, "b": y}, ["end"])
    if isinstance(found, dict) and close(found.get("the gradient of a"), 0.0):
        no_start(check, "Value")
        if not close(found.get("the gradient of b"), 0.0) and not close(found.get("the gradient of b"), x):
            named(check, "loop_variable")
        with suppress(CallFailed):
            if is_about_the_search(check, "Value", "not_reversed"):
                named(check, "not_reversed")
    value_row(check, BASIC)


def value_row(check, texts):
    with explained(check, "Value", [(text,) for text in texts]):
        check.agrees(slopes, draws=({"texts": texts},), reference=Autograd)


def test_of(kind, row):
    """The test of a row about one operation."""

    def test(check):
        needs(check, kind, *METHODS.get(row, (row,)))
        texts = OPERATIONS[row]
        if row == "numbers":
            missing = check.on.run_with([kind], MISSING, list(WITH_A_NUMBER))
            texts += tuple(text for method, text in WITH_A_NUMBER.items() if method not in missing)
        if kind == "Value":
            value_row(check, texts)
        else:
            tensor_row(check, [(text, (3, 4)) for text in texts])

    return test


test_value_numbers, test_tensor_numbers = (test_of(kind, "numbers") for kind in KINDS_OF_OBJECTS)
test_value_reflected, test_tensor_reflected = (test_of(kind, "reflected") for kind in KINDS_OF_OBJECTS)
test_value_negation, test_tensor_negation = (test_of(kind, "negation") for kind in KINDS_OF_OBJECTS)
test_value_subtraction, test_tensor_subtraction = (test_of(kind, "subtraction") for kind in KINDS_OF_OBJECTS)
test_value_division, test_tensor_division = (test_of(kind, "division") for kind in KINDS_OF_OBJECTS)
test_value_power, test_tensor_power = (test_of(kind, "power") for kind in KINDS_OF_OBJECTS)
test_value_tanh, test_tensor_tanh = (test_of(kind, "tanh") for kind in KINDS_OF_OBJECTS)
test_value_exp, test_tensor_exp = (test_of(kind, "exp") for kind in KINDS_OF_OBJECTS)
test_value_relu, test_tensor_log = test_of("Value", "relu"), test_of("Tensor", "log")


def fits(value):
    return bool(value.isfinite()) and 0.05 < abs(float(value)) < 3


FORMS = ("{0} + {1}", "{0} * {1}", "{0} + {0}", "{0} * {0}", "{0} + {1} * {0}")
OTHER_FORMS = (
    *("{0} * 2 + {1}", "{0} + {1} * 0.5"),
    *("{0} - {1}", "{0} / {1}", "{0}.tanh()", "{0}.exp()", "{0}.relu()", "{0}.relu() - {1}", "{0} ** 2"),
    *("2 * {0} - {1}", "1 - {0} * {1}", "-{0}", "({0} * {1}).tanh()"),
)


def forms_of_graphs(check):
    """What random graphs of Values consist of: sums, products, and the other operations that the class has."""
    texts = {form.format("a", "b"): form for form in OTHER_FORMS}
    return (*FORMS, *(texts[text] for text in usable(check, "Value", texts)))


def random_graph(generator, leaves, steps, forms, prefix="v"):
    """(lines of text, the name of the last value). Values are used again and again, and all that are not are added."""
    scope, lines, unused = dict(leaves), [], dict.fromkeys(leaves)
    scope = {name: torch.tensor(number, dtype=torch.float64) for name, number in scope.items()}
    while len(lines) < steps:
        names = list(scope)
        text = pick(generator, forms).format(pick(generator, names[-6:]), pick(generator, names))
        value = eval(text, dict(scope))
        if not fits(value):
            continue
        name = f"{prefix}{len(lines)}"
        for read in compile(text, "", "eval").co_names:
            unused.pop(read, None)
        scope[name], unused[name] = value, None
        lines.append(f"{name} = {text}")
    lines.append(f"{prefix}_end = {' + '.join(unused)}")
    return lines, f"{prefix}_end"


def graphs(on, generator, steps, forms):
    questions = Shuffled(generator)
    for number in range(1, 9):
        leaves = {name: signed(generator) for name in "abcd"[: questions.some(2, 4)]}
        lines, end = random_graph(generator, leaves, questions.some(steps, 2 * steps), forms)
        ask = partial(on.run_with, ["Value"], DIFFERENTIATED, "\n".join(lines), leaves, [end])
        questions.add(f"random graph {number}", ask)
    return questions.answers()


def test_value_graphs(check):
    with explained(check, "Value"):
        recognise(check, "Value", GRAPHS)
        equal_numbers(check, "Value")
        agrees_on_graphs(check, graphs, draws=({"steps": 6}, {"steps": 15}))


def detached(on, generator, forms):
    """`first` is read twice, once detached."""
    questions = Shuffled(generator)
    for text in (
        *("{0}.detach() * a + {0}", "({0}.detach() + {0} * b) * a", "{0}.detach() * {0}.detach() * b"),
        *("{0}.detach() * {0}.detach() + a", "({0}.detach().detach() + b) * a"),
    ):
        leaves = {"a": signed(generator), "b": signed(generator)}
        lines, first = random_graph(generator, leaves, 4, forms)
        lines.append(f"end = {text.format(first)}")
        ask = partial(on.run_with, ["Value"], DIFFERENTIATED, "\n".join(lines), leaves, ["end"])
        questions.add(text.format("v"), ask)
    leaves = {"a": signed(generator), "b": signed(generator)}
    lines, first = random_graph(generator, leaves, 4, forms)
    text = "\n".join([*lines, f"cut = {first}.detach()", "end = cut * a + cut"])
    ask = partial(on.run_with, ["Value"], DIFFERENTIATED, text, leaves, ["end", "cut", "end"])
    questions.add("passes from a detached value, too", ask)
    return questions.answers()


def test_value_detach(check):
    needs(check, "Value", "detach")
    with explained(check, "Value"):
        results(check, "Value", ("a.detach()",))
        recognise(check, "Value", DETACHED)
        equal_numbers(check, "Value")  # the new leaf has the number of the value
    with explained(check, "Value"):
        try:
            agrees_on_graphs(check, detached)
        except CheckFailed:  # one of its questions has several passes
            recognise(check, "Value", PASSES)
            raise
        changed_operands(check, "Value", ("{0}.detach()",))


AGAIN = {
    "twice from one end": ["v_end", "v_end"],
    "three times from two ends": ["v_end", "v3", "v_end"],
    "two graphs in turns": ["v_end", "w_end", "v_end"],
    "an end that is a leaf": ["v_end", "a", "a"],
}


def passes(on, generator, forms, ends):
    """Several passes through one graph, and through two that have nothing to do with each other."""
    questions = Shuffled(generator)
    for name, passed in ends.items():
        leaves = {"a": signed(generator), "b": signed(generator)}
        others = {"c": signed(generator), "d": signed(generator)}
        lines = random_graph(generator, leaves, 6, forms)[0] + random_graph(generator, others, 5, forms, "w")[0]
        ask = partial(on.run_with, ["Value"], DIFFERENTIATED, "\n".join(lines), leaves | others, passed)
        questions.add(name, ask)
    return questions.answers()


def test_value_again(check):
    with explained(check, "Value"):
        once = gradient_of_a(check, "Value", "end = a + a", 1.5, ("end",))
        if once is not None and close(once, 2):  # else something is wrong with a single pass
            recognise(check, "Value", PASSES)
        agrees_on_graphs(check, passes, ({"ends": AGAIN},))
        changed_operands(check, "Value", (*BINARY, *UNARY, "{0}.relu()"))


def test_value_zero_grad(check):
    needs(check, "Value", "zero_grad")
    with explained(check, "Value"):
        recognise(check, "Value", ZEROED)
        agrees_on_graphs(check, passes, ({"ends": {"zeroed before the second pass": ["v_end", "zero", "v_end"]}},))


# Tensor

SAME_SHAPE = tuple((text, (3, 4)) for text in BASIC)
BROADCAST = (
    ("a + b", (4, 3), (3,)),
    ("a + b", (3,), (4, 3)),
    ("a * b", (4, 3), (4, 1)),
    ("a * b", (4, 1), (4, 3)),
    ("a - b", (1, 3), (4, 1)),
    ("a - b", (2, 1, 3), (4, 1)),
    ("a * b", (), (2, 3)),
    ("a + b", (2, 3), ()),
    ("a / c", (4, 3), (1, 3)),
    ("a / c", (3,), (2, 4, 3)),
    ("a * b", (1, 3), (1, 3)),
    ("a + b", (1, 1), (5,)),
    ("a * b", (5, 1, 2), (3, 1)),
)
SUMS = (
    *(("a.sum()", (2, 3, 4)), ("a.sum(0)", (2, 3, 4)), ("a.sum(1)", (2, 3, 4)), ("a.sum(-1)", (2, 3, 4))),
    *(("a.sum(1, keepdim=True)", (2, 3, 4)), ("a.sum((0, 2))", (2, 3, 4)), ("a.sum(dim=-2)", (2, 3, 4))),
    *(("a.sum((0, -1), keepdim=True)", (2, 3, 4)), ("a.sum(1)", (3, 3)), ("a.sum(0)", (3, 3)), ("a.sum(0)", (5,))),
)
READINGS = (
    *(("a[1]", (4, 3)), ("a[-1]", (4, 3)), ("a[1:3]", (4, 3)), ("a[::2]", (5, 2)), ("a[:, 1]", (4, 3))),
    *(("a[:, 1:]", (4, 3)), ("a[2, 1]", (4, 3)), ("a[torch.tensor([3, 0, 2])]", (4, 3))),
    *(("a[torch.tensor({rows})]", (4, 3)), ("a[torch.tensor({rows}), torch.tensor({columns})]", (4, 3))),
    *(("a[torch.tensor([{rows}, {columns}])]", (4, 2)), ("a[:, torch.tensor({columns})]", (4, 3))),
)
RESHAPES = (
    *(("a.reshape(6, 4)", (2, 3, 4)), ("a.reshape(-1)", (2, 3, 4)), ("a.reshape(4, -1)", (2, 3, 4))),
    *(("a.reshape(3, 2, 2)", (4, 3)), ("a.reshape(1, 5)", (5,)), ("a.reshape(2, 6)", (4, 3))),
)
PERMUTED = (
    *(("a.permute(1, 0)", (2, 3)), ("a.permute(2, 0, 1)", (2, 3, 4)), ("a.permute(1, 2, 0)", (2, 3, 4))),
    *(("a.permute(0, 2, 1)", (2, 3, 4)), ("a.permute(3, 1, 0, 2)", (2, 3, 4, 5)), ("a.permute(1, 2, 0)", (3, 3, 3))),
)
PRODUCTS = (
    ("a @ b", (3, 4), (4, 5)),
    ("a @ b", (3, 3), (3, 3)),
    ("a @ b", (2, 3, 4), (2, 4, 5)),
    ("a @ b", (2, 3, 4), (4, 5)),
    ("a @ b", (3, 4), (2, 4, 5)),
    ("a @ b", (2, 1, 3, 4), (5, 4, 6)),
    ("a @ b", (1, 3, 4), (2, 4, 2)),
)


def leaf(generator, name, shape):
    """`c` is positive: it appears as a divisor and in a logarithm. Some leaves have their axes permuted in memory."""
    drawn = normal(generator, *reversed(shape)).permute(*reversed(range(len(shape)))) if shape else normal(generator)
    drawn = drawn if between(generator, 0, 1) < 0.5 else drawn.contiguous()
    return 0.5 + 1.5 * torch.sigmoid(drawn) if name == "c" else drawn


def put(questions, on, generator, text, *shapes):
    """Add the question about one operation, with a drawn upstream gradient."""
    text, tensors, gradient = tensor_case(generator, text, *shapes)
    ask = partial(on.run_with, ["Tensor"], OF_TENSORS, f"end = {text}", tensors, [("end", gradient)])
    questions.add(label_of(text, tensors), ask)


def operations(on, generator, cases):
    questions = Shuffled(generator, twice=0.1)
    for text, *shapes in cases:
        drawn = {name: [int(i) for i in torch.randint(0, top, (3,), generator=generator)] for name, top in INDICES}
        for indices in drawn.values():
            indices.append(indices[0])  # at least one of them twice
        put(questions, on, generator, text.format(**drawn), *shapes)
    return questions.answers()


INDICES = (("rows", 4), ("columns", 3))


def tensor_row(check, cases):
    with explained(check, "Tensor", cases):
        check.agrees(operations, draws=({"cases": cases},), reference=Autograd)


def sums_of_copies(on, generator):
    found = {}
    for whole, shape in (
        *(((4, 3), (3,)), ((4, 3), (4, 1)), ((4, 3), (1, 3)), ((4, 3), ()), ((4, 3), (4, 3)), ((2, 4, 3), (4, 1))),
        *(((2, 4, 3), (2, 1, 3)), ((2, 1, 3), (1, 3)), ((5, 2), (1, 1)), ((2, 3, 4, 5), (4, 1)), ((3, 3), (3, 1))),
    ):
        gradient, arguments = on.apply("unbroadcast", normal(generator, *whole), shape)
        found[f"from {whole} to {shape}"] = gradient
        found[f"the argument of shape {whole} afterwards, to {shape}"] = arguments[0]
    return found


def test_unbroadcast(check):
    check.agrees(sums_of_copies)


def one_operation(check, text, **tensors):
    """The gradients of the leaves, with a drawn upstream gradient, and that."""
    gradient = normal(check.generator(text), *eval(text, {"torch": torch, **tensors}).shape)
    found = check.on.run_with(["Tensor"], OF_TENSORS, f"end = {text}", tensors, [("end", gradient)])
    found = found if isinstance(found, dict) else {}
    return *(found.get(f"the gradient of {name}") for name in tensors), gradient


def test_tensor_elementwise(check):
    tensor_row(check, SAME_SHAPE)


def test_tensor_broadcasting(check):
    generator = check.generator("probe")
    a, b = normal(generator, 4, 3), normal(generator, 3)
    texts = usable(check, "Tensor", list(dict.fromkeys(text for text, *_ in BROADCAST)))
    cases = [case for case in BROADCAST if case[0] in ("a + b", "a * b", *texts)]
    with explained(check, "Tensor", cases):
        _, db, gradient = one_operation(check, "a + b", a=a, b=b)
        if same(db, gradient):
            named(check, "not_unbroadcast")
        if same(db, gradient.mean(0)):
            named(check, "mean_of_copies")
        check.agrees(operations, draws=({"cases": cases},), reference=Autograd)


def test_tensor_sum(check):
    needs(check, "Tensor", "sum")
    a = normal(check.generator("probe"), 3, 3)
    with explained(check, "Tensor", SUMS):
        da, gradient = one_operation(check, "a.sum(1)", a=a)
        if same(da, gradient.expand(3, 3)):
            named(check, "axis_not_put_back")
        check.agrees(operations, draws=({"cases": SUMS},), reference=Autograd)


def test_tensor_getitem(check):
    needs(check, "Tensor", "__getitem__")
    a = normal(check.generator("probe"), 3, 2)
    with explained(check, "Tensor", READINGS):
        da, gradient = one_operation(check, "a[torch.tensor([0, 0, 2])]", a=a)
        if same(da, gradient):
            named(check, "not_put_back")
        is_put_back = isinstance(da, torch.Tensor) and da.shape == a.shape and same(da[2], gradient[2])
        if is_put_back and any(same(da[0], each) for each in gradient[:2]):
            named(check, "assigned")
        check.agrees(operations, draws=({"cases": READINGS},), reference=Autograd)


def test_tensor_reshape(check):
    needs(check, "Tensor", "reshape")
    tensor_row(check, RESHAPES)


def test_tensor_permute(check):
    needs(check, "Tensor", "permute")
    a = normal(check.generator("probe"), 3, 3, 3)
    with explained(check, "Tensor", PERMUTED):
        da, gradient = one_operation(check, "a.permute(1, 2, 0)", a=a)
        if same(da, gradient.permute(1, 2, 0)):
            named(check, "same_permutation")
        check.agrees(operations, draws=({"cases": PERMUTED},), reference=Autograd)


LARGER = (
    *(("a.maximum(b)", (4, 3), (4, 3)), ("a.maximum(b)", (4, 3), (3,)), ("a.maximum(b)", (4, 1), (4, 3))),
    *(("a.maximum(0.1)", (4, 3)), ("a.maximum(b)", (2, 1, 3), (4, 1))),
)


def tensor_operations(check):
    """The cases of the rows about one operation, of those operations that the class has."""
    rest = (*SUMS, *READINGS, *RESHAPES, *PERMUTED, *PRODUCTS, *LARGER)
    have = set(usable(check, "Tensor", [*dict.fromkeys(text for text, *_ in BROADCAST), *PROBES.values()]))
    methods = tuple(name for name, probe in PROBES.items() if probe in have)
    own = tuple((text, (3, 4)) for text in usable_operations(check, "Tensor"))
    cases = (case for case in rest if any(f"a{method}" in case[0] for method in methods))
    return (*SAME_SHAPE, *own, *(case for case in BROADCAST if case[0] in have), *cases)


def larger(on, generator):
    questions = Shuffled(generator, twice=0.1)
    for text, *shapes in LARGER:
        put(questions, on, generator, text, *shapes)
    for shape in ((4, 3), (5,)):
        questions.add(f"a.maximum(b) with ties, of shape {shape}", partial(tied, on, generator, shape))
    return questions.answers()


def tied(on, generator, shape):
    """At a tie, the two gradients have to add up to the upstream gradient; how it is shared is up to the student."""
    generator = torch.Generator().manual_seed(generator.initial_seed() + len(shape))
    a, gradient = normal(generator, *shape), normal(generator, *shape)
    ties = torch.rand(shape, generator=generator) < 0.4
    ties.view(-1)[:3] = torch.tensor([True, False, False])
    is_larger = torch.rand(shape, generator=generator) < 0.5
    is_larger.view(-1)[1:3] = torch.tensor([True, False])
    difference = normal(generator, *shape).abs()
    b = torch.where(ties, a, torch.where(is_larger, a + difference, a - difference))
    found = on.run_with(["Tensor"], OF_TENSORS, "end = a.maximum(b)", {"a": a, "b": b}, [("end", gradient)])
    da, db = found.pop("the gradient of a"), found.pop("the gradient of b")
    share, margin = da[ties] / gradient[ties], 1e-5 if on.low_precision else 1e-9
    return {
        **found,
        "the gradient of a where there is no tie": da[~ties],
        "the gradient of b where there is no tie": db[~ties],
        "at ties, the sum of both gradients": da[ties] + db[ties],
        "at ties, each gets between none and all of it": bool(((share > -margin) & (share < 1 + margin)).all()),
    }


def test_tensor_maximum(check):
    needs(check, "Tensor", "maximum")
    generator = check.generator("probe")
    with explained(check, "Tensor", LARGER):
        maximum_mistakes(check, generator)
        check.agrees(larger, reference=Autograd)


def maximum_mistakes(check, generator):
    a, b = normal(generator, 3), normal(generator, 3)
    da, db, gradient = one_operation(check, "a.maximum(b)", a=a, b=b)
    if same(da, gradient) and same(db, gradient):
        named(check, "both_sides")
    if not (same(da, gradient * (a > b)) and same(db, gradient * (a < b))):
        return  # it is wrong without a tie, too
    da, db, gradient = one_operation(check, "a.maximum(b)", a=a, b=a.clone())
    if same(da, gradient) and same(db, gradient):
        named(check, "twice_at_ties")
    if same(da, 0 * gradient) and same(db, 0 * gradient):
        named(check, "nobody_at_ties")


def test_tensor_matmul(check):
    needs(check, "Tensor", "__matmul__")
    generator = check.generator("probe")
    with explained(check, "Tensor", PRODUCTS):
        product_mistakes(check, generator)
        check.agrees(operations, draws=({"cases": PRODUCTS},), reference=Autograd)


def product_mistakes(check, generator):
    a, b = normal(generator, 3, 3), normal(generator, 3, 3)
    da, db, gradient = one_operation(check, "a @ b", a=a, b=b)
    if same(da, gradient @ b) or same(db, a @ gradient):
        named(check, "products_not_transposed")
    a, b = normal(generator, 3, 3, 3), normal(generator, 3, 3, 3)
    da, db, gradient = one_operation(check, "a @ b", a=a, b=b)
    for exchanged in (lambda each: each.permute(2, 1, 0), lambda each: each.transpose(0, 1)):
        if same(da, gradient @ exchanged(b)) or same(db, exchanged(a) @ gradient):
            named(check, "batch_axis_moved")


PROBES = {
    ".sum": "a.sum()",
    "[": "a[0]",
    ".reshape": "a.reshape(4)",
    ".permute": "a.permute(1, 0)",
    ".maximum": "a.maximum(b)",
    " @": "a @ b",
}
"""{what follows a tensor where the method is used: an expression that the class can compute if it has the method}"""
FORMS_OF_TENSORS = ("a - b", "2 - a", "a.tanh()")


def shaped(generator, leaves, steps, usable):
    """(lines, last name, its shape): a random graph of tensors. Where numbers grow, they are made smaller.

    `usable` are those of FORMS_OF_TENSORS and PROBES that the class can compute.
    """
    scope, lines = dict(leaves), []
    while len(lines) < steps:
        names = list(scope)
        one, other = pick(generator, names[-4:]), pick(generator, names)
        ndim, size = scope[one].ndim, scope[one].shape[0] if scope[one].ndim else 0
        forms = {"a - b": "{0} - {1}", "a.maximum(b)": "{0}.maximum({1})", "a.tanh()": "{0}.tanh()", "2 - a": "2 - {0}"}
        if ndim >= 2:
            order = torch.randperm(ndim, generator=generator).tolist()
            forms |= {"a.permute(1, 0)": "{0}.permute(" + ", ".join(map(str, order)) + ")"}
            forms |= {"a.reshape(4)": "{0}.reshape(-1)"}
            forms |= {"a @ b": "{0} @ {1}"} if scope[other].ndim >= 2 else {}
        if ndim >= 1:
            index = [int(i) for i in torch.randint(0, size, (size + 1,), generator=generator)]
            read = pick(generator, (f"{{0}}[torch.tensor({index})]", "{0}[-1] * {0}"))
            forms |= {"a.sum()": pick(generator, ("{0}.sum(0, keepdim=True) + {0}", "{0}.sum(-1)")), "a[0]": read}
        known = ["{0} + {1}", "{0} * {1}", "{0} * {0}", *(form for probe, form in forms.items() if probe in usable)]
        text = pick(generator, known).format(one, other)
        try:
            value = eval(text, {"torch": torch, **scope})
        except (RuntimeError, IndexError):
            continue  # the shapes do not fit
        if value.numel() > 200:
            continue
        if float(value.abs().max()) > 3:
            text = f"({text}).tanh()" if "a.tanh()" in usable else f"({text}) * {1 / float(value.abs().max())}"
            value = eval(text, {"torch": torch, **scope})
        name = f"t{len(lines)}"
        scope[name] = value
        lines.append(f"{name} = {text}")
    read = [name for name in list(scope)[-5:]]
    lines.append("end = " + " + ".join(f"{name}.sum()" for name in read))
    return lines, list(leaves) + list(scope)[-5:]


def put_passes(questions, on, generator, name, text, ends):
    leaves = {name: leaf(generator, name, (2, 3)) for name in "ab"}
    ask = partial(on.run_with, ["Tensor"], OF_TENSORS, text, leaves, [(end, None) for end in ends])
    questions.add(name, ask)


def tensor_graphs(on, generator, steps, usable):
    questions = Shuffled(generator)
    for number in range(1, 6):
        leaves = {
            "a": leaf(generator, "a", (3, 4)),
            "b": leaf(generator, "b", (4,)),
            "c": leaf(generator, "c", (3, 1)),
            "d": leaf(generator, "d", (4, 3)),
        }
        lines, _ = shaped(generator, leaves, questions.some(steps, 2 * steps), usable)
        ask = partial(on.run_with, ["Tensor"], OF_TENSORS, "\n".join(lines), leaves, [("end", None)])
        questions.add(f"random graph {number}", ask)
    both = "v = a + b\nend = (v * 3).sum() + (a * 5).sum() + (b * v).sum()"
    put_passes(questions, on, generator, "both inputs of a sum", both, ["end"])
    return questions.answers()


def tensor_detached(on, generator):
    questions = Shuffled(generator)
    for name, text, ends in (
        ("one part detached", "v = a * b\nend = (v.detach() * v).sum()", ["end"]),
        ("a detached end", "v = a * b\ncut = v.sum().detach()\nend = (cut * a).sum() * 0.5", ["end", "cut", "end"]),
    ):
        put_passes(questions, on, generator, name, text, ends)
    return questions.answers()


def tensor_passes(on, generator, texts, zero):
    """Two passes through one graph, with `zero_grad` of all leaves between them or not."""
    questions, between = Shuffled(generator), [("zero", None)] if zero else []
    put_passes(questions, on, generator, "two passes", "v = a * b + a\nend = (v * v).sum()", ["end", *zero, "end"])
    if not zero:
        two = "v = a * b\nend = (v * v).sum()\nother = (v + a).sum()"
        put_passes(questions, on, generator, "two ends", two, ["end", "other"])
    for text in texts:
        leaves = {name: leaf(generator, name, (2, 3)) for name in used(text, dict.fromkeys("ab"))}
        shape = eval(text, {name: tensor.as_subclass(Leaf) for name, tensor in leaves.items()}).shape
        first, second = normal(generator, *shape), normal(generator, *shape)
        ends = [("end", first), *between, ("end", second)]
        ask = partial(on.run_with, ["Tensor"], OF_TENSORS, f"end = {text}", leaves, ends)
        questions.add(f"two passes from {text}", ask)
    return questions.answers()


SHARED = (
    "v = a + b\nend = (v * 3).sum() + (a * 5).sum() + (b * 7).sum()",
    "v = a + b\nend = (a * 5).sum() + (b * 7).sum() + (v * 3).sum()",
    "v = a + b\nend = (a * 5).sum() + (v * 3).sum() + (b * 7).sum()",
    "v = a + b\nend = (v * 3).sum() + (a * 5).sum()",
    "v = a + b\nend = (a * 5).sum() + (v * 3).sum()",
)


def shared_gradients(check):
    """End the check where two leaves hold one gradient: each then also gets what is added to the other."""
    two = torch.full((2,), 2.0, dtype=torch.float64)
    leaves = {"a": two / 2, "b": two}
    for text in SHARED:  # the gradient of a is 3 + 5, that of b 3, or 3 + 7
        found = check.on.run_with(["Tensor"], OF_TENSORS, text, leaves, [("end", None)])
        if not isinstance(found, dict):
            return
        da, db = found.get("the gradient of a"), found.get("the gradient of b")
        too_much = [7.5 * two] if "b * 7" in text else [4 * two]
        if any(same(db, each) for each in too_much) or same(da, 7.5 * two):
            named(check, "aliased")
    given = torch.tensor([2.0, 3.0], dtype=torch.float64)
    after_passes = []
    for passes in (1, 2):
        ends = [("end", given.clone()) for _ in range(passes)]
        found = check.on.run_with(["Tensor"], OF_TENSORS, "end = a + b", leaves, ends)
        after_passes.append(
            [found.get(f"the gradient of {name}") if isinstance(found, dict) else None for name in "ab"]
        )
    once, twice = after_passes
    is_right_once = all(same(each, given) for each in once)
    if is_right_once and any(same(each, 3 * given) or same(each, 4 * given) for each in twice):  # 2 * given is right
        named(check, "leaf_aliased")


def upstream_ignored(check):
    """End the check where every pass begins with ones."""
    a = normal(check.generator("upstream"), 3)
    da, _ = one_operation(check, "a + a", a=a)
    if same(da, 2 * torch.ones_like(a)):
        named(check, "upstream_ignored")


def unbroadcast_is_wrong(check):
    """End the check where the student's function is wrong: the rows of tensors say nothing new about it."""
    generator = check.generator("unbroadcast")
    for whole, shape in (((4, 3), (3,)), ((4, 3), (4, 1)), ((2, 4, 3), (1, 3)), ((4, 3), ())):
        gradient = normal(generator, *whole)
        wide = gradient.sum(0) if len(whole) == 3 else gradient
        expected = {(3,): wide.sum(0), (4, 1): wide.sum(1, keepdim=True), (1, 3): wide.sum(0, keepdim=True)}
        try:
            found = check.on.run_with(["unbroadcast"], SUM_OF_COPIES, gradient, shape)
            is_right = same(found, expected.get(shape, gradient.sum()))
        except CallFailed as failed:
            if failed.answer.outcome != "raised":
                return
            is_right = False
        if not is_right:
            check.fail("`unbroadcast` is not right yet. If your operations call it, get its row right first.")


def changed_upstream(check):
    """End the check where a pass changes the upstream gradient that the caller gave."""
    generator = check.generator("what the caller gave")
    for form in (*UNARY, *BINARY, *OF_TENSORS_ONLY[:2]):
        text = form.format("c", "a")
        text, tensors, gradient = tensor_case(generator, text, (3,))
        given = gradient.clone()
        with suppress(CallFailed):
            arguments = (f"end = {text}", tensors, [("end", gradient)])
            found = check.on.run_with(["Tensor"], OF_TENSORS, *arguments)
            after = found.get("the upstream gradient of pass 1, afterwards") if isinstance(found, dict) else given
            if not same(after, given):
                check.fail(
                    f"In `{text}`, `backward` changes the upstream gradient that the caller gave. Make a new tensor "
                    "instead of changing that one in place.",
                    mistake="changes_its_input",
                )


def sums_forgotten(check):
    """End the check where a tensor that was broadcast gets the gradient of all its copies, or an error by that."""
    generator = check.generator("sums")
    if not basics_are_right(check, "Tensor"):  # then a gradient may have any shape
        return
    for text, rows, row in (("a + b", (4, 3), (3,)), ("a * b", (4, 3), (3,)), ("a.maximum(b)", (4, 3), (3,))):
        a, b = normal(generator, *rows), normal(generator, *row)
        try:
            _, db, _ = one_operation(check, text, a=a, b=b)
        except CallFailed as failed:
            if "broadcast" in failed.answer.message or "must match the size" in failed.answer.message:
                named(check, "not_unbroadcast")
            raise
        if isinstance(db, torch.Tensor) and db.shape == a.shape:
            named(check, "not_unbroadcast")


def test_tensor_graphs(check):
    needs(check, "Tensor", "sum")
    probes = usable(check, "Tensor", (*FORMS_OF_TENSORS, *PROBES.values()))
    with explained(check, "Tensor"):
        recognise(check, "Tensor", GRAPHS)
        equal_numbers(check, "Tensor")
        shared_gradients(check)
        draws = ({"steps": 5, "usable": probes}, {"steps": 12, "usable": probes})
        check.agrees(tensor_graphs, draws=draws, reference=Autograd)
        changed_operands(check, "Tensor", (*BINARY, *UNARY, *OF_TENSORS_ONLY))


def test_tensor_detach(check):
    needs(check, "Tensor", "detach", "sum")
    with explained(check, "Tensor"):
        recognise(check, "Tensor", DETACHED)
        try:
            check.agrees(tensor_detached, reference=Autograd)
        except CheckFailed:  # one of its questions has several passes
            recognise(check, "Tensor", PASSES)
            raise
        changed_operands(check, "Tensor", ("{0}.detach()",))


def test_tensor_again(check):
    check_two_passes(check, PASSES, ())


def test_tensor_zero_grad(check):
    needs(check, "Tensor", "zero_grad")
    check_two_passes(check, ZEROED, ("zero",))


def check_two_passes(check, probes, zero):
    needs(check, "Tensor", "sum")
    texts = ("a.reshape(3, 2) + b.reshape(3, 2)", "a.permute(1, 0)", "(a + b)[:]")
    have = usable(check, "Tensor", ("a.reshape(2, 2) + b.reshape(2, 2)", *texts[1:]))
    texts = ("a + b", "a", *(text for text in texts if text.replace("3, 2", "2, 2") in have))
    with explained(check, "Tensor"):
        recognise(check, "Tensor", probes)
        shared_gradients(check)
        check.agrees(tensor_passes, draws=({"texts": texts, "zero": zero},), reference=Autograd)


def losses(on, generator, steps, **sizes):
    parameters, X, Y = network.problem(generator, **sizes)
    found = on.run_with(["Tensor"], TRAIN, parameters, X, Y, steps, 0.3)
    return {"losses": torch.stack([torch.as_tensor(loss, dtype=torch.float64) for loss in found])}


TRAIN = Function(network.train)


def test_network(check):
    methods = ("__neg__", "__sub__", "__truediv__", "__pow__", "__getitem__", "__matmul__")
    needs(check, "Tensor", *methods, "sum", "exp", "log", "maximum", "zero_grad")
    draws = (
        {"steps": 3, "batch": 5, "features": 4, "hidden": 7, "classes": 3},
        {"steps": 12, "batch": 12, "features": 6, "hidden": 9, "classes": 4},
    )
    with explained(check, "Tensor"):
        try:
            check.agrees(losses, draws=draws, reference=Autograd)
        except CheckFailed as failed:
            if mistake_of(check, failed) not in OF_GRAPHS:
                raise
            larger = (
                "Small expressions are right, but the gradients of this larger graph are wrong. Which operation goes "
                "wrong if its input is used somewhere else, too?"
            )
            raise CheckFailed(larger, failed.status) from failed


# Depth comes last: a function that hangs is not called again.


def leaves_of(kind, **numbers):
    """What an object of this kind is made from, by name."""
    return {name: torch.tensor(x, dtype=torch.float64) if kind == "Tensor" else x for name, x in numbers.items()}


def goes_deep(check, kind, times):
    """End the check unless a chain of `times` products and sums has the right gradients."""
    generator = check.generator("a deep graph")
    a, b, c = between(generator, 0.5, 1), between(generator, 0.9997, 0.9999), between(generator, 0, 1)
    found = check.on.run_with([kind], DEEP, "x = x * b + c", times, leaves_of(kind, a=a, b=b, c=c))
    if isinstance(found, dict) and found.get("backward through a deep graph") == "RecursionError":
        named(check, "recursion")
    x, db, dc = a, 0.0, 0.0  # forward mode: the slopes of x by b and by c
    for _ in range(times):
        x, db, dc = x * b + c, db * b + x, dc * b + 1
    expected = {"a": b**times, "b": db, "c": dc}
    for name, gradient in expected.items():
        number = found.get(f"the gradient of {name}") if isinstance(found, dict) else None
        rtol = 1e-4 if check.on.low_precision else 1e-8
        if not (isinstance(number, float) and abs(number - gradient) <= rtol * abs(gradient)):
            check.fail(f"In a graph of {2 * times:,} operations one after the other, the gradient of a leaf is wrong.")


def walks_every_path(check, kind):
    """14 times x = x + x * a: 29 values, and 16,384 paths. The student's process counts: enough to name a mistake."""
    text = "end = a\n" + "end = end + end * a\n" * 14
    found = check.on.run_with([kind], COUNTED, text, leaves_of(kind, a=0.5)["a"])
    expected = 1.5**14 + 14 * 0.5 * 1.5**13
    is_right = isinstance(found, dict) and close(found.get("the gradient of a"), expected)
    return is_right and isinstance(found.get("calls"), int) and found["calls"] > MAX_CALLS


def goes_once(check, kind):
    """64 times x = x + x * b: 130 values. Along its 2 ** 64 paths nobody comes to an end, whatever is counted."""
    generator = check.generator("130 values")
    a, b = between(generator, 0.5, 1.5), between(generator, 0.2, 0.5)
    found = check.on.run_with([kind], DEEP, "x = x + x * b", 64, leaves_of(kind, a=a, b=b))
    rtol = 1e-4 if check.on.low_precision else 1e-9
    for name, expected in (("a", (1 + b) ** 64), ("b", 64 * a * (1 + b) ** 63)):
        gradient = found.get(f"the gradient of {name}") if isinstance(found, dict) else None
        if not (isinstance(gradient, float) and abs(gradient - expected) <= rtol * expected):
            check.fail("The gradient is wrong in a graph of 130 values, most of which are used twice.")


def visits_each_once(check, kind):
    if walks_every_path(check, kind):
        named(check, "every_path")
    goes_once(check, kind)


def long_sum(on, generator, kind, times):
    leaves = leaves_of(kind, **{name: between(generator, 0.5, 1) for name in "ab"})
    return on.run_with([kind], DEEP, "x = x + a * b", times, leaves)


def test_tensor_deep(check):
    with explained(check, "Tensor"):
        visits_each_once(check, "Tensor")
        goes_deep(check, "Tensor", TENSOR_DEPTH // 2)
        check.agrees(long_sum, draws=({"kind": "Tensor", "times": 20},), reference=Autograd)


def test_value_deep(check):
    with explained(check, "Value"):
        visits_each_once(check, "Value")
        goes_deep(check, "Value", DEPTH // 2)
        check.agrees(long_sum, draws=({"kind": "Value", "times": 60},), reference=Autograd)
