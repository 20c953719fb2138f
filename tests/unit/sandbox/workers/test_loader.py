"""A file runs only in an encoding in which the readers of source text see the same text."""

from __future__ import annotations

from types import ModuleType

import pytest

from grader.sandbox.workers.loader import run_source
from grader.source.parsing import parse_submitted

TEXT = "name = 'é'\n"


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "windows-1251", "gbk"])
def test_what_editors_write_runs(encoding: str) -> None:
    text = f"# coding: {encoding}\n" + TEXT.replace("é", "é" if encoding in ("utf-8", "latin-1", "cp1252") else "Я")
    try:
        source = text.encode(encoding)
    except UnicodeEncodeError:
        source = text.replace("Я", "x").encode(encoding)
    module = ModuleType("m")
    run_source(module, "m.py", source)
    assert module.name == source.decode(encoding).split("'")[1] and parse_submitted(source) is not None


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-7", b"import torch.+AGEAdQB0AG8AZwByAGEAZA-"),
        ("raw_unicode_escape", rb"import torch.\u0061utograd"),
        ("iso2022_jp", b"import torch"),
        ("no-such-encoding", b"import torch"),
    ],
)
def test_other_encodings_do_not(encoding: str, text: bytes) -> None:
    source = f"# coding: {encoding}\n".encode() + text
    with pytest.raises(SyntaxError):
        run_source(ModuleType("m"), "m.py", source)
    assert parse_submitted(source) is None


def test_a_statement_that_is_left_out_runs_once(capsys: pytest.CaptureFixture[str]) -> None:
    source = b"for name in ['not here.txt']:\n    print(name)\n    text = open(name).read()\nn = 3\n"
    module = ModuleType("m")
    assert len(run_source(module, "m.py", source)) == 1 and module.n == 3
    assert capsys.readouterr().out == "not here.txt\n"
