"""Small changes of a student's code, and whether a message is true of the code."""

from __future__ import annotations

import ast

from grader.lesson.lesson import Course
from grader.source.own_functions import first_nested, nested_definitions
from grader.verdict.explain.edits.changed_functions import MAX_EDITS, edits_of
from grader.verdict.explain.edits.coded_changes import Known
from grader.verdict.explain.edits.contents import contents_of
from grader.verdict.explain.edits.search import known_on
from grader.verdict.explain.needs import AVERAGES, DIVIDES, KEEPDIM, MULTIPLIES, is_borne_out, needs_of_formula

KNOWN = Known({"h": [4, 3], "z": [4, 3], "dy": [4, 3], "n": [], "Y": [4]}, ["n"], [1e-5])


def changed(expression: str, parameters: str = "dy, h, n") -> dict[str, str]:
    """{what is returned after a change: the change's kind}"""
    edits, texts = edits_of(f"def dh({parameters}):\n    return {expression}\n", "dh", "changed_", KNOWN)
    assert len(edits) == len(texts) <= MAX_EDITS
    returned = {}
    for edit, text in zip(edits, texts, strict=True):
        statement = ast.parse(text).body[0]
        assert isinstance(statement, ast.FunctionDef) and isinstance(statement.body[0], ast.Return)
        assert statement.body[0].value is not None
        returned[ast.unparse(statement.body[0].value)] = edit.kind
    return returned


def test_a_slip_is_undone():
    """Other spellings than those of the rules' examples (test_rules.py)."""
    for written, right, kind in [
        ("h @ dy.transpose(1, 2)", "h @ dy", "call_too_many"),
        ("h.T @ dy", "h @ dy", "call_too_many"),
        ("h / z.shape[1]", "h / z.shape[2]", "wrong_number"),
        ("h.unflatten(-1, (n, 2))", "h.unflatten(-2, (n, 2))", "wrong_number"),
        ("h.unflatten(-1, (n, 2))", "h.unflatten(-1, (n, 3))", "wrong_number"),
        ("(n == 3 - 1) * dy", "(n == 3 + 1) * dy", "wrong_operator"),
        ("dy.sum(dim=0)", "dy.sum(0, keepdim=True)", "keepdim"),
        ("torch.sum(dy, 0, True)", "dy.sum(0)", "keepdim"),
        ("dy[:, Y].sum(0)", "dy[range(len(Y)), Y].sum(0)", "rows_and_columns"),
    ]:
        found = changed(written)
        assert found.get(right) == kind, sorted(found)
    assert "(n % 3 == -1) * dy" not in changed("(n % 3 == 0) * dy")  # no remainder is negative


def test_one_column_becomes_one_number_for_each_row():
    """`d[:, i] += u` with a u of shape (n, 1): indexed together with the rows, u needs one axis."""
    _, texts = edits_of(
        "def dh(dy, Y):\n    d = dy.clone()\n    d[:, Y] += dy\n    return d\n", "dh", "changed_", KNOWN
    )
    assert any("d[range(len(Y)), Y] += dy.flatten()" in text for text in texts)


def test_nothing_asks_for_its_own_gradient():
    assert not [text for text in changed("dy * z") if "dh" in text]


def test_a_function_that_the_step_calls_is_changed_inside_the_step():
    source = "def slope(x):\n    return 1 - x.tanh() ** 2\n\n\ndef dh(dy, h):\n    return slope(h) * dy\n"
    edits, texts = edits_of(source, "dh", "changed_", KNOWN)
    (text,) = [t for e, t in zip(edits, texts, strict=True) if e.kind == "call_too_many"]
    assert "(dy, h):\n\n    def slope(x):\n        return 1 - x ** 2\n" in text


def test_what_cannot_be_read_has_no_changes():
    for source in [
        "",
        "def dh(",
        "dh = 3",
        "def other(x):\n    return x",
        "def dh(dy):\n    return " + "-" * 3000 + "dy",
    ]:
        assert edits_of(source, "dh", "changed_", KNOWN) == ([], [])


def test_what_a_function_is_made_of():
    source = "N, K = 32, 27\n\n\ndef half(x):\n    return x / 2\n\n\ndef dh(dy):\n    return half(dy).view(N, 3) ** 2\n"
    contents = contents_of(source, ["dh", "dz"])
    assert contents.keys() == {"dh"}
    assert contents["dh"]["operators"] == ["Div", "Pow"] and "view" in contents["dh"]["calls"]
    assert [(value, line) for value, line, _ in contents["dh"]["numbers"]] == [(3, 9), (32, 1)]


def test_a_message_must_be_true_of_the_code():
    for need, code, is_true in [
        (DIVIDES, "dy / h", True),
        (DIVIDES, "dy * h.reciprocal()", True),
        (DIVIDES, "dy * h", False),
        (MULTIPLIES, "dy / h", False),
        (AVERAGES, "dy.sum(0)", False),
        (AVERAGES, "dy.sum(0) / 4", True),
        (KEEPDIM, "dy[0]", False),
        ("dy", "h", False),
    ]:
        contents = contents_of(f"def dh(dy, h):\n    return {code}\n", ["dh"])["dh"]
        assert is_borne_out([need], contents) is is_true
        assert is_borne_out([need], None)


def test_a_wrong_formula_that_divides_needs_a_division():
    assert needs_of_formula("dy / h") == {DIVIDES}
    assert needs_of_formula("dy / 2") == set()  # 0.5 * dy is the same


def test_functions_inside_something():
    source = (
        "def f():\n    def dx():\n        pass\n\n\nclass C:\n    def dy(self):\n        pass\n\n\n"
        "if __name__ == '__main__':\n    def dz():\n        pass\n\n\ndef dw():\n    pass\n"
        "match 1:\n    case 1:\n        def du():\n            pass\n"
    )
    assert nested_definitions(source, ["dx", "dy", "dz", "dw", "du"]) == {
        "dx": (2, "the function `f`"),
        "dy": (7, "the class `C`"),
        "dz": (12, 'a block `if __name__ == "__main__":`, which is not run here'),
        "du": (20, "a block"),
    }
    said = "`dy` inside the class `C`. Move it to the top level, without indentation."
    assert first_nested(["%magic", "dy = 1", source], ["dy", "dw"]) == said
    assert first_nested([source], ["dw"]) == first_nested([], ["dy"]) == ""


def test_likely_places_come_first():
    source = "def f(a, h):\n    dW = a * h\n    dU = 3 * h\n    return dW, dU\n"
    edits, texts = edits_of(source, "f", "n", Known({"a": [2], "h": [2]}, returned=("dW", "dU"), right=("dW",)))
    first = [edit.line for edit in edits if edit.kind != "spoilt_outside"]
    assert first[0] == 3 and 2 in first and 3 not in first[first.index(2) :]
    assert all(ast.parse(text) for text in texts)


def test_an_entry_of_a_list_is_no_name_that_could_be_written(course: Course):
    """With `mid[0]` for `mid`, one changed function was no Python, and with it none of the file's could be tried."""
    known = known_on(course.find("15").public, "dx", [])
    assert known.shapes and all(name.isidentifier() for name in known.shapes)
