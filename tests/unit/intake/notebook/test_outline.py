"""Which functions a file defines."""

from __future__ import annotations

from grader.intake.notebook.outline import outline


def test_functions_in_handlers_and_cases_are_found():
    text = (
        "try:\n    from fast import norm\nexcept ImportError:\n    def dx(x): return x\n"
        "match 1:\n    case 1:\n        def dy(y): return y\n"
    )
    found = outline(text.encode(), False)
    assert list(found.functions) == ["norm", "dx", "dy"]
