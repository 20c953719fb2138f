"""Which variable is which gradient: what comparisons say, lines of the forward pass, names; and what is not guessed."""

from __future__ import annotations

import ast
import hashlib
import re
from typing import Any

from lecture_notebooks import CHAIN, STYLES, notebook, others, stored

from grader.intake.notebook.claims import MAX_CLAIMS, claims_in
from grader.intake.notebook.forward_pass import form_of_text, other_names
from grader.lesson.forward_statements import forward_expressions

IN_THE_LECTURE = ["".join(cell["source"]) for cell in stored(STYLES[0])["cells"] if cell["cell_type"] == "code"]
COMPARISONS = re.findall(r"^cmp\('\w+', \w+, \w+\)", "\n".join(IN_THE_LECTURE), re.MULTILINE)
GRADIENTS = list(dict.fromkeys(line.split(", ")[1] for line in COMPARISONS))
COMPARED = CHAIN + "\n" + "\n".join(COMPARISONS[:26])


def claims_of(source: str) -> list[tuple[str, str, str]]:
    return [(c.variable, c.label, c.tensor) for c in claims_in([("a cell", ast.parse(source).body)])]


def renamed(text: str, name: Any) -> str:
    return re.sub(rf"\b({'|'.join(GRADIENTS)})\b", lambda match: name(match[1]), text)


def hidden_name(gradient: str) -> str:
    return "v" + hashlib.md5(gradient.encode()).hexdigest()[:5]


# What comparisons say ------------------------------------------------------------------------------------------------


def test_what_a_comparison_says():
    for source, claims in [
        ("cmp('probs', dp, p)", [("dp", "probs", "p")]),
        ("cmp(dt=dp, t=p, s='probs')", [("dp", "probs", "p")]),
        ("cmp('probs', dp.clone().view(-1), p)", [("dp", "probs", "p")]),
        ("assert torch.allclose(dp, p.grad, atol=1e-6)", [("dp", "", "p")]),
        ("dp.allclose(p.grad)", []),
        ("torch.testing.assert_close(dp, p.grad.clone())", [("dp", "", "p")]),
        ("def all_of_it():\n  cmp('probs', dp, p)", [("dp", "probs", "p")]),
        ("def cmp(s, dt, t):\n  print(dt == t.grad)", []),  # parameters are nobody's variables
        ("print(dp, p.grad)", []),
        ("torch.allclose(p.grad, q.grad)", []),
        ("cmp('probs', 1 / p, p)", []),
        ("cmp(*everything)", []),
        ("names = [dp, dq]\nmax(abs(dp - p))", []),
    ]:
        assert claims_of(source) == claims


def test_claims_are_few_and_a_short_quotation():
    rows = "\n".join(f"cmp('v{n}', d{n}, v{n})" for n in range(3_000))
    assert len(claims_in([("a", ast.parse(rows).body)])) == MAX_CLAIMS
    (claim,) = claims_in([("a", ast.parse(f"cmp('{'x`' * 40}', dp, p)").body)])
    assert len(claim.text) <= 80 and "`" not in claim.text


def test_deep_code_is_not_quoted_and_does_no_harm():
    deep = "1" + " + 1" * 2_000
    text = f"pairs = [{deep}]\npairs = [{deep}]\ntorch.allclose(dp, p.grad, {deep})\n"
    text += f"for a in {'enumerate(' * 50}x{')' * 50}: a\ncmp('x', {'d' * 1_000}, x)"
    (claim,) = claims_in([("a", ast.parse(text).body)])
    assert (claim.variable, claim.text) == ("dp", "a comparison")


# Lines of the forward pass -------------------------------------------------------------------------------------------


def assigned(source: str) -> list[tuple[str, ast.expr]]:
    return [(node.targets[0].id, node.value) for node in ast.parse(source).body if isinstance(node, ast.Assign)]  # type: ignore[attr-defined]


def test_two_ways_to_write_a_line():
    for one, other in [
        ("a.sum(0, keepdim=True)", "torch.sum(a, dim=0, keepdims=True)"),
        ("a.sum(1, True)", "a.sum(axis=1, keepdim=True)"),
        ("a @ b + c", "c + torch.matmul(a, b)"),
        ("1 / a", "a ** -1"),
        ("torch.tanh(a)", "a.tanh()"),
        ("(a + 1e-5) ** -0.5", "torch.pow(a + 0.00001, -0.5)"),
        ("F.softmax(a, 1)", "a.softmax(dim=1)"),
        ("a.mean(0, keepdim=False)", "a.mean(0)"),
    ]:
        assert form_of_text("x", one).structure == form_of_text("x", other).structure


def test_the_forward_pass_under_other_names(lesson):
    expressions = forward_expressions(lesson)
    forward = [*expressions.items()]
    mine = assigned(
        "flat = emb.view(emb.shape[0], -1)\nz = flat @ W1 + b1\nmu = 1/n*z.sum(0, keepdim=True)\nd = z - mu\n"
        "d2 = d**2\nvar = 1/(n-1)*(d2).sum(0, keepdim=True)\nr = (var + 1e-5)**-0.5\nxhat = r * d\n"
        "pre = xhat * bngain + bnbias\nh = pre.tanh()"
    )
    bound = {"emb", "W1", "b1", "n", "bngain", "bnbias", "h"}
    values = {*expressions, "C", "Xb", "Yb", "n", "W1", "b1", "W2", "b2", "bngain", "bnbias"}
    assert other_names(mine, forward, values, bound, {}) == {
        "flat": "embcat",
        "z": "hprebn",
        "mu": "bnmeani",
        "d": "bndiff",
        "d2": "bndiff2",
        "var": "bnvar",
        "r": "bnvar_inv",
        "xhat": "bnraw",
        "pre": "hpreact",
    }
    # two lines for one value: neither; what else follows does
    twice = [*assigned("flat = emb.view(emb.shape[0], -1)\nagain = emb.view(emb.shape[0], -1)"), *mine[1:2]]
    assert other_names(twice, forward, values, bound, {}) == {"z": "hprebn"}


# Notebooks -----------------------------------------------------------------------------------------------------------


def test_every_gradient_under_another_name(graded):
    cells = [renamed(cell, hidden_name) for cell in IN_THE_LECTURE]
    chain, entropy, norm, training = graded(notebook(*cells), "03", "04", "05", "07")
    assert others(chain) == {"passed"} and len(chain) == 26
    assert all(row["message"].startswith(f"Read from `{hidden_name(key)}`: ") for key, row in chain.items())
    assert entropy["dlogits"]["status"] == norm["dhprebn"]["status"] == training["dC"]["status"] == "passed"
    assert {row["chain"] for row in chain.values()} == {"passed"}


def test_the_gradient_of_a_value_under_another_name_is_called_after_it(graded):
    forward = "squares = bndiff**2\nbnvar = 1/(n-1)*(squares).sum(0, keepdim=True)"
    row = graded(notebook(forward, CHAIN.replace("dbndiff2", "dsquares")), "03")["dbndiff2"]
    assert (row["status"], row["message"]) == (
        "passed",
        "Read from `dsquares`: your `squares` is this exercise's `bndiff2`.",
    )


def test_a_wrong_formula_under_another_name_is_named_with_its_line(graded):
    text = COMPARED.replace("(1.0 - h**2) * dh", "(1.0 - h) * dh")
    rows = graded(notebook(renamed(text, hidden_name)), "03")
    assert (rows["dhpreact"]["status"], rows["dhpreact"]["line"]) == ("failed", 15)
    assert others(rows, "dhpreact") == {"passed"}
    assert rows["dembcat"]["because_of"] == ["dhpreact"]
