"""Texts of any size on which a careless reader of source text takes quadratic or exponential time.

Each family is a function of a size: its text has about that many characters. Where Python's parser limits how deep a
text may nest, the text holds many nests of that depth.
"""

from __future__ import annotations

from collections.abc import Callable

DEEP = 80
"""Brackets in brackets and blocks in blocks: Python's tokenizer allows 200 and 100."""
LINKS = 250
"""Links of one chain: the readers give up, as Python does, where one is nested nearly a thousand deep."""


def repeated(piece: Callable[[int], str], size: int) -> str:
    """Pieces, numbered, until their text is long enough."""
    found: list[str] = []
    length = 0
    while length < size:
        found.append(piece(len(found)))
        length += len(found[-1])
    return "".join(found)


def in_function(body: str) -> str:
    """Lines as the body of `dprobs`, a step of lesson 03 that changes its argument."""
    return "import torch\n\n\ndef dprobs(dlogprobs, probs):\n" + body + "    dlogprobs += 1\n    return dlogprobs\n"


def chain(link: str, links: int = LINKS) -> Callable[[int], str]:
    """Many chains of `links` links each, on a name that is changed in place."""
    return lambda size: in_function(repeated(lambda n: f"    x{n} = dlogprobs{link * links}\n", size))


def at_top(piece: Callable[[int], str], end: str = "dprobs = x0\n") -> Callable[[int], str]:
    """Pieces at the top of a file, and a function that reads some of what they bind."""
    return lambda size: repeated(piece, size) + end + "def dlogprobs(logprobs):\n    return x0, x1, x2\n"


def inside(piece: Callable[[int], str]) -> Callable[[int], str]:
    return lambda size: in_function(repeated(piece, size))


def nest(opening: str, closing: str, middle: Callable[[int], str], depth: int = DEEP) -> Callable[[int], str]:
    """One nest, `depth` deep, around a middle that makes up all of the size."""
    return lambda size: f"dprobs = {opening * depth}{middle(size)}{closing * depth}\n"


def blocks(header: str, depth: int = DEEP) -> Callable[[int], str]:
    """Blocks in blocks around many statements."""

    def text(size: int) -> str:
        lines = [" " * n + header + "\n" for n in range(depth)]
        return "".join(lines) + repeated(lambda n: " " * depth + f"dprobs = x{n}; dlogits = dh = x{n}\n", size)

    return text


def items(size: int) -> str:
    return repeated(lambda n: f"a{n}, ", size)


def calling_all(size: int) -> str:
    """Functions each of which calls all others: their number is the root of the size."""
    count = max(2, int((size / 5) ** 0.5))
    calls = "".join(f"f{n}()\n    " for n in range(count))
    return "".join(f"def f{n}():\n    {calls}pass\n" for n in range(count)) + "dprobs = f0\n"


def branches(size: int) -> str:
    """Names bound in a loop, then comprehensions and conditions, each of which has to know them all."""
    bound = repeated(lambda n: f"    a{n} = 1\n", size // 3)
    tests = repeated(lambda n: f"    if a{n}: b{n} = 1\n    else: b{n} = 2\n", size // 3)
    lists = repeated(lambda n: f"    dprobs = [c{n} for c{n} in b{n}]\n", size // 3)
    return "for i in range(3):\n" + bound + tests + lists


def star_imports(size: int) -> str:
    imports = repeated(lambda n: f"from torch.m{n} import *\n", size // 2)
    return imports + "dprobs = [" + items(size // 2) + "]\n"


def patterns(size: int) -> str:
    cases = repeated(lambda n: f"    case [{{'k': a{n}, **rest{n}}}, *b{n}] | c{n}: dprobs = a{n}\n", size)
    return "match x:\n" + cases


def with_items(size: int) -> str:
    return "with (" + repeated(lambda n: f"o() as a{n}, ", size) + "):\n    dprobs = a1\n"


def elif_chain(size: int) -> str:
    one = "".join(f"elif a{n}: dprobs = {n}\n" for n in range(150))
    return repeated(lambda n: "if a:\n    pass\n" + one, size)


def lambdas(size: int) -> str:
    return repeated(lambda n: f"x{n} = {'lambda a: ' * DEEP}{'a + ' * 40}x{n + 1}\n", size) + "dprobs = x0\n"


def makers(depth: int = 25) -> Callable[[int], str]:
    """Calls of calls, whose path is asked for in several ways at each link."""
    return inside(lambda n: f"    x{n} = " + "f('a')(" * depth + "x" + ")" * depth + "('b')" * depth + "\n")


def changed_aliases(size: int) -> str:
    return repeated(lambda n: f"a{n} = dprobs\na{n} += 1\n", size // 2) + repeated(
        lambda n: f"dlogits = a{n}\na{n} = dh\na{n} += 1\n", size // 2
    )


def in_the_lectures_manner(size: int) -> str:
    """Every gradient assigned again and again, each reading all that was assigned before."""
    names = ["dlogprobs", "dprobs", "dcounts", "dlogits", "dh", "dhpreact", "dbnraw", "dhprebn", "dembcat", "demb"]
    return repeated(lambda n: f"{names[n % 10]} = {names[n % 9]} * {names[n % 7]} + a{n}\na{n + 1} = a{n} + 1\n", size)


FAMILIES: dict[str, Callable[[int], str]] = {
    "attributes": chain(".a"),
    "changes in place": chain(".a_()"),
    "views and indices": chain("[0].T"),
    "calls": chain("()"),
    "changes within arguments": inside(lambda n: f"    x{n} = {'a.b_(' * DEEP}1{')' * DEEP}\n"),
    "nested getattr": inside(lambda n: f"    x{n} = " + "getattr(" * DEEP + "a" + ", 'b')" * DEEP + "\n"),
    "makers": makers(),
    "one tuple of names": lambda size: "(" + items(size) + ") = dprobs = x\n" + "def dlogits(a):\n    return a1\n",
    "assigned in a chain": lambda size: repeated(lambda n: f"a{n}=", size) + "x\ndef dprobs(b):\n    return a1\n",
    "comparisons": lambda size: "dprobs = " + "a < " * (size // 4) + "a\n",
    "long texts in a sum": inside(lambda n: f"    x{n} = getattr(x, " + ("'" + "a" * 300 + "' + ") * LINKS + "'b')\n"),
    "sums": inside(lambda n: f"    x{n} = " + "a + " * LINKS + "b\n"),
    "comprehensions in targets": nest("[1 for a[", "] in b]", lambda size: "0, " + items(size), 60),
    "lambdas": lambdas,
    "calls around much": nest("f(", ")", items),
    "f-strings": inside(lambda n: f"    x{n} = f'{{a:{{b}}}} {{c!r}}' f\"{{d['a']}}\"\n"),
    "loops in loops": blocks("for i in dprobs:"),
    "loops with many targets": lambda size: "for (" + items(size) + ") in x:\n    dprobs = a1\n",
    "conditions in conditions": blocks("if a:"),
    "tries in tries": lambda size: (
        blocks("if 1:", 40)(size // 2)
        + repeated(lambda n: f"try:\n    dprobs = 1\nexcept A{n} as e{n}:\n    dprobs = 2\n", size // 2)
    ),
    "functions in functions": blocks("def dprobs(a, b):"),
    "with many items": with_items,
    "elif": elif_chain,
    "match": patterns,
    "functions that call each other": calling_all,
    "aliases of aliases": at_top(lambda n: f"x{n} = x{n + 1}\n", "x999999 = 1\n"),
    "globals": inside(lambda n: f"    global a{n}\n    a{n} = 1\n"),
    "nonlocals": inside(lambda n: f"    def f{n}():\n        nonlocal a{n}, dlogprobs\n        a{n} = 1\n"),
    "imports": at_top(lambda n: f"import a{n}.b as x{n}\n"),
    "one import": lambda size: (
        "from torch import (" + items(size).rstrip(", ") + ")\ndprobs = [" + items(size // 2) + "]\n"
    ),
    "star imports": star_imports,
    "a dictionary": lambda size: "dprobs = {" + repeated(lambda n: f"a{n}: [b{n}], ", size) + "}\n",
    "a table": lambda size: "T = {}\n" + repeated(lambda n: f"T[{n}] = T\n", size) + "dprobs = T\n",
    "one long text": lambda size: "dprobs = '" + "ab\\'" * (size // 4) + "'\n",
    "one line": lambda size: "dprobs = [" + items(size) + "]\n",
    "line continuations": lambda size: "dprobs = 1 " + "\\\n" * (size // 2) + "+ 1\n",
    "defaults": lambda size: "def dprobs(" + repeated(lambda n: f"a{n}=b{n}, ", size) + "):\n    return a1\n",
    "walrus": lambda size: "dprobs = [" + repeated(lambda n: f"(a{n} := b{n}), ", size) + "]\n",
    "functions": at_top(lambda n: f"def x{n}(a):\n    return x{n + 1}(a)\n", ""),
    "a gradient again and again": lambda size: "dprobs = dlogprobs / a\n" * (size // 23),
    "branches": branches,
    "changed aliases": changed_aliases,
    "in the lecture's manner": in_the_lectures_manner,
    "no Python": lambda size: "dprobs = (" * 150 + items(size) + "\n",
    "magics": lambda size: repeated(lambda n: f"%a{n} " + " " * 50 + "\\\n", size) + "\ndprobs = 1\n",
    "one line of a shell": lambda size: "x" * (size // 2) + " " * (size // 2) + "?? a\n",
}
