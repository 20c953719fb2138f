"""Why Python cannot parse a text, in the student's words: merge marks and Git LFS; else in Python's own."""

from __future__ import annotations

import sys

import pytest

from grader.source.parsing import cause_of, cause_of_error

MARK = (
    "this is the mark of an unfinished Git merge ({}). Keep one of the two versions, delete the marks, and save the "
    "file"
)


MERGES = [
    ("x = 1\n<<<<<<< HEAD\nx = 2\n=======\nx = 3\n>>>>>>> 3f2c1aa (try)\n", 6, (2, "<<<<<<< HEAD")),
    ("x = 1\r\n<<<<<<< HEAD\r\nx = 2\r\n=======\r\nx = 3\r\n>>>>>>> b\r\n", 2, (2, "<<<<<<< HEAD")),
    ("x = 2\n=======\nx = 3\n>>>>>>> b\n", 2, (4, ">>>>>>> b")),
    ("x = 2\n=======\nx = 3\n", 2, (2, "=======")),
]


def test_a_mark_of_a_merge_is_named_with_its_line():
    for text, line, expected in MERGES:
        assert cause_of(text, line) == (expected[0], MARK.format(expected[1]))
    assert cause_of('"""Title\n=======\n"""\nx = (\n', 4) is None  # a heading in a docstring


def test_a_pointer_of_git_lfs():
    text = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    assert cause_of(text, 2) == (None, "this is a Git LFS pointer, not the file itself: run `git lfs pull`")


def test_python_s_own_words_name_its_version():
    with pytest.raises(SyntaxError) as raised:
        compile("def f()\n    pass\n", "a.py", "exec")
    what = f"SyntaxError: expected ':' (in Python {sys.version_info[0]}.{sys.version_info[1]})"
    assert cause_of_error("def f()\n    pass\n", raised.value) == (1, what)
