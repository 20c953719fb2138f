"""Texts of errors that torch and Python raise in a student's line, and what each of them means.

The texts are those of torch 2 and Python 3.11; one that another version words otherwise is told as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable

Words = Callable[[re.Match[str]], str]
Meaning = tuple[re.Pattern[str], str, Words]

NUMBER_KINDS = "int|float|bool|complex"
OWN_KINDS = "Tensor|int|float|bool|complex|str|list|tuple|dict|set|NoneType|function|builtin_function_or_method|module"


def meaning(pattern: str, identifier: str, words: Words | str) -> Meaning:
    return re.compile(pattern), identifier, (lambda _, text=words: text) if isinstance(words, str) else words


def size_of(sizes: str) -> int | None:
    """How many elements a shape in a message has; None where one of its sizes is left open (-1)."""
    total = 1
    for size in sizes.split(","):
        total *= int(size)
    return total if "-" not in sizes else None


def of_a_view(found: re.Match[str]) -> str:
    sizes, elements = found.groups()
    held = size_of(sizes)
    reason = f"which would hold {held}" if held is not None else "which it does not fill evenly"
    return (
        f"A tensor of {elements} elements cannot be viewed as ({sizes}), {reason}. Is it the tensor that you mean, and "
        "are these its sizes?"
    )


def of_a_place(found: re.Match[str]) -> str:
    index, axis, size = found.groups()
    return (
        f"Place {index} is asked for along axis {axis}, which has {size} of them, numbered from 0. Is it the right "
        "tensor that is indexed, and the right axis?"
    )


def of_an_axis(found: re.Match[str]) -> str:
    low, _, axis = found.groups()
    axes = -int(low)
    have = "has one axis" if axes == 1 else f"has {axes} axes"
    return f"Axis {axis} is asked for of a tensor that {have}, numbered from 0. Which tensor is it, and which axis?"


def of_a_vector(found: re.Match[str]) -> str:
    _, matrix, vector = found.groups()
    rows, columns = matrix.split("x")
    return (
        f"A matrix of shape ({rows}, {columns}) times a vector needs one of {columns} elements; here it has {vector}. "
        "Which order, and which `.T`, is meant?"
    )


def of_no_attribute(found: re.Match[str]) -> str:
    kind, attribute = found.groups()
    return (
        f"Nothing has set `self.{attribute}` of the `{kind}` when that line is reached. Is it spelled as where it is "
        "set, and is that on every path?"
    )


DTYPES = {"Bool": "truth values", "Half": "float16", "BFloat16": "bfloat16", "Float": "float32", "Double": "float64"}


def of_a_dtype(found: re.Match[str]) -> str:
    """A kernel that torch does not have for a dtype: `"softmax_lastdim_kernel_impl" not implemented for 'Long'`."""
    dtype = found[1]
    if dtype.startswith("Complex"):
        return "torch has no such operation for complex numbers. Which line makes them, and is it needed?"
    if dtype in ("Byte", "Char", "Short", "Int", "Long"):
        return f"torch has no such operation for integers. {WHICH_INTEGERS}"
    if dtype == "Bool":
        return "torch has no such operation for truth values. Make numbers of them first: `.double()`."
    kind = DTYPES.get(dtype, dtype)
    return f"torch has no such operation for tensors of {kind}. Which tensor is meant, and which dtype does it need?"


WHICH_INTEGERS = "Do tokens or labels appear where a value belongs? A one-hot tensor needs `.double()` first."
POWER = "`^` is exclusive or, for integers and truth values. The power is `**`."
BITS = (
    "`&` and `|` combine truth values or integers, bit by bit. A comparison next to one needs brackets: "
    "`(a > 0) & (b > 0)`. Numbers are multiplied with `*`, matrices with `@`."
)
INVERTED = "`~` inverts truth values and integers. A minus is `-`."
SHIFTED = "`<<` and `>>` shift the bits of integers. A comparison is written `<` or `>`, a power of two `2**n`."
INDEX = (
    "What stands where an index belongs holds no integers. An index says *which* entries, so it comes from the tensors "
    "of tokens or labels, not from values or gradients."
)
SHAPE_OF_SOURCE = (
    "What is added must have a row for each index, and in each row as many elements as a row of the tensor it is added "
    "to. A `view` or `reshape` brings it into that form."
)
ONE_NUMBER = (
    "A tensor stands where one plain number belongs: a size, an axis or a count. Sizes come from `x.shape[0]`, say."
)
A_LIST = "A list or tuple stands where a tensor belongs. Which of its entries is meant?"
INTEGERS = (
    "Integers and floating-point numbers meet where one kind is needed. Is one of them an index, such as tokens or "
    "labels, where a value belongs?"
)
TWO_PRECISIONS = (
    "A float32 and a float64 tensor meet, and one of them is fixed in the code. Which line sets a dtype (`.float()`, "
    "`.double()`, `dtype=...`)? `zeros_like(x)` and `.to(x.dtype)` follow the values that you are given."
)

MEANINGS: tuple[Meaning, ...] = (
    meaning(
        r"\"bitwise_xor_\w+\" not implemented for|unsupported operand type\(s\) for \^=?:|ufunc 'bitwise_xor' not",
        "xor_for_power",
        POWER,
    ),
    meaning(
        r"\"bitwise_(?:and|or)_\w+\" not implemented for|unsupported operand type\(s\) for [&|]=?:|"
        r"ufunc 'bitwise_(?:and|or)' not",
        "wrong_kind_of_number",
        BITS,
    ),
    meaning(
        r"~ \(operator\.invert\) is only implemented|bad operand type for unary ~|ufunc 'invert' not",
        "wrong_kind_of_number",
        INVERTED,
    ),
    meaning(
        r"\"[lr]shift_\w+\" not implemented for|unsupported operand type\(s\) for (?:<<|>>)=?:|"
        r"ufunc '(?:left|right)_shift' not",
        "wrong_kind_of_number",
        SHIFTED,
    ),
    meaning(r"\"\w+\" not implemented for '(\w+)'", "wrong_kind_of_number", of_a_dtype),
    meaning(
        r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension",
        "shapes_do_not_fit",
        lambda m: (
            f"Two tensors meet element by element, and along one axis one has {m[1]} elements, the other {m[2]}. Is a "
            "sum over the wrong axis, without `keepdim=True`, or a transpose too many or too few?"
        ),
    ),
    meaning(
        r"operands could not be broadcast together with shapes (\(.*?\)) (\(.*?\))",
        "shapes_do_not_fit",
        lambda m: f"Two arrays meet element by element, and their shapes, {m[1]} and {m[2]}, do not fit each other.",
    ),
    meaning(r"size mismatch, got input \((\d+)\), mat \((\d+x\d+)\), vec \((\d+)\)", "shapes_do_not_fit", of_a_vector),
    meaning(
        r"inconsistent tensor size, expected tensor \[(\d+)\] and src \[(\d+)\] to have the same number of elements",
        "shapes_do_not_fit",
        lambda m: f"A product of two vectors needs as many elements in both; here they have {m[1]} and {m[2]}.",
    ),
    meaning(
        r"Expected size for first two dimensions of batch2 tensor to be: (\[.*?\]) but got: (\[.*?\])",
        "shapes_do_not_fit",
        lambda m: (
            f"In a product of stacks of matrices the second needs the first two sizes {m[1]}; here they are {m[2]}."
        ),
    ),
    meaning(
        r"indexing tensors could not be broadcast together with shapes (\[.*\])",
        "shapes_do_not_fit",
        lambda m: f"Two tensors of indices stand beside each other, and their shapes, {m[1]}, do not fit each other.",
    ),
    meaning(
        r"source tensor shape must match self tensor shape|"
        r"Number of indices \(\d+\) should be equal to source\.size|value tensor of shape .* cannot be broadcast",
        "shapes_do_not_fit",
        SHAPE_OF_SOURCE,
    ),
    meaning(r"shape '\[([-\d, ]+)\]' is invalid for input of size (\d+)", "view_does_not_fit", of_a_view),
    meaning(
        r"index (-?\d+) is out of bounds for (?:dimension|axis) (\d+) with size (\d+)", "index_out_of_range", of_a_place
    ),
    meaning(
        r"Dimension out of range \(expected to be in range of \[(-\d+), (\d+)\], but got (-?\d+)\)",
        "axis_out_of_range",
        of_an_axis,
    ),
    meaning(
        r"too many indices for (?:tensor of dimension|array: array is) (\d+)",
        "axis_out_of_range",
        lambda m: f"More indices stand in the brackets than the tensor has axes: it has {m[1]}. Which tensor is it?",
    ),
    meaning(
        r"IndexError: tuple index out of range",
        "axis_out_of_range",
        "An entry is asked for that is not there: `x.shape` has one entry for each axis, numbered from 0.",
    ),
    meaning(
        r"IndexError: (?:list|pop) (?:assignment )?(?:index|from) (?:out of range|empty list)",
        "list_index_out_of_range",
        "A list is read beyond its end. It has the places 0 to len - 1: how long is it when that line is reached?",
    ),
    meaning(
        r"tensors used as indices must be|Expected dtype int32/int64 for index|index_add_\(\): Expected .*index|"
        r"only applicable to index tensor|arrays used as indices must be|Expected index to be",
        "index_is_no_integer",
        INDEX,
    ),
    meaning(
        r"Class values must be (?:smaller than num_classes|non-negative)",
        "index_out_of_range",
        "A label is larger than the number of classes allows, or negative. Is it the labels that stand there?",
    ),
    meaning(
        r"only integer tensors of a single element|must be Number, not Tensor|must be int, not Tensor|"
        r"with \d+ elements cannot be converted to Scalar|must be tuple of ints, ?(?:but got|not) Tensor|"
        r"only length-1 arrays|slice indices must be integers|Tensor' object cannot be interpreted as an integer",
        "tensor_for_number",
        ONE_NUMBER,
    ),
    meaning(
        r"Boolean value of Tensor with more than one value|truth value of an array with more than one",
        "many_for_one_answer",
        "`if`, `and`, `or` and `not` need one yes or no, and a tensor gives one for each element: which of them "
        "decides? `.all()`, `.any()` or an elementwise `torch.where` say so.",
    ),
    meaning(
        rf"'({NUMBER_KINDS})' object (?:is not (?:subscriptable|iterable)|has no |does not support)|"
        rf"argument 'input' \(position 1\) must be Tensor, not ({NUMBER_KINDS})|"
        rf"object of type '({NUMBER_KINDS})' has no",
        "number_for_tensor",
        lambda m: (
            f"A plain number (`{m[1] or m[2] or m[3]}`) stands where a tensor or a list belongs. Is a name exchanged, "
            "or has a call that makes a tensor lost its argument?"
        ),
    ),
    meaning(
        rf"unsupported operand type\(s\) for @: (?:'Tensor' and '({NUMBER_KINDS})'|'({NUMBER_KINDS})' and 'Tensor')",
        "number_for_tensor",
        "`@` multiplies matrices, and one of the two is a plain number. Is a name exchanged, or is `*` meant?",
    ),
    meaning(
        r"unsupported operand type\(s\) for \S+ '(?:list|tuple)'|"
        r"unsupported operand type\(s\) for .* and '(?:list|tuple)'|"
        r"bad operand type for unary -: '(?:list|tuple)'|can only concatenate (?:list|tuple)|"
        r"(?:list|tuple) indices must be integers|must be Tensor, not (?:list|tuple)|can't multiply sequence|"
        r"'(?:list|tuple)' object (?:cannot be interpreted as an integer|has no attribute)|"
        r"not supported between instances of '(?:list|tuple|dict)'",
        "list_for_tensor",
        A_LIST,
    ),
    meaning(
        r"'Tensor' object has no attribute '(append|insert|pop|extend|items|keys|values|remove)'",
        "tensor_for_list",
        lambda m: f"A tensor stands where a list or a dict belongs: `.{m[1]}` is none of a tensor's methods.",
    ),
    meaning(
        r"(?i)(?:dtype|scalar type|source)\b(?=.*\b(?:float|double)\b.*\b(?:float|double)\b)"
        r"(?!.*\b(?:long|int|bool|byte)\b)",
        "two_precisions",
        TWO_PRECISIONS,
    ),
    meaning(
        r"(?:to|must) have the same dtype, but got|must have the same scalar type|could not infer output dtype|"
        r"expected scalar type|result type \w+ can't be cast",
        "wrong_kind_of_number",
        INTEGERS,
    ),
    meaning(
        r"unsupported operand type\(s\) for .*'NoneType'|'NoneType' object",
        "none_for_tensor",
        "A None stands where a value belongs: has a function been called that returns nothing, or changes in place?",
    ),
    meaning(
        r"cannot access local variable '(\w+)'",
        "name_not_set",
        lambda m: (
            f"`{m[1]}` is set somewhere in the function, but not before that line is reached. Does a line that sets it "
            "stand further down, or on one side of an `if` only?"
        ),
    ),
    meaning(rf"'(?!(?:{OWN_KINDS})')(\w+)' object has no attribute '(\w+)'", "attribute_not_set", of_no_attribute),
    meaning(
        r"(?:too many|not enough) values to unpack \(expected (?:at least )?(\d+)",
        "not_so_many_parts",
        lambda m: (
            f"{m[1]} names stand on the left of a `=`, and what stands on the right has another number of parts. How "
            "many does it give?"
        ),
    ),
    meaning(
        r"ZeroDivisionError|division by zero",
        "division_by_zero",
        "What is divided by is zero here. Which size or count can be that small, and is it the one that belongs there?",
    ),
    meaning(
        r"dim \d+ appears multiple times in the list of dims",
        "axis_twice",
        "The same axis is named twice: -1 is the last one by another name.",
    ),
    meaning(
        r"Negation, the `-` operator, on a bool tensor|Subtraction, the `-` operator, with a bool tensor",
        "wrong_kind_of_number",
        "Truth values have no minus: make numbers of them first (`.double()`), or turn them round with `~`.",
    ),
)
