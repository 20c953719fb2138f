"""f-strings of Python 3.12, which learners' files have and an older Python cannot parse."""

from __future__ import annotations

import ast
import json
from types import ModuleType

import pytest
from lecture_notebooks import notebook
from support import calls_in

from grader.intake.notebook.cells import cells_of, script_cells
from grader.sandbox.workers.loader import run_source
from grader.source.f_strings import for_older_python
from grader.source.parsing import parse_submitted

WRITTEN_ANEW = [
    ('print(f"{d["a"]}")', 'print(f"""{d["a"]}""")'),
    ("x = f'{d['k']:.3f} {{}}'\ny = 1", "x = f'''{d['k']:.3f} {{}}'''\ny = 1"),
    ('a = "it\'s" # don\'t\nb = F"{d["x"]}" f"{d["y"]}"', 'a = "it\'s" # don\'t\nb = F"""{d["x"]}""" f"""{d["y"]}"""'),
    ('f"{\n d["x"]\n}"', 'f"""{\n d["x"]\n}"""'),
    ("print(f\"{'\\n'.join(names)}\")", "print('')"),
    ('f"{f"{d["k"]}"}"', "''"),
]
READ_AS_THEY_ARE = ["print(f\"{d['a']}\")", 's = "f\\"{"', 'f"""{d["x"]}"""', "it's no Python f'{d['x']}'", 'f"{']


@pytest.mark.parametrize(("text", "older"), WRITTEN_ANEW)
def test_written_anew_line_for_line(text: str, older: str) -> None:
    assert older.count("\n") == text.count("\n")
    ast.parse(older)
    try:  # a later Python reads it as it is
        ast.parse(text)
    except SyntaxError:
        assert for_older_python(text) == older


@pytest.mark.parametrize("text", READ_AS_THEY_ARE)
def test_kept(text: str) -> None:
    assert for_older_python(text) == text


@pytest.mark.parametrize("text", ['f"{' * 20_000, '"' * 100_000, 'f"' + "{a:" * 30_000, "{" * 100_000 + '"'])
def test_text_of_any_kind_takes_linear_work(text: str) -> None:
    quarter, whole = (calls_in(lambda end=end: for_older_python(text[:end])) for end in (len(text) // 4, len(text)))
    assert whole <= 6 * quarter  # quadratic work would be 16 times


SCRIPT = 'd = {"x": 2}\ntext = f"{d["x"]}!"\ndlogprobs = 1\n'


def test_a_file_is_parsed_and_run() -> None:
    module = ModuleType("backward")
    run_source(module, "backward.py", SCRIPT.encode())
    assert module.__dict__["text"] == "2!"
    assert parse_submitted(SCRIPT.encode()) is not None
    with pytest.raises(SyntaxError):
        run_source(module, "backward.py", b'f"{d["x"]}"\nx = = 1\n')


def test_a_script_and_a_cell_are_read() -> None:
    (script,) = script_cells(SCRIPT.encode(), "mine.py")
    (cell,) = cells_of(json.dumps(notebook("%matplotlib inline\n" + SCRIPT)).encode(), "mine.ipynb")
    for text in (script.text, cell.text):
        assert "dlogprobs" in ast.unparse(ast.parse(text))
