"""What an error's text means, told beside it: texts as torch and Python really word them."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch

from grader.verdict.explain.errors import CallContext, error_meanings, explain_error_text

X = torch.zeros(4, 3)
INDEX = torch.zeros(4, dtype=torch.int64)
REFLECTED = (
    "A plain number is on the left of `{0}`. Python then calls a method of `Layer` whose name begins with r, as "
    "`__radd__` for `2 + a` and `__rtruediv__` for `2 / a`. Has the class the one for `{0}`?"
)
OPERATOR = (
    "For `{0}` Python calls a method of `Layer`, as `__add__` for `+`, `__sub__` for `-`, `__truediv__` for `/` and "
    "`__pow__` for `**`. Has the class the one for `{0}`?"
)
POWER = "`^` is exclusive or, for integers and truth values. The power is `**`."
BITS = (
    "`&` and `|` combine truth values or integers, bit by bit. A comparison next to one needs brackets: "
    "`(a > 0) & (b > 0)`. Numbers are multiplied with `*`, matrices with `@`."
)
INVERTED = "`~` inverts truth values and integers. A minus is `-`."


class Layer:
    def backward(self):
        return self.kept


def unset(flag=False):
    if flag:
        total = 1
    return total


class Holder:
    """An object of a student's own class."""

    def backward(self) -> None:
        pass


RAISED: dict[str, tuple[str, str, Callable[[], object]]] = {
    "a product": (
        "shapes_do_not_fit",
        "A matrix product needs equal inner sizes; here you multiply (4, 3) by (4, 3). Which order, and which `.T`, "
        "gives the shape of `W`, (3, 3)? If none does, another value is needed. You are given `x` (4, 3).",
        lambda: X @ X,
    ),
    "a matrix and a vector": (
        "shapes_do_not_fit",
        "A matrix of shape (4, 3) times a vector needs one of 3 elements; here it has 4. Which order, and which `.T`, "
        "is meant? You are given `x` (4, 3).",
        lambda: X @ torch.zeros(4),
    ),
    "two vectors": (
        "shapes_do_not_fit",
        "A product of two vectors needs as many elements in both; here they have 3 and 4. You are given `x` (4, 3).",
        lambda: torch.zeros(3) @ torch.zeros(4),
    ),
    "element by element": (
        "shapes_do_not_fit",
        "Two tensors meet, element by element or in `@` in front of the last two axes, and along one axis one has 3 "
        "elements, the other 4. Is a sum over the wrong axis, without `keepdim=True`, or a transpose too many or too "
        "few? You are given `x` (4, 3).",
        lambda: X + torch.zeros(4),
    ),
    "an expansion": (
        "shapes_do_not_fit",
        "A tensor of sizes [3] has to take the sizes [3, 4], in `expand` or in an assignment. Only an axis of size 1 "
        "can be copied, and new axes are added on the left. You are given `x` (4, 3).",
        lambda: torch.zeros(3).expand(3, 4),
    ),
    "an operation in place that needs more room": (
        "shapes_do_not_fit",
        "An operation in place, such as `+=`, cannot enlarge the tensor that it changes: that one has the sizes [3], "
        "and the result would have [4, 3]. You are given `x` (4, 3).",
        lambda: torch.zeros(3).add_(X),
    ),
    "the maximum of nothing": (
        "empty_tensor",
        "This tensor has no elements, so it has no largest or smallest one. Does a slice begin after the end of its "
        "tensor?",
        lambda: X[4:].amax(0),
    ),
    "a part of a number": (
        "axis_out_of_range",
        "The code reads a part of a tensor that is a single number, without axes. Does a sum go over too many axes? "
        "You are given `x` (4, 3).",
        lambda: X.sum()[0:2],
    ),
    "a view": (
        "view_does_not_fit",
        "A tensor of 12 elements cannot be viewed as (5, 2). Is it the tensor that you mean, and "
        "are these its sizes? You are given `x` (4, 3).",
        lambda: X.view(5, 2),
    ),
    "a view with a size left open": (
        "view_does_not_fit",
        "A tensor of 12 elements cannot be viewed as (-1, 5). Is it the tensor that you "
        "mean, and are these its sizes? You are given `x` (4, 3).",
        lambda: X.view(-1, 5),
    ),
    "a place": (
        "index_out_of_range",
        "The code reads place 7 along axis 0, which has 4 of them, numbered from 0. Is it the right tensor that is "
        "indexed, and the right axis? You are given `x` (4, 3).",
        lambda: X[7],
    ),
    "an axis": (
        "axis_out_of_range",
        "The code uses axis 2 of a tensor that has 2 axes, numbered from 0. Which tensor is it, and which axis? You "
        "are given `x` (4, 3).",
        lambda: X.sum(2),
    ),
    "too many indices": (
        "axis_out_of_range",
        "More indices stand in the brackets than the tensor has axes: it has 2. Which tensor is it? You are given `x` "
        "(4, 3).",
        lambda: X[0, 0, 0],
    ),
    "a size that is not there": (
        "axis_out_of_range",
        "The code reads an entry that does not exist: `x.shape` has one entry for each axis, numbered from 0. You are "
        "given `x` (4, 3).",
        lambda: X.shape[2],
    ),
    "a list's end": (
        "list_index_out_of_range",
        "A list is read beyond its end. It has the places 0 to len - 1: how long is it when that line is reached?",
        lambda: [1, 2][2],
    ),
    "values as an index": (
        "index_is_no_integer",
        "What is used as an index holds no integers. An index says *which* entries, so it comes from the "
        "tensors of tokens or labels, not from values or gradients. You are given `x` (4, 3).",
        lambda: X[X[:, 0]],
    ),
    "values as an index to add at": (
        "index_is_no_integer",
        "What is used as an index holds no integers. An index says *which* entries, so it comes from the "
        "tensors of tokens or labels, not from values or gradients. You are given `x` (4, 3).",
        lambda: X.clone().index_add_(0, X[:, 0], X),
    ),
    "rows of another length to add": (
        "shapes_do_not_fit",
        "What is added must have a row for each index, and in each row as many elements as a row of the tensor it is "
        "added to. A `view` or `reshape` brings it into that form. You are given `x` (4, 3).",
        lambda: X.clone().index_add_(0, INDEX, torch.zeros(4, 2)),
    ),
    "a tensor for a count": (
        "tensor_for_number",
        "A tensor is used where one plain number belongs: a size, an axis or a count. Sizes come from `x.shape[0]`, "
        "say.",
        lambda: torch.arange(X),
    ),
    "a tensor for a function of one number": (
        "tensor_for_number",
        "`math.log`, `math.sqrt` and `float()` take a single number, and this tensor has several elements. For every "
        "element at once there is `torch.log(x)` or `x.log()`.",
        lambda: math.log(X),
    ),
    "a tensor for a condition": (
        "many_for_one_answer",
        "`if`, `and`, `or` and `not` need one yes or no, and a tensor gives one for each element: which of them "
        "decides? `.all()`, `.any()` or an elementwise `torch.where` say so.",
        lambda: not X,
    ),
    "a number for a tensor": (
        "number_for_tensor",
        "A plain number (`int`) is used where a tensor or a list belongs. Is a name exchanged, or has a call that "
        "makes a tensor lost its argument?",
        lambda: (4).sum(0),
    ),
    "a number to index": (
        "number_for_tensor",
        "A plain number (`float`) is used where a tensor or a list belongs. Is a name exchanged, or has a call that "
        "makes a tensor lost its argument?",
        lambda: X.sum().item()[0],
    ),
    "a number in a product": (
        "number_for_tensor",
        "`@` multiplies matrices, and one of the two is a plain number. Is a name exchanged, or is `*` meant?",
        lambda: X @ 2,
    ),
    "an object for its number": (
        "object_for_number",
        "A plain number belongs where a `Holder` is. Is an object used in the place of the number that it holds?",
        lambda: float(Holder()),
    ),
    "a number for an object": (
        "number_for_tensor",
        "A plain number (`float`) has no `backward`. Which operation gives a plain number, where it should make a new "
        "object?",
        lambda: (2.0).backward(),  # type: ignore[attr-defined]
    ),
    "memory without a tensor": (
        "too_large",
        "The memory that is allowed is used up. Does a list grow in a loop that does not end, or does something hold "
        "more objects than it needs?",
        lambda: [0] * 2**62,
    ),
    "an argument too many": (
        "too_many_arguments",
        "The method `backward` is called with 2 arguments and has 1 of them: in both numbers, `self` is one. Which "
        "parameter does its `def` lack?",
        lambda: Holder().backward(1),  # type: ignore[call-arg]
    ),
    "a number that is too large": (
        "number_too_large",
        "A result is too large for a number with a decimal point. Which exponential or power gets an argument that is "
        "too large?",
        lambda: math.exp(1000),
    ),
    "a Tensor of one's own": (
        "tensor_of_ones_own",
        "For `@`, one of the two is a torch tensor, and the other an object of your own class `Tensor`. Is such an "
        "object used where the tensor that it holds belongs?",
        lambda: X @ type("Tensor", (), {})(),
    ),
    "a list for a tensor": (
        "list_for_tensor",
        "A list or tuple is used where a tensor or a number belongs. Which of its entries is meant?",
        lambda: -[X],
    ),
    "a tensor for a list": (
        "tensor_for_list",
        "A tensor is used where a list or a dict belongs: `.append` is none of a tensor's methods.",
        lambda: X.append(X),
    ),
    "labels in a product": (
        "wrong_kind_of_number",
        "Integers and floating-point numbers meet where one kind is needed. Is one of them an index, such as tokens or "
        "labels, where a value belongs?",
        lambda: X.T @ INDEX.view(4, 1),
    ),
    "nothing for a tensor": (
        "none_for_tensor",
        "A None is used where a value belongs: has a function been called that returns nothing or changes in place, or "
        "is an attribute still None?",
        lambda: None + X,
    ),
    "a name set on one side only": (
        "name_not_set",
        "`total` is set somewhere in the function, but not before that line is reached. Does a line that sets it stand "
        "further down, or on one side of an `if` only?",
        unset,
    ),
    "an attribute": (
        "attribute_not_set",
        "The class `Layer` defines no method `kept`, and nothing has set `self.kept` when that line is reached. Is it "
        "written, is it spelled in the same way, and is it set on every path?",
        lambda: Layer().backward(),
    ),
    "a method": (
        "attribute_not_set",
        "The class `Layer` defines no method `relu`, and nothing has set `self.relu` when that line is reached. Is it "
        "written, is it spelled in the same way, and is it set on every path?",
        lambda: Layer().relu(),  # type: ignore[attr-defined]
    ),
    "a number divided by an object": ("operator_not_defined", REFLECTED.format("/"), lambda: 2 / Layer()),
    "an object added to a float": ("operator_not_defined", REFLECTED.format("+"), lambda: 2.0 + Layer()),
    "a sum of objects": ("operator_not_defined", REFLECTED.format("+"), lambda: sum([Layer(), Layer()])),
    "a power of an object": ("operator_not_defined", OPERATOR.format("**"), lambda: Layer() ** 2),
    "a difference of objects": ("operator_not_defined", OPERATOR.format("-"), lambda: Layer() - Layer()),
    "a product of an object and a number": ("operator_not_defined", OPERATOR.format("*"), lambda: Layer() * 2),
    "parts": (
        "not_so_many_parts",
        "There are 2 names on the left of a `=`, and the value on the right has another number of parts. How many does "
        "it give?",
        lambda: exec("a, b = 1, 2, 3"),
    ),
    "a division": (
        "division_by_zero",
        "What is divided by is zero here. Which size or count can be that small, and is it the one that belongs there?",
        lambda: 1 / 0,
    ),
    "an axis twice": (
        "axis_twice",
        "The same axis is named twice: -1 is the last one by another name.",
        lambda: X.sum((1, -1)),
    ),
    "a power written with ^": ("xor_for_power", POWER, lambda: 1.0 - X ^ 2),
    "a power of a tensor to a tensor": ("xor_for_power", POWER, lambda: X ^ X),
    "a power in place": ("xor_for_power", POWER, lambda: X.clone().__ixor__(2)),
    "a power of two numbers": ("xor_for_power", POWER, lambda: float(X.shape[0]) ^ 2),
    "a power of an array": ("xor_for_power", POWER, lambda: X.numpy() ^ 2),
    "a comparison without brackets": ("wrong_kind_of_number", BITS, lambda: (X > 0) & X),
    "a product written with &": ("wrong_kind_of_number", BITS, lambda: X & X),
    "an alternative of an array": ("wrong_kind_of_number", BITS, lambda: X.numpy() | 1),
    "a tensor inverted": ("wrong_kind_of_number", INVERTED, lambda: ~X),
    "a number inverted": ("wrong_kind_of_number", INVERTED, lambda: ~float(X.shape[0])),
    "a shift": (
        "wrong_kind_of_number",
        "`<<` and `>>` shift the bits of integers. A comparison is written `<` or `>`, a power of two `2**n`.",
        lambda: X >> 1,
    ),
    "softmax of integers": (
        "wrong_kind_of_number",
        "torch has no such operation for integers. Do tokens or labels appear where a value belongs? A one-hot tensor "
        "needs `.double()` first.",
        lambda: torch.softmax(INDEX, 0),
    ),
    "a product of truth values": (
        "wrong_kind_of_number",
        "torch has no such operation for truth values. Make numbers of them first: `.double()`.",
        lambda: (X > 0) @ (X.T > 0),
    ),
    "a comparison of complex numbers": (
        "wrong_kind_of_number",
        "torch has no such operation for complex numbers. Which line makes them, and is it needed?",
        lambda: X + 0j < 1,
    ),
    "counts of values": (
        "wrong_kind_of_number",
        "torch has no such operation for tensors of float32. Which tensor is meant, and which dtype does it need?",
        lambda: torch.bincount(X.view(-1)),
    ),
}


def text_of_error(wrong: Callable[[], object]) -> str:
    """What the grader reads of the error that a call raises."""
    with pytest.raises(Exception) as raised:
        wrong()
    return f"{raised.type.__name__}: {' '.join(str(raised.value).split())}"


def test_what_an_error_means():
    context = CallContext({"x": X, "n": 4}, (), "the shape of `W`, (3, 3)")
    for case, (name, message, wrong) in RAISED.items():
        explained = explain_error_text(text_of_error(wrong), context)
        assert explained is not None and (explained.id, explained.message) == (name, message), case


def test_a_name_that_could_have_been_asked_for():
    context = CallContext({}, ("hpreact", "dh"))
    explained = explain_error_text("NameError: name 'hpreact' is not defined", context)
    assert explained is not None and explained.message == ("`hpreact` is available: add it to the parameters.")
    explained = explain_error_text("NameError: name 'hpreakt' is not defined", context)
    assert explained is not None and explained.message == (
        "Nothing of the name `hpreakt` has been set when that line is reached. Do you mean `hpreact`?"
    )
    explained = explain_error_text("NameError: name 'DH' is not defined", context)
    assert explained is not None and explained.message.endswith(" Do you mean `dh`?")
    explained = explain_error_text("NameError: name 'math' is not defined", context)
    assert explained is not None and explained.message == (
        "`math` is not imported: write `import math` at the top of the file."
    )
    explained = explain_error_text("NameError: name 'total' is not defined", context)
    assert explained is not None and explained.message.endswith(" Is it spelled as where you set it?")


def function_of_the_file(dx):
    return dx


def test_the_gradient_s_function_in_place_of_its_value():
    """What happens where a name is missing from the parameters, and the file has a function of that name."""
    for wrong in (
        lambda: -function_of_the_file,
        lambda: function_of_the_file * X,
        lambda: X / function_of_the_file,
        lambda: function_of_the_file.sum(0),
        lambda: function_of_the_file[0],
        lambda: torch.exp(function_of_the_file),
    ):
        explained = explain_error_text(text_of_error(wrong), CallContext())
        assert explained is not None and explained.id == "function_for_value"


def test_what_says_all_there_is_to_say():
    for text in ("ValueError: that is no weight", "TypeError: f() missing 1 required argument", ""):
        assert explain_error_text(text, CallContext()) is None


def test_each_message_uses_only_groups_of_its_pattern():
    for pattern, identifier, template, needs in error_meanings():
        groups = [f"group {number}" for number in range(1, pattern.groups + 1)]
        assert identifier and "{" not in template.format("", *groups, first=groups[0] if groups else "", result="")
        assert "{first}" not in template or pattern.groups
        assert all("{" not in name.format("", *groups) for names in needs.values() for name in names)
