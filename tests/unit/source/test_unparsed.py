"""Why Python cannot parse a text, in the student's words: merge marks, Git LFS, a newer Python's syntax."""

from __future__ import annotations

import sys

from grader.source.unparsed import cause_of

NEWER = "this needs Python {}; graded with 3.11. Write it without the newer syntax"


NEEDS = [
    ("type Grad = torch.Tensor\n", "3.12"),
    ("type Pair[T] = tuple[T, list[T]]\n", "3.12"),
    ("def f[T: (int, str), *Ts](x: T) -> T:\n    return x\n", "3.12"),
    ("async def f[T = list[int]](x): ...\n", "3.12"),
    ("class A[T](B):\n    pass\n", "3.12"),
    ('type X = int\nprint(f"{row["loss"]}")\n', "3.12"),
    ('print(f"{row["loss"]:.2f} and {n} and {row["rate"]}", f"{x}")\n', "3.12"),
    ('print(f"{n} of {row["loss"]}")\n', "3.12"),
    ("x = rf'{a['b']}'\n", "3.12"),
    ("try:\n    pass\nexcept A, b.C:\n    pass\n", "3.14"),
    ("type X = int\ntry:\n    pass\nexcept* A, B:\n    pass\n", "3.14"),
    ("x = rt'{a}' + t'b'\n", "3.14"),
    ("lazy import numpy\n", "3.15"),
]
OWN_WORDS = ["def f(:\n    pass\n", "type = int\nx = = 1\n", "", "x = 1\n", "def f[T(x):\n    pass\n", "print 'x'\n"]


def test_a_newer_python_is_named():
    for text, needs in NEEDS:
        assert cause_of(text, 3, (3, 11)) == (3, NEWER.format(needs)), text
    assert cause_of("type X = int\nx = (\n", 2, (3, 12)) is None  # the Python that has the syntax does not name itself
    running = ".".join(map(str, sys.version_info[:2]))
    found = cause_of("lazy import numpy\n", 1)
    assert found is None or f"graded with {running}" in found.what


def test_python_s_own_words_stay():
    assert [cause_of(text, 1, (3, 11)) for text in OWN_WORDS] == [None] * len(OWN_WORDS)


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
