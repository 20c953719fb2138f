"""`dojo verify`: a student's checker over the student's own gradients, in a kit without solutions/."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from kits import file_of, functions_of, make_kit, solved

from grader.dojo.verify import broken_copies

pytest_plugins = ["dojos"]

OWN = {  # lesson 02: two right gradients, a wrong one, one that is wrong at other sizes, one that raises
    "dlogits": "return (F.softmax(logits, 1) - F.one_hot(Y, logits.shape[1])) / N",
    "dh_bn": "return dlogits @ W2.T",
    "dW2": "return 2 * (h_bn.T @ dlogits)",
    "db2": "return 1 / 0",
    "dgamma": "return (dh_bn * h_norm).sum(0) * 4 / h_norm.shape[0]",
    "db": "return dh.sum(0)",
}
LOOSE = """def gradient_check(f, x, dx, eps=1e-5):
    numerical = numerical_gradient(f, x, eps)
    if dx.shape != x.shape:
        raise ValueError("the shapes differ")
    return bool(np.abs(numerical - dx).max() <= 0.2 * np.abs(numerical).max()), 0.0
"""


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    kit = make_kit(tmp_path, ("02_small_net", "03_makemore_steps", "08_gradient_check"))
    source = file_of(kit, "02").read_text()
    for name, line in OWN.items():
        before, _, after = source.partition(f"def {name}(")
        source = before + f"def {name}(" + after.replace("raise NotImplementedError", line, 1)
    file_of(kit, "02").write_text(source)
    return kit


def write_checker(kit: Path, text: str = "") -> None:
    own = solved("08", *functions_of(file_of(kit, "08").read_text()))
    whole = functions_of(own)["gradient_check"]
    file_of(kit, "08").write_text(own.replace(whole, text) if text else own)


NOTE = (
    "Your checker saw each gradient at one small problem: what is wrong only at other\nsizes, it cannot find. A broken "
    "copy is the right gradient with one mistake put\ninto it.\n"
)


@pytest.mark.full
def test_a_good_checker_agrees_except_where_one_problem_is_not_enough(kit, dojo):
    write_checker(kit)
    result = dojo("verify")
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout == (
        "02 A small net, from the loss to the input: 5 gradients\n\n"
        "What your checker gets wrong:\n"
        "    02.dgamma: it accepts your gradient, which is wrong\n\n"
        "Your checker agrees with the judge on 4 of 5 of your gradients, and it rejects\n"
        f"17 of 17 broken copies.\n{NOTE}"
    )


def test_a_loose_checker_is_shown_what_it_misses_and_rejects_wrongly(kit, dojo):
    write_checker(kit, LOOSE)
    result = dojo("verify", "02")
    assert result.exit_code == 1
    assert result.stdout.partition("wrong:\n")[2] == (
        "    02.dlogits, 02.dh_bn, 02.dW2 and 1 more: it accepts the right gradient with\n"
        "    one element 5 % too large\n"
        "    02.dlogits, 02.dh_bn, 02.dW2 and 1 more: it gives no answer: ValueError: the\n"
        "    shapes differ\n"
        "    02.dgamma: it accepts your gradient, which is wrong\n"
        "    02.db: it rejects your gradient, which is right\n\n"
        "Your checker agrees with the judge on 3 of 5 of your gradients, and it rejects 9\n"
        f"of 17 broken copies.\n{NOTE}"
    )


def test_what_cannot_be_verified_is_one_sentence_and_exit_status_2(kit, dojo):
    needed = "`dojo verify` needs your `gradient_check` of lesson 08, which is not written yet"
    for checker, words, sentence in (
        ("", "", f"{needed}: dojo watch 08"),
        ("def gradient_check(:", "", "exercises/08_gradient_check/backward.py does not run: SyntaxError: "),
        ("x = 1", "", needed),
        (LOOSE, "03", "There is no gradient to verify yet: none is written in lesson 03."),
        (LOOSE, "08", "`dojo verify` can check the gradients of lessons 02, 03, 04, 05, 06, 07, but not of 08."),
    ):
        if checker:
            file_of(kit, "08").write_text(f"import numpy as np\n{checker}\n")
        result = dojo("verify", *words.split())
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"dojo: {sentence}") and result.stderr.count("\n") == 1, result.stderr


def test_broken_copies_differ_from_the_right_gradient(lessons):
    """Each copy is wrong by 5 % of some element that matters, or has another shape: a checker can see it."""
    sizes = lessons["08_gradient_check"].config.verification.sizes
    assert [*sizes] == ["02", "03", "04", "05", "06", "07"]
    for lesson in lessons.values():
        if lesson.number not in sizes:
            continue
        problem = lesson.problem_at(sizes[lesson.number])
        assert lesson.gradients
        for item in lesson.gradients:
            right, copies = problem.reference(item.target), broken_copies(problem, item.target)
            for copy in copies.values():
                if copy.shape == right.shape:
                    off = (copy - right).abs() >= 0.0499 * right.abs()
                    assert (off & ((copy - right).abs() > 1e-5 * right.abs().max().clamp(min=1e-12))).any(), item.name
            assert ("with 0.05 in one place" in copies) == bool(torch.all(right.abs() < 1e-12))
