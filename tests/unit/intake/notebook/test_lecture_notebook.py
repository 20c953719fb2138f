"""The lecture's notebook as a submission: what is read out of it, and the message about what is not."""

from __future__ import annotations

import ast
import json

import pytest
from lecture_notebooks import BATCH_NORM, CHAIN, SOFTMAX, STYLES, Notebook, lecture, notebook, others, stored
from support import IMPORTS, ROOT, sampled, solution_of

from grader.intake.notebook.cells import (
    MAX_CELLS,
    MAX_CODE_CHARACTERS,
    cells_of,
)
from grader.intake.submissions.file_kinds import MAX_BYTES, NOTEBOOK
from grader.intake.submissions.finding import find

# The lecture's own answers -------------------------------------------------------------------------------------------


@sampled("style", STYLES, keep=1)
def test_the_lecture_s_answers_in_three_styles(graded, style):
    chain, entropy, norm, training = graded(stored(style), "03", "04", "05", "07", name=f"{style}.ipynb")
    assert len(chain) == 26 and {row["status"] for row in chain.values()} == {"passed"}
    assert {row["chain"] for row in chain.values()} == {"passed"}
    assert [row["status"] for row in entropy.values()] == ["passed", "passed"]
    assert norm["dhprebn"]["status"] == "passed" and others(norm, "dhprebn") == {"missing"}
    read = ["dW2", "db2", "dbngain", "dbnbias", "dW1", "db1", "dC", "loss"]
    if style == STYLES[2]:  # it stops before exercise 4
        assert others(training) == {"missing"}
        assert training["dW1"]["message"] == (
            f"{style}.ipynb has no training loop that assigns dC, dW1, db1, dW2, db2, dbngain, dbnbias."
        )
    else:
        assert {training[name]["status"] for name in read} == {"passed"}
        assert others(training, *read) == {"missing"}
    assert training["update"]["message"] is None or training["update"]["message"] == (
        "The lecture's notebook has no such row. For its points, submit a backward.py that has `update`."
    )


# What becomes of a line ----------------------------------------------------------------------------------------------


def test_a_skipped_gradient_is_missing_and_the_rest_is_graded(graded):
    rows = graded(notebook(lecture(dbnvar_inv="")), "03")
    assert rows["dbnvar_inv"]["status"] == "missing"
    assert rows["dbnvar_inv"]["message"] == "mine.ipynb assigns no `dbnvar_inv`."
    assert others(rows, "dbnvar_inv") == {"passed"}


def test_a_similar_name_is_a_question(graded):
    rows = graded(notebook(CHAIN.replace("dlogit_maxes", "dlogit_max")), "03")
    assert rows["dlogit_maxes"]["status"] == "missing"
    assert rows["dlogit_maxes"]["message"] == (
        "mine.ipynb assigns no `dlogit_maxes`; did you mean `dlogit_max`? Rename it."
    )
    assert others(rows, "dlogit_maxes") == {"passed"}  # dlogits takes the helper's line with it


@pytest.mark.full
def test_exercises_2_and_3_are_lessons_of_their_own(graded):
    wrong = SOFTMAX.replace("-= 1", "-= 2")
    chain, entropy, norm = graded(notebook(CHAIN, wrong, BATCH_NORM.replace("n/(n-1)", "1")), "03", "04", "05")
    assert others(chain) == {"passed"}
    assert entropy["dlogits"]["status"] == "failed"
    assert (entropy["dlogits"]["file"], entropy["dlogits"]["line"]) == ("mine.ipynb, cell 2", 2)  # the line of the slip
    assert norm["dhprebn"]["status"] == "failed"


def test_without_exercises_2_and_3(graded):
    chain, entropy, norm, training = graded(notebook(CHAIN), "03", "04", "05", "07")
    assert others(chain) == {"passed"} and others(entropy) == others(norm) == others(training) == {"missing"}
    assert entropy["dlogits"]["message"] == (
        "mine.ipynb assigns `dlogits` for another exercise only, and not again for this one."
    )
    row = graded(notebook(CHAIN, SOFTMAX.replace("dlogits", "dlogits_fast")), "04")["dlogits"]
    assert row["message"] == (
        "mine.ipynb assigns `dlogits` for another exercise only, and not again for this one; did you mean "
        "`dlogits_fast`? Rename it."
    )


def test_an_exercise_left_as_it_was_is_still_to_do(graded):
    entropy = graded(notebook(CHAIN, "dlogits = None # TODO. my solution is 3 lines"), "04")
    assert entropy["dlogits"]["status"] == "todo"


def test_the_last_of_two_answers_counts(graded):
    first = lecture(dh="dh = dlogits @ W2", dlogits="dlogits = dnorm_logits * 2")
    rows = graded(notebook(first, CHAIN, SOFTMAX), "03")
    assert others(rows) == {"passed"}
    rows = graded(notebook(CHAIN, "dh = dlogits @ W2"), "03")
    assert rows["dh"]["status"] == "error" and rows["dh"]["file"] == "mine.ipynb, cell 2"


@pytest.mark.full
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("dbnbias = dhpreact.sum(0, keepdim=True)", "dbnbias = dhpreact.mean(0, True)"),
        ("dhpreact = (1.0 - h**2) * dh", "dhpreact = (1.0 - h) * dh"),
    ],
)
def test_a_wrong_gradient_in_the_loop_has_the_line_of_the_mistake(graded, right, wrong):
    loop = "".join(stored(STYLES[0])["cells"][15]["source"]).replace(right, wrong)
    row = graded(notebook(CHAIN, loop), "07")["dbnbias"]
    assert row["status"] == "failed" and row["file"] == "mine.ipynb, cell 2"
    assert loop.split("\n")[row["line"] - 1].strip() == wrong


def test_the_loop_as_it_was_is_still_to_do(graded):
    loop = (
        "for i in range(10):\n  loss = F.cross_entropy(h @ W2 + b2, Yb)\n"
        "  dC, dW1, db1, dW2, db2, dbngain, dbnbias = None, None, None, None, None, None, None\n"
    )
    assert graded(notebook(loop), "07")["dC"]["status"] == "todo"


# Stages and aliases --------------------------------------------------------------------------------------------------


@pytest.mark.full
def test_a_gradient_taken_before_the_second_branch_of_the_one_above_it(graded):
    lines = CHAIN.split("\n")
    mean = next(line for line in lines if line.startswith("dbnmeani"))
    lines.remove(mean)
    lines.insert(next(n for n, line in enumerate(lines) if line.startswith("dbndiff =")) + 1, mean)
    rows = graded(notebook("\n".join(lines)), "03")
    # The second branch adds up to zero over the batch, so this is the right gradient; `cmp` says so too.
    assert rows["dbnmeani"]["status"] == "passed" and "it skips a step" in rows["dbnmeani"]["message"]
    assert others(rows) == {"passed"}


def test_plus_equals_on_another_name_of_a_gradient_changes_it(graded):
    rows = graded(notebook(lecture(dlogits="dlogits = dnorm_logits", dhprebn="dhprebn = dbndiff")), "03")
    for name, above in (("dlogits", "dnorm_logits"), ("dhprebn", "dbndiff")):
        assert rows[name]["status"] == "failed" and f"`{above}`" in rows[name]["message"]
        assert rows[name]["file"] == "mine.ipynb, cell 1"
    assert others(rows, "dlogits", "dhprebn") == {"passed"}


def test_an_alias_of_a_half_done_gradient_gets_its_later_stages(graded):
    text = CHAIN.replace("dhprebn = dbndiff.clone()\n", "").replace(
        "dbndiff = bnvar_inv * dbnraw\n", "dbndiff = bnvar_inv * dbnraw\ndhprebn = dbndiff\n"
    )
    rows = graded(notebook(text), "03")
    assert rows["dhprebn"]["status"] == rows["dbndiff"]["status"] == "passed"


def test_changes_by_way_of_helpers(graded):
    rows = graded(
        notebook(
            "def add_rows(table, where, rows):\n    for i, row in zip(where.tolist(), rows):\n        table[i] += row",
            lecture(
                dlogprobs="dlogprobs = torch.zeros_like(logprobs)\npicked = dlogprobs.view(-1)",
                **{"dlogprobs[range(n),": "picked[torch.arange(n) * logprobs.shape[1] + Yb] = -1.0 / n"},
            ).replace(CHAIN[CHAIN.index("for k") :], "add_rows(dC, Xb.view(-1), demb.view(-1, demb.shape[2]))"),
        ),
        "03",
    )
    assert others(rows) == {"passed"}


def test_cells_in_another_order(graded):
    pieces = CHAIN.split("\nd")
    upper, lower = "\nd".join(pieces[:12]), "d" + "\nd".join(pieces[12:])
    rows = graded(notebook("half = 0.5", lower, upper, "import torch\nimport torch.nn.functional as F"), "03")
    assert others(rows) == {"passed"}


# What a step may use -------------------------------------------------------------------------------------------------


def test_what_comes_from_elsewhere_is_named(graded):
    text = lecture(dh="dh = dlogits @ W_2.T", dprobs="dprobs = secret * dlogprobs")
    rows = graded(notebook("W_2 = torch.randn((64, 27), generator=g)", "\n" + text), "03")
    assert rows["dh"]["message"] == (
        "`dh` cannot be taken out of mine.ipynb, cell 2, line 13: it uses `W_2`, which is not a value of the forward "
        "pass."
    )
    assert rows["dprobs"]["message"] == (
        "`dprobs` cannot be taken out of mine.ipynb, cell 2, line 4: it uses `secret`, which nothing above assigns."
    )
    assert rows["dh"]["status"] == rows["dprobs"]["status"] == "missing"
    assert others(rows, "dh", "dprobs") == {"passed"}


@pytest.mark.full
def test_sizes_by_the_lecture_s_names_and_as_numbers(graded):
    named = lecture(demb="demb = dembcat.view(batch_size, block_size, n_embd)")
    assert others(graded(notebook("n_embd = 10", named), "03")) == {"passed"}
    rows = graded(notebook(lecture(demb="demb = dembcat.view(32, 3, 10)")), "03")
    assert others(rows) == {"passed"}
    assert rows["demb"]["message"] == (
        "Right at your notebook's own sizes. Sizes are hard-coded in mine.ipynb, cell 1, line 30: 32 (batch), "
        "3 (block), 10 (embedding). `n` in place of 32 works at any size."
    )
    assert rows["demb"]["chain"] == "passed" and rows["demb"]["exact"]


def test_an_error_names_the_line_that_raised_it(graded):
    text = lecture(
        dbngain="with torch.no_grad():\n  if True:\n    dbngain = (\n      bnraw\n      @ dhpreact\n    ).sum(0)"
    )
    rows = graded(notebook("x = 1", text), "03")
    assert (rows["dbngain"]["status"], rows["dbngain"]["file"]) == ("error", "mine.ipynb, cell 2")
    assert 18 <= rows["dbngain"]["line"] <= 20
    assert others(rows, "dbngain") == {"passed"}


def test_autograd_is_named_with_the_line_of_the_cell(graded):
    rows = graded(notebook("x = 1", lecture(dprobs="dprobs = torch.autograd.grad(loss, probs)[0]")), "03")
    assert (rows["dprobs"]["status"], rows["dprobs"]["line"]) == ("forbidden", 3)
    assert rows["dprobs"]["message"].startswith("Line 3 of mine.ipynb, cell 2 calls `torch.autograd.grad`")
    assert others(rows, "dprobs") == {"passed"}


def test_a_module_that_is_not_there_costs_its_own_step_only(graded):
    text = lecture(dh="dh = opt_einsum.contract('bv,hv->bh', dlogits, W2)")
    rows = graded(notebook("import opt_einsum, wandb\nimport numpy as np", text), "03")
    assert rows["dh"]["status"] == "error" and "opt_einsum" in rows["dh"]["message"]
    assert others(rows, "dh") == {"passed"}


# What cannot be read -------------------------------------------------------------------------------------------------


def test_a_line_that_is_no_python_costs_itself_only(graded):
    rows = graded(notebook("x = 1", lecture(dW2="dW2 = h.T @", dbnraw="dbnraw = ")), "03")
    assert rows["dW2"]["message"] == "`dW2` is in lines that Python cannot read: mine.ipynb, cell 2, from line 13 on."
    assert others(rows, "dW2", "dbnraw") == {"passed"}


def test_assigned_inside_of_a_function_only(graded):
    rows = graded(notebook(lecture(dW2="def backward():\n    global dW2\n    dW2 = h.T @ dlogits")), "03")
    assert rows["dW2"]["message"] == (
        "`dW2` in `backward` (mine.ipynb, cell 1, line 15) is not read: assign it to a variable `dW2` outside of "
        "functions and classes."
    )
    assert others(rows, "dW2") == {"passed"}


def test_what_does_not_stand_on_its_own(graded):
    rows = graded(
        notebook(lecture(dW2="dW2 += h.T @ dlogits", dh="if n > 1:\n    break\ndh = 1 if n else (yield)")), "03"
    )
    assert rows["dW2"]["status"] == "missing" and "before anything is assigned" in rows["dW2"]["message"]


@sampled(
    ("data", "output"),
    [
        (b"", "mine.ipynb cannot be read: it is no notebook file (no JSON). Save or download it again as .ipynb."),
        (b"[" * 100_000, "no JSON"),
        (b"[1, 2]", "mine.ipynb cannot be read: it is no notebook file: it has no cells."),
        (b'{"nbformat": 4}', "it has no cells"),
        (b'{"cells": []}', "mine.ipynb holds nothing that can be graded: no gradient of a lesson"),
        (b'{"cells": [7, {"cell_type": "code"}, {"cell_type": "code", "source": {"a": 1}}]}', "holds nothing"),
        (json.dumps(notebook(*["x = 1"] * (MAX_CELLS + 1))).encode(), "more than 10,000 cells"),
        (
            json.dumps(notebook("x = 1\n" * (MAX_CODE_CHARACTERS // 6 + 1))).encode(),
            "more than 300,000 characters of code",
        ),
        (
            b" " * (MAX_BYTES[NOTEBOOK] + 1),
            "the most that is read. Clear the notebook's outputs, save it and submit it again.",
        ),
        (
            b'{\n<<<<<<< HEAD\n "cells": [],\n=======\n "cells": [1],\n>>>>>>> b\n}\n',
            "cannot be read: line 2: this is the mark of an unfinished Git merge (<<<<<<< HEAD). Keep one of",
        ),
        (json.dumps(notebook("dh = 1\n" * 5_001)).encode(), "more than 5,000 statements"),
    ],
    keep=4,
)
def test_what_is_no_notebook_is_a_sentence(submit, data, output):
    submission = submit(data)
    assert submission.message is not None and output in submission.message
    assert not any(submitted.present for submitted in submission.lessons.values())


@pytest.mark.parametrize("lessons", [(), ("03", "05")])
def test_a_notebook_of_another_exercise_is_a_sentence(submit, lessons):
    methods = (
        "class BatchNorm1d:\n    def __call__(self, x):\n        return x\n    def parameters(self):\n        return []"
    )
    submission = submit(notebook("def draw_dot(root):\n    return root", methods), *lessons)
    assert submission.message == (
        "mine.ipynb holds nothing that can be graded: no gradient of a lesson that is graded here is assigned in its "
        "code cells, as in `dlogprobs = ...`, and no function of one is defined. Submit the exercise's notebook, or "
        "its backward.py."
    )
    assert not any(submitted.present for submitted in submission.lessons.values())


def test_a_merge_that_is_unfinished_in_a_cell_is_named(submit):
    """As nbdime leaves it: none of the two versions counts in silence."""
    cell = "<<<<<<< local\ndlogits = probs\n=======\ndlogits = probs / n\n>>>>>>> remote"
    (read,) = submit(notebook("dlogprobs = 1", cell), "03").lessons.values()
    assert read.origin.missing["dlogits"] == (
        "`dlogits` is in lines that Python cannot read: mine.ipynb, cell 2, line 1: this is the mark of an unfinished "
        "Git merge (<<<<<<< local). Keep one of the two versions, delete the marks, and save the file."
    )


def test_encodings_and_line_ends():
    for encoding in ["utf-8", "utf-8-sig", "utf-16", "utf-32"]:
        text = json.dumps(notebook("# größer\r\nx = 1\rdh = 2"), ensure_ascii=False)
        (cell,) = cells_of(text.encode(encoding), "a")
        assert cell.text == "# größer\nx = 1\ndh = 2" and cell.file == "a, cell 1"


# Other ways of handing in --------------------------------------------------------------------------------------------


def test_a_script_in_the_lecture_s_style(graded, submit):
    """With CRLF and a byte order mark; for one lesson, for several, and in a lesson's folder."""
    script = ("\ufeff" + IMPORTS + lecture(dh="dh = dlogits @ W2")).replace("\n", "\r\n")
    rows = graded(script, "03", name="ada.py")
    assert rows["dh"]["status"] == "error" and rows["dh"]["file"] == "ada.py" and rows["dh"]["line"] == 16
    assert others(rows, "dh") == {"passed"}
    assert submit(script, name="ada.py").lessons["03_makemore_steps"].present


def test_a_script_without_the_lesson_s_part_is_not_imported(graded, submit):
    """Importing it would load its data: an error that says nothing about the exercise that is missing."""
    script = f"words = open('names.txt').read().splitlines()\n{IMPORTS}{lecture()}"
    rows = graded(script, "07", name="ada.py")
    assert rows["dW1"]["status"] == "missing" and "has no training loop" in rows["dW1"]["message"]
    (absent,) = submit(script, "07", name="07_training.py").lessons.values()
    assert not absent.present and "has no training loop" in absent.message


def test_the_stub_s_functions_in_a_notebook(graded):
    """The code above them, which needs a file that is not here, is left out; what they use is not."""
    cells = (
        "words = open('names.txt').read().splitlines()",
        "%matplotlib inline\nimport torch\nimport torch.nn.functional as F\nONE = 1",
        "def softmax(x):\n    return F.softmax(x, 1)",
        "def dlogits(logits, Yb, n):\n  slope = softmax(logits)\n  slope[range(n), Yb] -= ONE\n  return slope / n",
        "print(dlogits(torch.ones(3), 1, 2))",
    )
    assert others(graded(notebook(*cells), "04")) == {"passed"}
    wrong = graded(notebook(*cells[:3], cells[3].replace("/ n", "* missing")), "04")["dlogits"]
    assert (wrong["status"], wrong["file"], wrong["line"]) == ("error", "mine.ipynb, cell 4", 4)


def test_a_backward_py_next_to_a_notebook_counts(course, tmp_path):
    folder = tmp_path / "ada" / "03_makemore_steps"
    folder.mkdir(parents=True)
    (folder / "notes.ipynb").write_text("no notebook")
    (folder / "backward.py").write_text("def dh(dlogits, W2):\n    return dlogits @ W2.T\n")
    (ada,) = find([tmp_path / "ada"], [course.find("03")], list(course.lessons.values()))
    submitted = ada.lessons["03_makemore_steps"]
    assert submitted.shown == "03_makemore_steps/backward.py" and submitted.origin is None


def test_the_fingerprint_is_of_what_the_result_says(submit):
    one = submit(notebook(CHAIN)).sha256
    assert one == submit(notebook(CHAIN, {"cell_type": "markdown", "source": "the end"})).sha256
    assert one != submit(notebook({"cell_type": "markdown", "source": "first"}, CHAIN)).sha256


def test_the_report_quotes_the_cell(submit, session_for):
    from grader.publish.view import lesson_view

    session = session_for("03")
    submission = submit(notebook("# intro\nx = 1", lecture(dh="dh = dlogits @ W2  # shapes?")), "03")
    done = session.grade(submission)
    part = lesson_view(done.results.lessons[0], session.lessons[0], "", done.texts)
    lines = {line.row.name: line for line in part.lines}
    assert (12, "dh = dlogits @ W2  # shapes?") in lines["dh"].excerpt


def test_no_line_of_the_engine_names_a_lesson():
    names = [path.parent.name for path in (ROOT / "exercises").glob("*/lesson.toml")]
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "grader" / "intake" / "notebook").glob("*.py"))
    assert len(names) > 20 and len(code) > 10_000
    assert not [name for name in names if name in code]


# Judged like the stub's functions ------------------------------------------------------------------------------------


def as_a_notebook(source: str, functions: tuple[str, ...]) -> Notebook:
    """A file of functions with each gradient's body at the top level of a cell: `return x` becomes `dprobs = x`."""
    cells = []
    nodes = {getattr(node, "name", n): node for n, node in enumerate(ast.parse(source).body)}  # the last of two
    for node in nodes.values():
        if isinstance(node, ast.FunctionDef) and node.name in functions:
            *body, last = node.body
            body = body[1:] if ast.get_docstring(node) is not None else body
            assert isinstance(last, ast.Return)
            lines = [ast.unparse(part) for part in body]
            cells.append("\n".join([*lines, f"{node.name} = {ast.unparse(last.value)}" if last.value else "pass"]))
        elif not isinstance(node, ast.Expr):
            cells.append(ast.unparse(node))
    return notebook(*cells)


@sampled("variant", sorted((ROOT / "solutions" / "03_makemore_steps" / "variants").glob("*.py")), keep=2)
def test_the_honest_variants_as_notebooks(graded, lesson, variant):
    """Their helper variables have the same few names in every cell: each gradient takes its own."""
    rows = graded(as_a_notebook(variant.read_text(encoding="utf-8"), lesson.functions), "03")
    assert {name: row["message"] for name, row in rows.items() if row["status"] != "passed"} == {}


def same_verdicts(lesson, grade, graded, mistakes):
    differing = {}
    for mistake in mistakes:
        wrong = mistake.applied_to(solution_of(lesson))
        stub = grade("03", wrong)
        cells = graded(as_a_notebook(wrong, lesson.functions), "03")
        for name, row in stub.items():
            found = [(each["status"], (each["mistake"] or {}).get("id")) for each in (row, cells[name])]
            only_the_shape = row["status"] == "shape" and found[1] == ("passed", None)
            if only_the_shape and cells[name]["message"].startswith("The numbers are right."):
                continue  # in a notebook shapes may differ in axes of length one: `shape = "broadcast"`
            if found[0] != found[1]:
                differing[f"{mistake.id} {name}"] = (row["status"], cells[name]["status"], cells[name]["message"])
    return differing


@pytest.mark.full
def test_known_mistakes_as_notebooks(lesson, grade, graded):
    assert same_verdicts(lesson, grade, graded, lesson.mistakes[::25]) == {}
