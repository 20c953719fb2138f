"""What an error's text means: texts as torch and Python really word them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy
import pytest
import torch

from grader.verdict.explain.errors import CallContext, error_meanings, explain_error_text

X = torch.zeros(4, 3)
INDEX = torch.zeros(4, dtype=torch.int64)


class Layer:
    def backward(self):
        return self.kept


def unset(flag=False):
    if flag:
        total = 1
    return total


def endless():
    return endless()


class Holder:
    """An object of a student's own class."""

    def backward(self) -> None:
        pass


RAISED: list[tuple[str, str, Callable[[], object]]] = [
    ("shapes_do_not_fit", "4 rows on the right. Which order, and which `.T`, gives the shape of `W`", lambda: X @ X),
    ("shapes_do_not_fit", "needs one of 3 elements; here it has 4", lambda: X @ torch.zeros(4)),
    ("shapes_do_not_fit", "here they have 3 and 4", lambda: torch.zeros(3) @ torch.zeros(4)),
    ("shapes_do_not_fit", "one has 3 elements, the other 4", lambda: X + torch.zeros(4)),
    ("shapes_do_not_fit", "of sizes [3] has to take the sizes [3, 4]", lambda: torch.zeros(3).expand(3, 4)),
    ("shapes_do_not_fit", "that one has the sizes [3]", lambda: torch.zeros(3).add_(X)),
    ("shapes_do_not_fit", "a row for each index", lambda: X.clone().index_add_(0, INDEX, torch.zeros(4, 2))),
    ("shapes_do_not_fit", "`z` is none of them", lambda: torch.einsum("ij,jk->iz", X, X.T)),
    ("shapes_do_not_fit", "this one is 4 by 3", lambda: torch.linalg.inv(X)),
    ("shapes_do_not_fit", "along pairs of axes of equal size", lambda: torch.tensordot(X, X, 1)),
    ("shapes_do_not_fit", "has the shape [4, 1]", lambda: X.clone().__setitem__((range(4), INDEX), torch.ones(4, 1))),
    ("wrong_number_of_axes", "a tensor of 2 axes gets 3 letters", lambda: torch.einsum("ijk->i", X)),
    ("negative_step", "`.flip(0)` turns an axis round", lambda: X[::-1]),
    ("array_for_axis", "element by element, is `np.maximum(a, b)`", lambda: numpy.max(numpy.ones(2), numpy.ones(2))),  # type: ignore[call-overload]
    ("two_precisions", "one of them is fixed in the code", lambda: X.double() @ X.T),
    ("too_deep", "Does a function call itself without an end", endless),
    ("python_function_for_method", "Python's own `sum`", lambda: sum([X], keepdim=True)),  # type: ignore[call-overload]
    ("empty_tensor", "no largest or smallest one", lambda: X[4:].amax(0)),
    ("axis_out_of_range", "Does a sum go over too many axes?", lambda: X.sum()[0:2]),
    ("axis_out_of_range", "axis 2 where only -2 to 1 are possible", lambda: X.sum(2)),
    ("axis_out_of_range", "`x.shape` has one entry for each axis", lambda: X.shape[2]),
    ("view_does_not_fit", "12 elements cannot be viewed as (5, 2)", lambda: X.view(5, 2)),
    ("index_out_of_range", "place 7 along axis 0, which has 4 of them", lambda: X[7]),
    ("list_index_out_of_range", "read beyond its end", lambda: [1, 2][2]),
    ("index_is_no_integer", "used as an index holds no integers", lambda: X[X[:, 0]]),
    ("tensor_for_number", "where one plain number belongs", lambda: torch.arange(X)),
    ("tensor_for_number", "and `x.log()` works on every element", lambda: math.log(X)),
    ("float_in_slice", "and `//` a whole number", lambda: X[: 4 / 2]),  # type: ignore[misc]
    ("number_for_tensor", "is `range(...)` missing", lambda: [each for each in 4]),  # type: ignore[attr-defined]
    ("many_for_one_answer", "say what you mean", lambda: not X),
    ("number_for_tensor", "A plain number (`int`) is used", lambda: (4).sum(0)),  # type: ignore[attr-defined]
    ("number_for_tensor", "or is `*` meant?", lambda: X @ 2),
    ("number_for_tensor", "(`float`) has no `backward`", lambda: (2.0).backward()),  # type: ignore[attr-defined]
    ("number_for_tensor", "Then an object has to be made of it first", lambda: (3).data),  # type: ignore[attr-defined]
    ("number_called", "A product needs its `*`", lambda: X.sum().item()(X)),  # type: ignore[operator]
    ("log_of_zero", "needs a number above zero", lambda: math.log(-1)),
    ("object_for_number", "where a `Holder` is", lambda: float(Holder())),  # type: ignore[arg-type]
    ("too_large", "The memory that is allowed is used up", lambda: [0] * 2**62),
    ("too_many_arguments", "2 arguments and has 1 of them", lambda: Holder().backward(1)),  # type: ignore[call-arg]
    ("number_too_large", "too large for a number with a decimal point", lambda: math.exp(1000)),
    ("tensor_of_ones_own", "an object of your own class `Tensor`", lambda: X @ type("Tensor", (), {})()),
    ("list_for_tensor", "Which of its entries is meant?", lambda: -[X]),  # type: ignore[operator]
    ("tensor_for_list", "`.append` is none of a tensor's methods", lambda: X.append(X)),  # type: ignore[operator]
    ("wrong_kind_of_number", "Integers and floating-point numbers meet", lambda: X.T @ INDEX.view(4, 1)),
    ("none_for_tensor", "A None is used where a value belongs", lambda: None + X),
    ("name_not_set", "`total` is set somewhere in the function, but not before", unset),
    ("attribute_not_set", "nothing has set `self.kept`", lambda: Layer().backward()),
    ("attribute_not_set", "defines no method `relu`", lambda: Layer().relu()),  # type: ignore[attr-defined]
    ("operator_not_defined", "on the left of `/`", lambda: 2 / Layer()),  # type: ignore[operator]
    ("operator_not_defined", "For `**` Python calls a method of `Layer`", lambda: Layer() ** 2),  # type: ignore[operator]
    ("not_so_many_parts", "2 names, in front of a `=` or in a `for`", lambda: exec("a, b = 1, 2, 3")),
    ("axis_misspelled", "Do you mean `dim`?", lambda: X.sum(axes=(0, 1))),  # type: ignore[call-overload]
    ("index_not_flat", "one index per row", lambda: X.index_add(0, INDEX.view(1, -1), X)),
    ("division_by_zero", "What is divided by is zero here", lambda: 1 / 0),
    ("axis_twice", "-1 is the last one by another name", lambda: X.sum((1, -1))),
    ("xor_for_power", "The power is `**`", lambda: 1.0 - X ^ 2),
    ("xor_for_power", "The power is `**`", lambda: X.clone().__ixor__(2)),
    ("xor_for_power", "The power is `**`", lambda: float(X.shape[0]) ^ 2),  # type: ignore[operator]
    ("xor_for_power", "The power is `**`", lambda: X.numpy() ^ 2),
    ("wrong_kind_of_number", "`(a > 0) & (b > 0)`", lambda: (X > 0) & X),
    ("wrong_kind_of_number", "`(a > 0) & (b > 0)`", lambda: X.numpy() | 1),
    ("wrong_kind_of_number", "combine truth values or integers", lambda: X & X),
    ("wrong_kind_of_number", "A minus is `-`", lambda: ~X),
    ("wrong_kind_of_number", "A minus is `-`", lambda: ~float(X.shape[0])),  # type: ignore[operator]
    ("wrong_kind_of_number", "shift the bits of integers", lambda: X >> 1),
    ("wrong_kind_of_number", "no such operation for integers", lambda: torch.softmax(INDEX, 0)),
    ("wrong_kind_of_number", "no such operation for truth values", lambda: (X > 0) @ (X.T > 0)),
    ("wrong_kind_of_number", "no such operation for complex numbers", lambda: X + 0j < 1),
    ("wrong_kind_of_number", "for tensors of float32", lambda: torch.bincount(X.view(-1))),
]


def text_of_error(wrong: Callable[[], object]) -> str:
    """What the grader reads of the error that a call raises."""
    with pytest.raises(Exception) as raised:
        wrong()
    return f"{raised.type.__name__}: {' '.join(str(raised.value).split())}"


def test_what_an_error_means():
    context = CallContext({"x": X, "n": 4}, (), "the shape of `W`, (3, 3)")
    for name, words, wrong in RAISED:
        explained = explain_error_text(text_of_error(wrong), context)
        assert explained is not None and explained.id == name and words in explained.message, (name, words)


def test_a_name_that_could_have_been_asked_for():
    context = CallContext({}, ("hpreact", "dh"), near=("hpreact", "dh"))
    for name, words in (
        ("hpreact", "`hpreact` is available: add it to the parameters of the function that reads it."),
        ("hpreakt", "Nothing of the name `hpreakt` has been set when that line is reached. Do you mean `hpreact`?"),
        ("DH", "Do you mean `dh`?"),
        ("math", "`math` is not imported: write `import math` at the top of the file."),
        ("total", "Is it spelled as where you set it, or does `self.` belong in front of it?"),
    ):
        explained = explain_error_text(f"NameError: name '{name}' is not defined", context)
        assert explained is not None and explained.message.endswith(words)


def test_a_name_that_is_nothing_like_those_of_the_function():
    """It is none of another function, however alike: a parameter that the function does not read comes first."""
    available = ("dout", "droute", "dy", "act")
    for unread, words in (
        (["dy"], "Do you mean `dy`?"),
        (["dy", "act"], "Do you mean one of `dy` and `act`?"),
        ([], "Do you mean one of `dy`, `Wdown` and `act`?"),
    ):
        context = CallContext({}, available[1:], own=("dy", "Wdown", "act"), contents={"unread": unread})
        explained = explain_error_text("NameError: name 'dout' is not defined", context)
        assert explained is not None and explained.message.endswith(words), explained


def hidden():
    unset = unset(True)  # noqa: F823
    return unset


def test_a_variable_that_hides_a_function():
    contents = {"bare_calls": ["unset"], "read_before_set": ["unset"]}
    explained = explain_error_text(text_of_error(hidden), CallContext(contents=contents))
    assert explained is not None and explained.id == "name_not_set"
    assert "a function `unset` cannot be called there" in explained.message


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
    meanings = error_meanings()
    assert len(meanings) > 30
    for pattern, identifier, template, needs in meanings:
        groups = [f"group {number}" for number in range(1, pattern.groups + 1)]
        named = {"first": groups[0] if groups else "", "result": "", "hidden": ""}
        assert identifier and "{" not in template.format("", *groups, **named)
        assert "{first}" not in template or pattern.groups
        assert all("{" not in name.format("", *groups) for names in needs.values() for name in names)
